/** Changes of one message: flags, labels, moves, its end. Each is one reservation in the folders it touches. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../../schemas/failures.ts'
import type { FolderDoc, MailboxDoc, MessageDoc } from '../../store/documents/mail.ts'
import { editMessages, type MessageEdit, removeMessages } from '../../store/message-edits.ts'
import type { Principal } from '../access/principal.ts'
import type { Context } from '../process/context.ts'
import { changeOf, placeIn } from './bulk-changes.ts'
import { folderIn } from './folders.ts'
import { labelsAfter } from './labels.ts'
import { type Message, messageOf, type Reached, reachMessage } from './messages.ts'

export type MessageChange = {
  readonly seen?: boolean
  readonly flagged?: boolean
  readonly answered?: boolean
  readonly folder?: string
  readonly addLabels?: readonly string[]
  readonly removeLabels?: readonly string[]
}

/** Somebody else may change the message between our read and our write; then it is read again, after a growing pause. */
const triesMax = 25
const pauseMs = 5

/** Changes flags and labels, and moves. Returns the message as it then is. Fails with `not_found`, `agent_inbox_only`, `conflict`. */
export function changeMessage(
  ctx: Context,
  principal: Principal,
  { address, messageId, ...change }: { address: string; messageId: string } & MessageChange,
): Promise<Message> {
  return changing(ctx, principal, { address, messageId }, async (reached) => {
    const { message, folder, folders } = reached
    const target = change.folder === undefined ? folder : folderIn(folders, change.folder)
    const edit = editOf(reached, change, target, ctx.clock.now())
    return edited(ctx, message, folder, { edit, target })
  })
}

/** To Trash, or gone for good. A message in Trash that is deleted again is gone. */
export function deleteMessage(
  ctx: Context,
  principal: Principal,
  { address, messageId, permanent = false }: { address: string; messageId: string; permanent?: boolean },
): Promise<{ deleted: true; folder: string | null }> {
  return changing(ctx, principal, { address, messageId }, async ({ message, folder, folders }) => {
    if (permanent || folder.role === 'trash') {
      const { size } = await removeMessages(ctx.store, changeOf(ctx, folder, [message]))
      return size === 0 ? null : { deleted: true as const, folder: null }
    }
    const target = folderIn(folders, 'trash')
    const edit = { to: placeIn(target, folder, ctx.clock.now()) }
    const moved = await edited(ctx, message, folder, { edit, target })
    return moved === null ? null : { deleted: true as const, folder: target.path }
  })
}

/** From Trash back to where it was deleted from, INBOX if that is gone. A message that is not in Trash stays where it is. */
export function restoreMessage(
  ctx: Context,
  principal: Principal,
  { address, messageId }: { address: string; messageId: string },
): Promise<Message> {
  return changing(ctx, principal, { address, messageId }, async ({ message, folder, folders }) => {
    if (folder.role !== 'trash') return messageOf(message, folder.path)
    const target = folders.find(({ _id }) => _id === message.deletedFrom) ?? folderIn(folders, 'inbox')
    return edited(ctx, message, folder, { edit: { to: placeIn(target, folder, ctx.clock.now()) }, target })
  })
}

/** Does `once` with the message as it is, until nobody else changed it meanwhile (null says so). */
async function changing<T>(
  ctx: Context,
  principal: Principal,
  { address, messageId }: { address: string; messageId: string },
  once: (reached: Reached) => Promise<T | null>,
): Promise<T> {
  for (let tries = 0; tries < triesMax; tries++) {
    const reached = await reachMessage(ctx, principal, { address, messageId })
    const done = await once(reached)
    if (done !== null) {
      ctx.changes.publish({ kind: 'folders', mailboxId: reached.mailbox._id, messageIds: [messageId] })
      return done
    }
    await sleep(Math.random() * pauseMs * (tries + 1))
  }
  throw new Failure('conflict', 'The message is being changed by somebody else.')
}

/** The message after an edit; null when it was another before. */
async function edited(
  ctx: Context,
  message: MessageDoc,
  folder: FolderDoc,
  { edit, target }: { edit: MessageEdit; target: FolderDoc },
): Promise<Message | null> {
  const changed =
    Object.keys(edit).length === 0 ||
    (await editMessages(ctx.store, changeOf(ctx, folder, [message]), edit)).has(message._id)
  const { to: _to, ...flags } = edit
  return changed ? messageOf({ ...message, ...flags }, target.path) : null
}

/** What of a change is not so already. */
function editOf(
  { mailbox, message, folder, folders }: Reached,
  change: MessageChange,
  target: FolderDoc,
  at: Date,
): MessageEdit {
  const { seen = message.seen, flagged = message.flagged, answered = message.answered } = change
  const labels = labelsOf(mailbox, message, folders, change)
  return {
    ...(seen !== message.seen && { seen }),
    ...(flagged !== message.flagged && { flagged }),
    ...(answered !== message.answered && { answered }),
    ...(labels !== null && { labels }),
    ...(target._id !== folder._id && { to: placeIn(target, folder, at) }),
  }
}

function labelsOf(
  mailbox: MailboxDoc,
  { labels: before = [] }: MessageDoc,
  folders: readonly FolderDoc[],
  { addLabels, removeLabels }: MessageChange,
): readonly string[] | null {
  if (addLabels === undefined && removeLabels === undefined) return null
  const labels = labelsAfter(mailbox, folders, { before, add: addLabels ?? [], remove: removeLabels ?? [] })
  return labels.length === before.length && labels.every((label) => before.includes(label)) ? null : labels
}
