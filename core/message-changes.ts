/** Flags, labels and moves, and the ends of messages: each change is one reservation in the folders it touches. */
import { Failure } from '../schemas/failures.ts'
import { countBlobUsers, removeUnusedBlobs } from '../store/blobs.ts'
import type { FolderDoc, MailboxDoc, MessageDoc } from '../store/documents/mail.ts'
import * as store from '../store/messages.ts'
import type { Context } from './context.ts'
import { getFolder } from './folders.ts'
import { type Message, messageOf, reachMessage } from './messages.ts'
import type { Principal } from './principal.ts'

export type MessageChange = {
  readonly seen?: boolean
  readonly flagged?: boolean
  readonly answered?: boolean
  readonly folder?: string
  readonly addLabels?: readonly string[]
  readonly removeLabels?: readonly string[]
}

const labelsMax = 50
/** Another session may change the message between our read and our write; then it is read again. */
const triesMax = 5

/** Changes flags and labels, and moves. Answers the message as it then is. */
export async function changeMessage(
  ctx: Context,
  principal: Principal,
  { address, messageId, ...change }: { address: string; messageId: string } & MessageChange,
): Promise<Message> {
  for (let tries = 0; tries < triesMax; tries++) {
    const { mailbox, message, folder } = await reachMessage(ctx, principal, { address, messageId })
    const changed = await changeOnce(ctx, mailbox, { message, folder, change })
    if (changed === null) continue
    ctx.changes.publish({ kind: 'folders', mailboxId: mailbox._id })
    return messageOf(changed.message, changed.folder.path)
  }
  throw new Failure('conflict', 'The message is being changed by somebody else.')
}

/** To Trash, or gone for good. A message in Trash that is deleted again is gone. */
export async function deleteMessage(
  ctx: Context,
  principal: Principal,
  { address, messageId, permanent = false }: { address: string; messageId: string; permanent?: boolean },
): Promise<{ deleted: true; folder: string | null }> {
  for (let tries = 0; tries < triesMax; tries++) {
    const { mailbox, message, folder } = await reachMessage(ctx, principal, { address, messageId })
    const at = ctx.clock.now()
    if (permanent || folder.role === 'trash') {
      if (!(await store.removeMessage(ctx.store, message, at))) continue
      await releaseBlob(ctx, message)
      return { deleted: true, folder: null }
    }
    const trash = await getFolder(ctx, mailbox._id, 'trash')
    if ((await store.moveMessage(ctx.store, message, { to: trash, deletedFrom: folder._id, at })) !== null)
      return { deleted: true, folder: trash.path }
  }
  throw new Failure('conflict', 'The message is being changed by somebody else.')
}

/** A message uses its blob no more; the last one takes it along. */
export async function releaseBlob(ctx: Context, message: MessageDoc): Promise<void> {
  await countBlobUsers(ctx.store, message.blob.id, -1)
  await removeUnusedBlobs(ctx.store, [message.blob])
}

async function changeOnce(
  ctx: Context,
  mailbox: MailboxDoc,
  { message, folder, change }: { message: MessageDoc; folder: FolderDoc; change: MessageChange },
): Promise<{ message: MessageDoc; folder: FolderDoc } | null> {
  const at = ctx.clock.now()
  const labels = labelsAfter(mailbox, message.labels ?? [], change)
  const target = change.folder === undefined ? folder : await getFolder(ctx, mailbox._id, change.folder)
  const { seen, flagged, answered } = change
  const flags = {
    ...(seen !== undefined && { seen }),
    ...(flagged !== undefined && { flagged }),
    ...(answered !== undefined && { answered }),
    ...(labels !== null && { labels }),
  }
  const marked = Object.keys(flags).length === 0 ? message : await store.changeFlags(ctx.store, message, flags, at)
  if (marked === null || target._id === folder._id) return marked === null ? null : { message: marked, folder }
  const moved = await store.moveMessage(ctx.store, marked, {
    to: target,
    at,
    ...(target.role === 'trash' && { deletedFrom: folder._id }),
  })
  return moved === null ? null : { message: moved, folder: target }
}

function labelsAfter(
  mailbox: MailboxDoc,
  before: readonly string[],
  { addLabels, removeLabels }: MessageChange,
): readonly string[] | null {
  if (addLabels === undefined && removeLabels === undefined) return null
  if (mailbox.kind === 'person') throw new Failure('agent_inbox_only')
  const removed = new Set(removeLabels)
  const labels = [...new Set([...before, ...(addLabels ?? [])])].filter((label) => !removed.has(label))
  if (labels.length > labelsMax)
    throw new Failure('validation_error', `More than ${labelsMax} labels on one message.`, { param: 'addLabels' })
  return labels
}
