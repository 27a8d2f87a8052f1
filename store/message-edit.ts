/**
 * The change or deletion of one message, in one command: reservation, message and change note go together. Invariants are
 * those of store/message-edits.ts. What is derived is left to the caller, who has the reservation's ends to close when it is
 * done: a reservation that stays open tells the sweep which threads to derive.
 */
import { newToken } from '../schemas/ids.ts'
import { blobInDoubt } from './blobs.ts'
import { closeTogether, type ReservationEnd, reservationIn, reserve } from './folders.ts'
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

/**
 * Changes a message. Returns the ends of its reservations. Null when the message is not as it was read, or a folder gives no
 * reservation: then nothing was changed. A move costs one command more, which asks for the UID.
 */
export async function editMessage(
  store: Store,
  change: EditOfOne,
  edit: MessageEdit,
): Promise<readonly ReservationEnd[] | null> {
  const { mailboxId, folderId, message, at, note } = change
  const token = newToken()
  const [here, target] = claimsOf({ mailboxId, folderId, messages: [message] }, edit).reverse()
  const taken = target === undefined ? null : await reserve(store, [target], { token, at })
  const into = taken?.get(target!.folderId)
  if (taken !== null && into === undefined) return null
  const endsIn = (folderIds: readonly string[], missed: readonly EditableMessage[]) =>
    endsOf(folderIds, token, change, edit, missed)
  const moved = into === undefined ? [] : [into.folderId]
  const writesOf = (modseq: number) => [
    updateIn(
      store.messages,
      { mailboxId, _id: message._id, folderId, modseq: message.modseq },
      updateOf(edit, modseq, into?.uid ?? message.uid),
      { mustMatch: true },
    ),
    note,
  ]
  const modseq = into?.modseq ?? store.nextModseq(at)
  const reservation = reservationIn(store, here!, { token, at, ...(into === undefined && { modseq }) })
  let refused = await store.writeTogether([reservation, ...writesOf(modseq)])
  if (refused === 0) {
    // Another machine's clock is ahead, or changes of the folder have to wait: the folder says which.
    const asked = into === undefined ? (await reserve(store, [here!], { token, at })).get(folderId) : undefined
    if (asked === undefined) {
      await closeTogether(store, endsIn(moved, [message]))
      return null
    }
    refused = await store.writeTogether(writesOf(asked.modseq))
  }
  const folderIds = [...moved, folderId]
  if (refused === null) return endsIn(folderIds, [])
  await closeTogether(store, endsIn(folderIds, [message]))
  return null
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
