/**
 * Received messages in the order of their ids, which is the order of arrival. A message has a fingerprint if it was
 * received.
 */
import type { MessageDoc } from './documents/mail.ts'
import type { Store } from './open.ts'

/** The ids of a mailbox's newest messages, newest first, down to the id `from`. */
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

/** Messages that a mailbox received, oldest first, starting at the id `from`. */
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

/** Those of the messages `ids` that one of the mailboxes received. */
export function findReceivedIn(
  store: Store,
  { mailboxIds, ids }: { mailboxIds: readonly string[]; ids: readonly string[] },
): Promise<MessageDoc[]> {
  return store.messages
    .find({ mailboxId: { $in: [...mailboxIds] }, _id: { $in: [...ids] }, fingerprint: { $exists: true } })
    .toArray()
}

/** Messages that a mailbox received from one of the addresses since the message id `from`, oldest first, at most `limit`. */
export function findReceivedFrom(
  store: Store,
  {
    mailboxId,
    addresses,
    from,
    limit,
  }: { mailboxId: string; addresses: readonly string[]; from: string; limit: number },
): Promise<MessageDoc[]> {
  return store.messages
    .find({
      mailboxId,
      _id: { $gte: from },
      'from.address': { $in: [...addresses] },
      fingerprint: { $exists: true },
    })
    .sort({ mailboxId: 1, _id: 1 })
    .limit(limit)
    .toArray()
}
