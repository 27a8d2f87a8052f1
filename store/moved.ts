/** What a database says of its move elsewhere (store/database-move.ts): a service that starts on one that was moved is refused. */
import { type Db, MongoServerError } from 'mongodb'

/** Of the state that says in the source that it is being moved. */
export const movingState = 'moving'

export type MovingState = {
  readonly _id: string
  /** `to`: its name for people, without a password. */
  readonly value: { readonly id: string; readonly to: string; readonly at: Date }
}

/** UserWritesBlocked (MongoDB's src/mongo/base/error_codes.yml). */
const writesBlockedCode = 371

/** Rejects when the database was moved elsewhere, and takes no writes. */
export async function refuseMoved(db: Db): Promise<void> {
  const state = db.collection<MovingState>('state')
  const moving = await state.findOne({ _id: movingState })
  if (moving === null) return
  try {
    await state.updateOne({ _id: movingState }, { $set: { 'value.to': moving.value.to } })
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== writesBlockedCode) throw error
    throw new Error(
      `The database takes no writes: it was moved to ${moving.value.to}, or is being moved there at this moment. Set MONGODB_URL to where it is; "mailroom db move --cancel" takes this one back into use.`,
    )
  }
}
