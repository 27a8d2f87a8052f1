/** Messages of a mailbox in the order of their ids: for those who wait for one. */
import type { MessageDoc } from './documents/mail.ts'
import type { Store } from './open.ts'

/** Ids of the newest messages, newest first, none before the id `from`. */
export async function findNewestIds(
  store: Store,
  { mailboxId, from, limit }: { mailboxId: string; from: string; limit: number },
): Promise<readonly string[]> {
  const found = await store.messages
    .find({ mailboxId, _id: { $gte: from } }, { projection: { _id: 1 } })
    .sort({ mailboxId: -1, _id: -1 })
    .limit(limit)
    .toArray()
  return found.map(({ _id }) => _id)
}

/** Messages that came in, oldest first, from the id `from` on. */
export function findReceivedSince(
  store: Store,
  { mailboxId, from, limit }: { mailboxId: string; from: string; limit: number },
): Promise<MessageDoc[]> {
  return store.messages
    .find({ mailboxId, _id: { $gte: from }, fingerprint: { $exists: true } })
    .sort({ mailboxId: 1, _id: 1 })
    .limit(limit)
    .toArray()
}

/** Those of the messages that came in to one of the mailboxes. */
export function findReceivedIn(
  store: Store,
  { mailboxIds, ids }: { mailboxIds: readonly string[]; ids: readonly string[] },
): Promise<MessageDoc[]> {
  return store.messages
    .find({ mailboxId: { $in: [...mailboxIds] }, _id: { $in: [...ids] }, fingerprint: { $exists: true } })
    .toArray()
}
