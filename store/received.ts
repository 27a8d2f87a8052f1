/**
 * Reads received messages in the order of their ids, which is the order of arrival. Exactly the received messages have a
 * fingerprint.
 */
import type { MessageDoc } from './documents/mail.ts'
import type { Store } from './open.ts'
import { readMany } from './reads.ts'

/** Selects at most `limit` ids of a mailbox's messages, from the id `from` on. */
type IdRange = { readonly mailboxId: string; readonly from: string; readonly limit: number }

/** The ids of a mailbox's newest messages, newest first, down to the id `from`. */
export const findNewestIds = (store: Store, range: IdRange) => findIds(store, range, -1)

/** The ids of a mailbox's messages from the id `from` on, oldest first. */
export const findIdsFrom = (store: Store, range: IdRange) => findIds(store, range, 1)

async function findIds(store: Store, { mailboxId, from, limit }: IdRange, order: 1 | -1): Promise<readonly string[]> {
  const sort = { mailboxId: order, _id: order }
  const filter = { mailboxId, _id: { $gte: from } }
  const found = await readMany(store, 'messages', filter, { projection: { _id: 1 }, sort, limit })
  return found.map(({ _id }) => _id)
}

/** Messages that a mailbox received, oldest first, starting at the id `from`. */
export function findReceivedSince(
  store: Store,
  { mailboxId, from, limit }: { mailboxId: string; from: string; limit: number },
): Promise<MessageDoc[]> {
  return readMany(
    store,
    'messages',
    { mailboxId, _id: { $gte: from }, fingerprint: { $exists: true } },
    { sort: { mailboxId: 1, _id: 1 }, limit },
  )
}

/** Identifies a received message and its state. */
export type ReceivedMark = Pick<MessageDoc, '_id' | 'mailboxId' | 'modseq'>

type Arriving = { readonly mailboxId: string; readonly from: string }

const marks = { projection: { mailboxId: 1, modseq: 1 } } as const
const arriving = ({ mailboxId, from }: Arriving) => ({ mailboxId, _id: { $gte: from }, fingerprint: { $exists: true } })

/** The newest messages that a mailbox received, newest first, down to the id `from`. */
export function findNewestReceived(store: Store, since: Arriving, limit: number): Promise<ReceivedMark[]> {
  return readMany<'messages', ReceivedMark>(store, 'messages', arriving(since), {
    ...marks,
    sort: { mailboxId: -1, _id: -1 },
    limit,
  })
}

/** The messages that mailboxes received, each from its id `from` on, in no particular order. */
export function findReceivedMarks(store: Store, since: readonly Arriving[], limit: number): Promise<ReceivedMark[]> {
  return readMany<'messages', ReceivedMark>(store, 'messages', { $or: since.map(arriving) }, { ...marks, limit })
}

/** Those of the messages `ids` that one of these mailboxes received. */
export function findReceivedIn(
  store: Store,
  { mailboxIds, ids }: { mailboxIds: readonly string[]; ids: readonly string[] },
): Promise<MessageDoc[]> {
  return readMany(store, 'messages', {
    mailboxId: { $in: [...mailboxIds] },
    _id: { $in: [...ids] },
    fingerprint: { $exists: true },
  })
}

/** Messages that a mailbox received from one of these addresses, from the message id `from` on, oldest first, at most `limit`. */
export function findReceivedFrom(
  store: Store,
  {
    mailboxId,
    addresses,
    from,
    limit,
  }: { mailboxId: string; addresses: readonly string[]; from: string; limit: number },
): Promise<MessageDoc[]> {
  return readMany(
    store,
    'messages',
    {
      mailboxId,
      _id: { $gte: from },
      'from.address': { $in: [...addresses] },
      fingerprint: { $exists: true },
    },
    { sort: { mailboxId: 1, _id: 1 }, limit },
  )
}

/** Messages that these mailboxes received, from the id `from` on, in no particular order. */
export function findReceivedByAll(
  store: Store,
  { mailboxIds, from, limit }: { mailboxIds: readonly string[]; from: string; limit: number },
): Promise<MessageDoc[]> {
  return readMany(
    store,
    'messages',
    { mailboxId: { $in: [...mailboxIds] }, _id: { $gte: from }, fingerprint: { $exists: true } },
    { limit },
  )
}
