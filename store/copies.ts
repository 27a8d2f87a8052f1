/** Copies of messages in other folders: documents of their own that share the blobs. */
import { newToken } from '../schemas/ids.ts'
import type { MessageDoc } from './documents/mail.ts'
import { closeReservations, closing, holding, reserve } from './folders.ts'
import { countsOf } from './message-edits.ts'
import type { Store } from './open.ts'
import { insertInto } from './writes.ts'

/** A copy before its folder has assigned its UID and modseq. */
export type NewCopy = Omit<MessageDoc, 'uid' | 'modseq'>

/**
 * Writes copies into a folder. Returns their UIDs, in the given order; null, with no message written, when the folder or the blob of one
 * of the messages is gone. The sweep removes users that do not exist from the blobs.
 */
export async function writeCopies(
  store: Store,
  { mailboxId, folderId, copies, at }: { mailboxId: string; folderId: string; copies: readonly NewCopy[]; at: Date },
): Promise<readonly number[] | null> {
  const token = newToken()
  const claim = { folderId, mailboxId, uids: copies.length, ...countsOf(copies, 'remove') }
  // The reservation comes first, so that it is void by the time the sweep may have removed the users that are added next.
  const reserved = (await reserve(store, [claim], { token, at })).get(folderId)
  if (reserved === undefined) return null
  const { matchedCount } = await store.blobs.bulkWrite(
    copies.map(({ _id, blob }) => ({
      updateOne: {
        filter: { _id: `${blob.id}#0` },
        update: { $addToSet: { users: _id }, $set: { inDoubt: at } },
      },
    })),
    { ordered: false },
  )
  if (matchedCount < copies.length) {
    await closeReservations(store, [{ folderId, mailboxId, token, overcounted: countsOf(copies, 'remove') }])
    return null
  }
  const { uid: first, modseq } = reserved
  store.uids.learn(folderId, first + copies.length, at)
  const inserts = copies.map((copy, n) => insertInto(store.messages, { ...copy, folderId, uid: first + n, modseq }))
  const held = holding(store, claim, token)
  const refused = await store.writeTogether([held, ...inserts, closing(store, { folderId, mailboxId, token })])
  if (refused === 0) return null
  if (refused !== null) throw new Error(`A copy into folder ${folderId} has the id or the UID of another message.`)
  return copies.map((_, n) => first + n)
}
