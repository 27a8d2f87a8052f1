/** Changes of one message: flags, labels, moves, deletion. Each is one reservation in the folders concerned. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../../schemas/failures.ts'
import type { FolderDoc, MailboxDoc, MessageDoc } from '../../store/documents/mail.ts'
import { editMessages, type MessageEdit, removeMessages } from '../../store/message-edits.ts'
import type { Principal } from '../access/principal.ts'
import type { Context } from '../process/context.ts'
import { changeOf, moveEdit } from './bulk-changes.ts'
import { folderIn } from './folders.ts'
import { labelsAfter } from './labels.ts'
import { type Message, messageOf, type ReachedMessage, reachMessage } from './messages.ts'

export type MessageChange = {
  readonly seen?: boolean
  readonly flagged?: boolean
  readonly answered?: boolean
  readonly folder?: string
  readonly addLabels?: readonly string[]
  readonly removeLabels?: readonly string[]
}

/** How often a change is tried when the message changed between our read and our write; the pause grows with each try. */
const triesMax = 25
const pauseMs = 5

/**
 * Changes flags and labels, and moves the message. Returns the message after the change. Fails with
 * `mailbox_not_found`, `not_found`, `agent_inbox_only`, `validation_error`, `conflict`.
 */
export function changeMessage(
  ctx: Context,
  principal: Principal,
  { address, messageId, ...change }: { address: string; messageId: string } & MessageChange,
): Promise<Message> {
  return retryOnConflict(ctx, principal, { address, messageId }, async (reached) => {
    const { message, folder, folders } = reached
    const target = change.folder === undefined ? folder : folderIn(folders, change.folder)
    const edit = editOf(reached, change, target, ctx.clock.now())
    return writeEdit(ctx, message, folder, { edit, target })
  })
}

/**
 * Moves a message to Trash, or deletes it permanently when `permanent` is set or it is in Trash already. Fails with
 * `mailbox_not_found`, `not_found`, `conflict`.
 */
export function deleteMessage(
  ctx: Context,
  principal: Principal,
  { address, messageId, permanent = false }: { address: string; messageId: string; permanent?: boolean },
): Promise<{ deleted: true; folder: string | null }> {
  return retryOnConflict(ctx, principal, { address, messageId }, async ({ message, folder, folders }) => {
    if (permanent || folder.role === 'trash') {
      const { size } = await removeMessages(ctx.store, changeOf(ctx, folder, [message]))
      return size === 0 ? null : { deleted: true as const, folder: null }
    }
    const target = folderIn(folders, 'trash')
    const edit = { to: moveEdit(target, folder, ctx.clock.now()) }
    const moved = await writeEdit(ctx, message, folder, { edit, target })
    return moved === null ? null : { deleted: true as const, folder: target.path }
  })
}

/**
 * Moves a message from Trash back to the folder it was deleted from, or to INBOX when that is gone. A message that is
 * not in Trash stays where it is. Fails with `mailbox_not_found`, `not_found`, `conflict`.
 */
export function restoreMessage(
  ctx: Context,
  principal: Principal,
  { address, messageId }: { address: string; messageId: string },
): Promise<Message> {
  return retryOnConflict(ctx, principal, { address, messageId }, async ({ message, folder, folders }) => {
    if (folder.role !== 'trash') return messageOf(message, folder.path)
    const target = folders.find(({ _id }) => _id === message.deletedFrom) ?? folderIn(folders, 'inbox')
    return writeEdit(ctx, message, folder, { edit: { to: moveEdit(target, folder, ctx.clock.now()) }, target })
  })
}

/**
 * Runs `attempt` on the current message, and again while it returns null because the message changed meanwhile. Fails
 * with `conflict` when that happens too often.
 */
async function retryOnConflict<T>(
  ctx: Context,
  principal: Principal,
  { address, messageId }: { address: string; messageId: string },
  attempt: (reached: ReachedMessage) => Promise<T | null>,
): Promise<T> {
  for (let tries = 0; tries < triesMax; tries++) {
    const reached = await reachMessage(ctx, principal, { address, messageId })
    const done = await attempt(reached)
    if (done !== null) {
      ctx.changes.publish({ kind: 'folders', mailboxId: reached.mailbox._id, messageIds: [messageId] })
      return done
    }
    await sleep(Math.random() * pauseMs * (tries + 1))
  }
  throw new Failure('conflict', 'The message is being changed by another request.', {
    fix: 'Repeat the request.',
  })
}

/** Writes an edit. Returns the message after it; null when the message changed since it was read. */
async function writeEdit(
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

/** The part of a change that differs from the message as it is. */
function editOf(
  { mailbox, message, folder, folders }: ReachedMessage,
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
    ...(target._id !== folder._id && { to: moveEdit(target, folder, at) }),
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
