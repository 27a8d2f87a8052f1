/** The state by which a database records that it was moved (store/database-move.ts). A service does not start on a moved database. */
import { type Db, MongoServerError } from 'mongodb'

/** The id of the state document which records in the source that it is being moved. */
export const movingState = 'moving'

export type MovingState = {
  readonly _id: string
  /** `to`: the target's connection string for display, without the password. */
  readonly value: { readonly id: string; readonly to: string; readonly at: Date }
}

/** UserWritesBlocked (MongoDB's src/mongo/base/error_codes.yml). */
const writesBlockedCode = 371

/** Rejects if the database was moved elsewhere, or is being moved, and refuses writes. */
export async function refuseMoved(db: Db): Promise<void> {
  const state = db.collection<MovingState>('state')
  const moving = await state.findOne({ _id: movingState })
  if (moving === null) return
  try {
    await state.updateOne({ _id: movingState }, { $set: { 'value.to': moving.value.to } })
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== writesBlockedCode) throw error
    throw new Error(
      `The database takes no writes: it was moved to ${moving.value.to}, or is being moved there at this moment. Set MONGODB_URL to its new location; "mailroom db move --cancel" puts this one back into use.`,
    )
  }
}
