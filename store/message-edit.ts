/**
 * The change or deletion of one message, in one command: reservation, message and change note go together. Invariants are
 * those of store/message-edits.ts. What is derived is left to the caller, who has the reservation's ends to close when it is
 * done: a reservation that stays open tells the sweep which threads to derive.
 */
import { newToken } from '../schemas/ids.ts'
import { blobInDoubt } from './blobs.ts'
import {
  closeTogether,
  holding,
  type Numbers,
  type ReservationEnd,
  reservationIn,
  reserve,
  reservingExactly,
  type UidClaim,
} from './folders.ts'
import { claimsOf, type EditableMessage, endsOf, type MessageEdit, updateOf } from './message-edits.ts'
import type { Store } from './open.ts'
import { deleteIn, updateIn, type Write } from './writes.ts'

/** The message to change, in its folder; `note` is written with it. */
export type EditOfOne = {
  readonly mailboxId: string
  readonly folderId: string
  readonly message: EditableMessage
  readonly at: Date
  readonly note: Write
}

/** What came of a change: the modseq that the message has got, and the ends of its reservations. */
export type EditedMessage = { readonly modseq: number; readonly ends: readonly ReservationEnd[] }

/**
 * Changes a message. Returns null when the message is not as it was read, or a folder gives no reservation: then nothing was
 * changed. A move into a folder whose next UID is not known costs one command more.
 */
export async function editMessage(store: Store, change: EditOfOne, edit: MessageEdit): Promise<EditedMessage | null> {
  const { mailboxId, folderId, message } = change
  const token = newToken()
  const [here, target] = claimsOf({ mailboxId, folderId, messages: [message] }, edit).reverse()
  const claims = { token, here: here! }
  const { reserved, isMade, modseq } = await (target === undefined
    ? stay(store, change, edit, claims)
    : move(store, change, edit, { ...claims, target }))
  const ends = endsOf(reserved, token, change, edit, isMade ? [] : [message])
  if (isMade) return { modseq, ends }
  await closeTogether(store, ends)
  return null
}

/** The folders in which reservations were taken, and whether the message was changed, under which modseq. */
type Outcome = { readonly reserved: readonly string[]; readonly isMade: boolean; readonly modseq: number }
const nothingReserved: Outcome = { reserved: [], isMade: false, modseq: 0 }

async function stay(
  store: Store,
  change: EditOfOne,
  edit: MessageEdit,
  { token, here }: { token: string; here: UidClaim },
): Promise<Outcome> {
  const { folderId, message, at } = change
  const writes = (modseq: number) => editing(store, change, edit, { uid: message.uid, modseq })
  const modseq = store.nextModseq(at)
  const refused = await store.writeTogether([reservationIn(store, here, { token, at, modseq }), ...writes(modseq)])
  if (refused !== 0) return { reserved: [folderId], isMade: refused === null, modseq }
  // Another machine's clock is ahead, or changes of the folder have to wait: the folder says which.
  const asked = (await reserve(store, [here], { token, at })).get(folderId)
  if (asked === undefined) return nothingReserved
  const held = holding(store, here, token)
  const isMade = (await store.writeTogether([held, ...writes(asked.modseq)])) === null
  return { reserved: [folderId], isMade, modseq: asked.modseq }
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
  if (numbers === undefined) return nothingReserved
  store.uids.learn(into, numbers.uid + 1, at)
  const held = holding(store, target, token)
  const refused = await store.writeTogether([held, leaving, ...editing(store, change, edit, numbers)])
  const reserved = refused === 0 || refused === 1 ? [into] : [into, folderId]
  return { reserved, isMade: refused === null, modseq: numbers.modseq }
}

/** A reservation with known numbers counts no labels. */
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
 * Deletes a message for good. Returns the end of its reservation; null as `editMessage` does. The caller drops the user of its
 * blob.
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
  if (refused > 1) await closeTogether(store, endsOf([folderId], token, change, 'remove', [message]))
  return null
}
