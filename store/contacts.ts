/**
 * Whom mailboxes wrote with. Counts are exact because each says how far it counted: `seq` is the number of the last event
 * of the account that is in `received` (events are applied in order, see core/receive/received-counts.ts), and `sends` names the last sends
 * that are in `sent`. Applying anything twice changes nothing.
 */
import type { Document, Filter } from 'mongodb'
import type { ContactDoc } from './documents/mail.ts'
import { onlyDuplicates, type Store } from './open.ts'

/** Sends to one address that may be settled again after they were counted: far more than are ever under way. */
const sendsKept = 64
/** A beginning that more contacts share shows only so many of them. */
export const matchesMax = 1_000

/** What one contact of a mailbox gained. */
export type ContactUpdate = {
  readonly accountId: string
  readonly mailboxId: string
  readonly address: string
  /** '' when none was given: the name from before stays. */
  readonly name: string
  /** Lower-case beginnings under which it is found: the words of its name, and the address. */
  readonly words: readonly string[]
  readonly at: Date
}

/** Counts received messages: one per event number that the contact has not seen yet. */
export async function countReceived(
  store: Store,
  seen: readonly (ContactUpdate & { readonly seqs: readonly number[] })[],
): Promise<void> {
  await upsert(
    store,
    seen.map((each) => {
      const last = Math.max(...each.seqs)
      const unseen = { $filter: { input: each.seqs, as: 'seq', cond: { $gt: ['$$seq', { $ifNull: ['$seq', 0] }] } } }
      return {
        filter: { _id: contactId(each) },
        set: {
          ...describe(each),
          received: { $add: [{ $ifNull: ['$received', 0] }, { $size: unseen }] },
          sent: { $ifNull: ['$sent', 0] },
          seq: { $max: ['$seq', last] },
        },
      }
    }),
  )
}

/** Counts sends: one for each contact and send. */
export async function countSent(
  store: Store,
  seen: readonly (ContactUpdate & { readonly emailId: string })[],
): Promise<void> {
  await upsert(
    store,
    seen.map(({ emailId, ...each }) => ({
      filter: { _id: contactId(each), sends: { $ne: emailId } },
      set: {
        ...describe(each),
        sent: { $add: [{ $ifNull: ['$sent', 0] }, 1] },
        received: { $ifNull: ['$received', 0] },
        sends: { $slice: [{ $concatArrays: [{ $ifNull: ['$sends', []] }, [emailId]] }, -sendsKept] },
      },
    })),
  )
}

/** Those of the addresses that a mailbox wrote with before. */
export function findContacts(store: Store, mailboxId: string, addresses: readonly string[]): Promise<ContactDoc[]> {
  const ids = addresses.map((address) => contactId({ mailboxId, address }))
  return store.contacts.find({ _id: { $in: ids } }).toArray()
}

/** Those of the contacts (by id) from whom mail came before. */
export async function findCorrespondents(store: Store, ids: readonly string[]): Promise<string[]> {
  const found = await store.contacts.find({ _id: { $in: [...ids] } }, { projection: { received: 1 } }).toArray()
  return found.filter(({ received }) => received > 0).map(({ _id }) => _id)
}

export type ContactCursor = { readonly at: Date; readonly id: string }

/** Contacts of a mailbox, last seen first, those behind `before`. */
export function listContacts(
  store: Store,
  { mailboxId, before, limit }: { mailboxId: string; before: ContactCursor | null; limit: number },
): Promise<ContactDoc[]> {
  return store.contacts
    .find({ mailboxId, ...behind(before) })
    .sort({ mailboxId: -1, lastSeenAt: -1, _id: -1 })
    .limit(limit)
    .toArray()
}

/** Contacts of a mailbox of which a word begins with `beginning` (lower-case), at most `matchesMax`, in no order. */
export async function matchContacts(
  store: Store,
  { mailboxId, beginning }: { mailboxId: string; beginning: string },
): Promise<ContactDoc[]> {
  return (
    store.contacts
      // Of one and the same word: without $elemMatch each bound could be met by another one, and the index serves only one.
      .find({ mailboxId, words: { $elemMatch: { $gte: beginning, $lt: `${beginning}\u{10ffff}` } } })
      .limit(matchesMax)
      .toArray()
  )
}

/** The id of a contact: one per mailbox and address. */
export function contactId({ mailboxId, address }: Pick<ContactUpdate, 'mailboxId' | 'address'>): string {
  return `${mailboxId}:${address}`
}

function behind(before: ContactCursor | null): Filter<ContactDoc> {
  if (before === null) return {}
  const { at, id } = before
  return { lastSeenAt: { $lte: at }, $or: [{ lastSeenAt: { $lt: at } }, { _id: { $lt: id } }] }
}

/** Texts of strangers are literals: one that begins with "$" would be an expression. */
function describe({ accountId, mailboxId, address, name, words, at }: ContactUpdate): Document {
  const named = name !== ''
  return {
    accountId,
    mailboxId,
    address: { $literal: address },
    lastSeenAt: { $max: ['$lastSeenAt', at] },
    name: named ? { $literal: name } : { $ifNull: ['$name', ''] },
    words: named ? { $literal: words } : { $ifNull: ['$words', { $literal: words }] },
  }
}

type Upsert = { readonly filter: Filter<ContactDoc>; readonly set: Document }

/** A contact that has counted it does not match its filter: the insert is then refused, which says that all is done. */
async function upsert(store: Store, upserts: readonly Upsert[]): Promise<void> {
  if (upserts.length === 0) return
  const operations = upserts.map(({ filter, set }) => ({
    updateOne: { filter, update: [{ $set: set }], upsert: true },
  }))
  // Two who insert one contact at once are in each other's way: the second look finds it there.
  for (let tries = 0; tries < 2; tries++) {
    try {
      await store.contacts.bulkWrite(operations, { ordered: false })
      return
    } catch (error) {
      if (!onlyDuplicates(error)) throw error
    }
  }
}
