/**
 * Contacts: the addresses that mailboxes exchanged mail with. The counts are exact because each contact records what it has
 * counted. `seqs` holds, by account, the number of the last event that `received` includes (events are applied in order, see
 * core/receive/received-counts.ts): a mailbox that moves to another account gets events of both, and each account numbers its
 * own. `sends` lists the last sends that `sent` includes. Applying an event or a send twice changes nothing.
 */
import type { Document, Filter } from 'mongodb'
import type { ContactDoc, Letter } from './documents/mail.ts'
import type { Store } from './open.ts'
import { readMany } from './reads.ts'
import { updateIn, writeAll } from './writes.ts'

/**
 * How many sends a contact remembers. A send may be settled again after it was counted; far fewer are in progress at a time.
 */
const sendsKept = 64
/** How many of the messages that were really written by it a contact remembers. */
const lettersKept = 16
/** The most contacts that one search by prefix returns. */
export const matchesMax = 1_000

/** What a message says about one contact of a mailbox. */
export type ContactUpdate = {
  readonly accountId: string
  readonly mailboxId: string
  readonly address: string
  /** '' when the message gives no name: the contact then keeps its name. */
  readonly name: string
  /** The search terms in lower case: the words of the name, and the address. */
  readonly words: readonly string[]
  readonly at: Date
}

export type ReceivedFrom = ContactUpdate & {
  /** The numbers of the events of its messages. */
  readonly seqs: readonly number[]
  /** Those of its messages that were really written by it. */
  readonly authentic: readonly Letter[]
}

/** Counts received messages: one for each event number above the last one that the contact counted. */
export async function countReceivedFrom(store: Store, seen: readonly ReceivedFrom[]): Promise<void> {
  await upsert(
    store,
    seen.map((each) => {
      const field = `seqs.${each.accountId}`
      const counted = { $ifNull: [`$${field}`, { $ifNull: ['$seq', 0] }] }
      const unseen = { $filter: { input: each.seqs, as: 'seq', cond: { $gt: ['$$seq', counted] } } }
      return {
        filter: { mailboxId: each.mailboxId, _id: contactId(each) },
        set: {
          ...describe(each),
          received: { $add: [{ $ifNull: ['$received', 0] }, { $size: unseen }] },
          sent: { $ifNull: ['$sent', 0] },
          [field]: { $max: [counted, ...each.seqs] },
          ...(each.authentic.length > 0 && { authentic: withLatest('$authentic', each.authentic, lettersKept) }),
        },
      }
    }),
  )
}

/** Counts sends, each once per contact. */
export async function countSent(
  store: Store,
  seen: readonly (ContactUpdate & { readonly emailId: string })[],
): Promise<void> {
  await upsert(
    store,
    seen.map(({ emailId, ...each }) => ({
      filter: { mailboxId: each.mailboxId, _id: contactId(each), sends: { $ne: emailId } },
      set: {
        ...describe(each),
        sent: { $add: [{ $ifNull: ['$sent', 0] }, 1] },
        received: { $ifNull: ['$received', 0] },
        sends: withLatest('$sends', [emailId], sendsKept),
      },
    })),
  )
}

/**
 * Records that a mailbox sends an automatic reply to the contact that wrote a message. Returns false, and the reply must not be sent, when
 * the contact received one to another message after `since`.
 */
export async function takeAutoReply(
  store: Store,
  seen: ContactUpdate,
  { messageId, since }: { readonly messageId: string; readonly since: Date },
): Promise<boolean> {
  const isFree = [
    { autoReply: { $exists: false } },
    { 'autoReply.at': { $lte: since } },
    { 'autoReply.messageId': messageId },
  ]
  return upsert(store, [
    {
      filter: { mailboxId: seen.mailboxId, _id: contactId(seen), $or: isFree },
      set: {
        ...describe(seen),
        received: { $ifNull: ['$received', 0] },
        sent: { $ifNull: ['$sent', 0] },
        autoReply: { at: seen.at, messageId },
      },
    },
  ])
}

/** The contacts of a mailbox that have one of these addresses. */
export function findContacts(store: Store, mailboxId: string, addresses: readonly string[]): Promise<ContactDoc[]> {
  const ids = addresses.map((address) => contactId({ mailboxId, address }))
  return readMany(store, 'contacts', { mailboxId, _id: { $in: ids } })
}

/** The ids, among these, of contacts from whom mail was received. */
export async function findCorrespondents(store: Store, ids: readonly string[]): Promise<string[]> {
  const mailboxIds = [...new Set(ids.map((id) => id.slice(0, id.indexOf(':'))))]
  const found = await readMany(
    store,
    'contacts',
    { mailboxId: { $in: mailboxIds }, _id: { $in: [...ids] } },
    { projection: { received: 1 } },
  )
  return found.filter(({ received }) => received > 0).map(({ _id }) => _id)
}

/** A position in the list of contacts: the `lastSeenAt` and the id of a contact. */
export type ContactCursor = { readonly at: Date; readonly id: string }

/** Contacts of a mailbox, the most recently seen first, starting after the position `before`. */
export function listContacts(
  store: Store,
  { mailboxId, before, limit }: { mailboxId: string; before: ContactCursor | null; limit: number },
): Promise<ContactDoc[]> {
  return readMany(
    store,
    'contacts',
    { mailboxId, ...olderThan(before) },
    { sort: { mailboxId: -1, lastSeenAt: -1, _id: -1 }, limit },
  )
}

/** Contacts of a mailbox with a word that begins with `beginning` (lower case): at most `matchesMax`, in no order. */
export async function matchContacts(
  store: Store,
  { mailboxId, beginning }: { mailboxId: string; beginning: string },
): Promise<ContactDoc[]> {
  return (
    store.contacts
      // With $elemMatch both bounds must hold for the same word. Without it, different words could satisfy them, and the index would
      // serve only one bound.
      .find({ mailboxId, words: { $elemMatch: { $gte: beginning, $lt: `${beginning}\u{10ffff}` } } })
      .limit(matchesMax)
      .toArray()
  )
}

/** The id of a contact: one per mailbox and address. */
export function contactId({ mailboxId, address }: Pick<ContactUpdate, 'mailboxId' | 'address'>): string {
  return `${mailboxId}:${address}`
}

function olderThan(before: ContactCursor | null): Filter<ContactDoc> {
  if (before === null) return {}
  const { at, id } = before
  return { lastSeenAt: { $lte: at }, $or: [{ lastSeenAt: { $lt: at } }, { _id: { $lt: id } }] }
}

/**
 * The fields that every update sets. Text from mail is a $literal, because a leading "$" would make it an expression.
 */
function describe({ accountId, address, name, words, at }: ContactUpdate): Document {
  const named = name !== ''
  return {
    accountId,
    address: { $literal: address },
    lastSeenAt: { $max: ['$lastSeenAt', at] },
    name: named ? { $literal: name } : { $ifNull: ['$name', ''] },
    words: named ? { $literal: words } : { $ifNull: ['$words', { $literal: words }] },
  }
}

/** The last `max` of the values of a field followed by the added values, each once. */
function withLatest(field: string, added: readonly (string | Letter)[], max: number): Document {
  const kept = { $ifNull: [field, []] }
  return { $slice: [{ $concatArrays: [kept, { $setDifference: [added, kept] }] }, -max] }
}

type Upsert = { readonly filter: Filter<ContactDoc>; readonly set: Document }

/**
 * Updates or creates contacts. A contact that already counted the send, or already had its reply, does not match the filter; the
 * upsert then tries an insert, which is refused as a duplicate, and nothing is left to do. Returns whether all were updated.
 */
async function upsert(store: Store, upserts: readonly Upsert[]): Promise<boolean> {
  const writes = upserts.map(({ filter, set }) => updateIn(store.contacts, filter, [{ $set: set }], { upsert: true }))
  const refused = await writeAll(store, writes)
  // When two processes insert the same contact at once, one insert is refused as a duplicate; the second try then updates the
  // contact.
  const refusedAgain = await writeAll(
    store,
    refused.map((n) => writes[n]!),
  )
  return refusedAgain.length === 0
}
