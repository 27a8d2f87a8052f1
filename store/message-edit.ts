/**
 * Changes or deletes one message in one command: reservation, message and change note are written together. The invariants are
 * those of store/message-edits.ts. The caller writes the derived documents and then closes the reservations, which are returned as
 * `ends`: a reservation that stays open tells the sweep which threads to derive.
 */
import { newToken } from '../schemas/ids.ts'
import { blobInDoubt } from './blobs.ts'
import {
  closeSoon,
  holding,
  type Numbers,
  type ReservationEnd,
  reservationIn,
  reserve,
  reservingExactly,
  type UidClaim,
} from './folders.ts'
import { claimsOf, type EditableMessage, endsOf, isOfThreads, type MessageEdit, updateOf } from './message-edits.ts'
import type { Store } from './open.ts'
import { flagsInThread } from './threads.ts'
import { deleteIn, updateIn, type Write } from './writes.ts'

/** A message to change in its folder. The change note `note` is written with the change. */
export type EditOfOne = {
  readonly mailboxId: string
  readonly folderId: string
  readonly message: EditableMessage
  readonly at: Date
  readonly note: Write
  /** The modseq up to which the caller knows every change of the folder; given if the caller wants `follows`. */
  readonly known?: number | undefined
}

/** The outcome of a change. */
export type EditedMessage = {
  /** Whether the message was changed; false if it differed from what was read. */
  readonly isMade: boolean
  /** The modseq of the change. */
  readonly modseq: number
  /** Whether nothing was written to the folder between `known` and this change. */
  readonly follows: boolean
  /** Whether the thread already shows the change. If not, it must be derived before the reservations are closed. */
  readonly isDerived: boolean
  /** The reservations to close, even if the message was not changed. */
  readonly ends: readonly ReservationEnd[]
}

/**
 * Changes a message. Returns null, having changed nothing, when a folder gives no reservation. A move into a folder whose next UID
 * is not known takes one more command.
 */
export async function editMessage(store: Store, change: EditOfOne, edit: MessageEdit): Promise<EditedMessage | null> {
  const { mailboxId, folderId, message } = change
  const token = newToken()
  const [here, target] = claimsOf({ mailboxId, folderId, messages: [message] }, edit).reverse()
  const claims = { token, here: here! }
  const outcome = await (target === undefined
    ? stay(store, change, edit, claims)
    : move(store, change, edit, { ...claims, target }))
  if (outcome === null) return null
  const { reserved, isMade, modseq, follows = false, isDerived = false } = outcome
  return { isMade, modseq, follows, isDerived, ends: endsOf(reserved, token, change, edit, isMade ? [] : [message]) }
}

/** The folders that gave a reservation, whether the message was changed, and the modseq of the change; null: a folder gave none. */
type Outcome = {
  readonly reserved: readonly string[]
  readonly isMade: boolean
  readonly modseq: number
  readonly follows?: boolean
  readonly isDerived?: boolean
} | null

async function stay(
  store: Store,
  change: EditOfOne,
  edit: MessageEdit,
  { token, here }: { token: string; here: UidClaim },
): Promise<Outcome> {
  const { folderId, message, at, known } = change
  const concernsThread = isOfThreads(edit)
  // If a list is not one commit, writes of another change may come between those of the message and of its thread.
  const inThread = concernsThread && store.listsAreWhole ? [flagsInThread(store, { ...message, ...edit })] : []
  /** Makes the change, unless `first` is refused; then returns null. */
  const make = async (first: Write, modseq: number): Promise<Outcome> => {
    const writes = [first, ...editing(store, change, edit, { uid: message.uid, modseq }), ...inThread]
    const { refused, unmatched } = await store.writeEach(writes)
    if (refused === 0) return null
    const isMade = refused === null && !unmatched.has(1)
    const isShown = inThread.length > 0 ? !unmatched.has(writes.length - 1) : !concernsThread
    return { reserved: [folderId], isMade, modseq, isDerived: isMade && isShown }
  }
  const reserving = (condition: { readonly known?: number }) => {
    const modseq = store.nextModseq(at)
    return make(reservationIn(store, here, { token, at, modseq, ...condition }), modseq)
  }
  const following = known === undefined ? null : await reserving({ known })
  if (following !== null) return { ...following, follows: true }
  // Reached if there is no `known`, or others have written to the folder since.
  const made = await reserving({})
  if (made !== null) return made
  // Either the folder has a higher modseq, from a machine whose clock is ahead, or a recount makes changes wait: `reserve` shows which.
  const asked = (await reserve(store, [here], { token, at })).get(folderId)
  return asked === undefined ? null : make(holding(store, here, token), asked.modseq)
}

async function move(
  store: Store,
  change: EditOfOne,
  edit: MessageEdit,
  { token, here, target }: { token: string; here: UidClaim; target: UidClaim },
): Promise<Outcome> {
  const { folderId, at } = change
  const into = target.folderId
  const leaving = reservationIn(store, here, { token, at })
  const uid = hasLabels(target) ? undefined : store.uids.take(into, 1)
  if (uid !== undefined) {
    const numbers = { uid, modseq: store.nextModseq(at) }
    const entering = reservingExactly(store, target, numbers, { token, at })
    const refused = await store
      .writeTogether([entering, leaving, ...editing(store, change, edit, numbers)])
      .catch((error: unknown) => {
        store.uids.forget(into, at)
        throw error
      })
    const reserved = refused === 1 ? [into] : [into, folderId]
    if (refused !== 0) return { reserved, isMade: refused === null, modseq: numbers.modseq }
    store.uids.forget(into, at)
  }
  const numbers = (await reserve(store, [target], { token, at })).get(into)
  if (numbers === undefined) return null
  store.uids.learn(into, numbers.uid + 1, at)
  const held = holding(store, target, token)
  const refused = await store.writeTogether([held, leaving, ...editing(store, change, edit, numbers)])
  const reserved = refused === 0 || refused === 1 ? [into] : [into, folderId]
  return { reserved, isMade: refused === null, modseq: numbers.modseq }
}

/** A reservation with known numbers cannot count labels. */
const hasLabels = ({ labels = {} }: UidClaim) => Object.keys(labels).length > 0

/** The writes of an edit, once its reservations are taken. */
function editing(
  store: Store,
  { mailboxId, folderId, message: { _id, modseq: before }, note }: EditOfOne,
  edit: MessageEdit,
  { uid, modseq }: Numbers,
): readonly Write[] {
  const update = updateOf(edit, modseq, uid)
  return [updateIn(store.messages, { mailboxId, _id, folderId, modseq: before }, update, { mustMatch: true }), note]
}

/**
 * Deletes a message permanently. Returns the end of its reservation; null when the folder gives no reservation, or the message differs
 * from what was read. The caller then removes the message from the users of its blob.
 */
export async function removeMessage(store: Store, change: EditOfOne): Promise<readonly ReservationEnd[] | null> {
  const { mailboxId, folderId, message, at, note } = change
  const token = newToken()
  const [claim] = claimsOf({ mailboxId, folderId, messages: [message] }, 'remove')
  const refused = await store.writeTogether([
    blobInDoubt(store, message.blob.id, at),
    reservationIn(store, claim!, { token, at }),
    deleteIn(store.messages, { mailboxId, _id: message._id, folderId, modseq: message.modseq }),
    note,
  ])
  if (refused === null) return endsOf([folderId], token, change, 'remove', [])
  if (refused > 1) await closeSoon(store, endsOf([folderId], token, change, 'remove', [message]))
  return null
}
