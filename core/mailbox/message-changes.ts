/** Changes one message: flags, labels, moves, deletion. Each change is one reservation in the folders concerned. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../../schemas/failures.ts'
import { type DroppedBlobUsers, releaseBlobs } from '../../store/blobs.ts'
import type { MailboxDoc, MessageDoc } from '../../store/documents/mail.ts'
import { closeSoon, findFolders, type ReservationEnd } from '../../store/folders.ts'
import * as store from '../../store/message-edit.ts'
import type { EditableMessage, MessageEdit } from '../../store/message-edits.ts'
import type { Principal } from '../access/principal.ts'
import type { Context } from '../process/context.ts'
import { createGroupCommit } from '../process/group-commit.ts'
import { perProcess } from '../process/per-process.ts'
import { type BeforeRemoval, moveEdit } from './bulk-changes.ts'
import { folderIn, folderNamed, getFolder } from './folders.ts'
import { forgetFolders, type KnownFolder } from './known-folders.ts'
import { labelsAfter } from './labels.ts'
import { type Message, messageOf, type ReachedMessage, reachMessage } from './messages.ts'
import { threadDeriver } from './threading.ts'

export type MessageChange = {
  readonly seen?: boolean
  readonly flagged?: boolean
  readonly answered?: boolean
  readonly folder?: string
  readonly addLabels?: readonly string[]
  readonly removeLabels?: readonly string[]
}

/** Most attempts at a change when the message changes between our read and our write; the pause grows with each attempt. */
const triesMax = 25
const pauseMs = 5

/** Most deletions whose blobs are released in one group. */
const groupMax = 100
const blobDrops = perProcess(({ store }) =>
  createGroupCommit<DroppedBlobUsers>(groupMax, async (drops) => {
    await releaseBlobs(store, drops)
    return []
  }),
)

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
    const { message, folder } = reached
    const target = change.folder === undefined ? folder : await targetOf(ctx, folder, change.folder)
    const edit = await editOf(ctx, reached, change, target)
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
  before: BeforeRemoval | null = null,
): Promise<{ deleted: true; folder: string | null }> {
  return retryOnConflict(ctx, principal, { address, messageId }, async ({ message, folder, folders }) => {
    if (permanent || folder.role === 'trash') {
      await before?.([message])
      const ends = await store.removeMessage(ctx.store, editOfOne(ctx, folder, message, { leaves: true }))
      if (ends === null) return null
      await derive(ctx, message, { ends, isGone: true })
      return { deleted: true as const, folder: null }
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
 * Runs `attempt` on the current message, and repeats it while it returns null because the message changed meanwhile.
 * Fails with `conflict` when that happens too often.
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
    if (done !== null) return done
    forgetFolders(ctx, reached.mailbox._id)
    await sleep(Math.random() * pauseMs * (tries + 1))
  }
  throw new Failure('conflict', 'The message is being changed by another request.', {
    fix: 'Repeat the request.',
  })
}

/** Writes an edit. Returns the edited message; null when the message has changed since it was read. */
async function writeEdit(
  ctx: Context,
  message: MessageDoc,
  folder: KnownFolder,
  { edit, target }: { edit: MessageEdit; target: KnownFolder },
): Promise<Message | null> {
  const { to: _to, ...flags } = edit
  const after = messageOf({ ...message, ...flags }, target.path)
  if (Object.keys(edit).length === 0) return after
  const edited = await store.editMessage(
    ctx.store,
    editOfOne(ctx, folder, message, { leaves: edit.to !== undefined }),
    edit,
  )
  if (edited === null) return null
  await derive(ctx, message, edited)
  return edited.isMade ? after : null
}

/**
 * An edit of one message in its folder, made now. `leaves`: the message leaves the folder, or its UID there. `isShown`: the caller
 * shows the edit to all mail sessions of this process. `known`: the modseq up to which the caller knows all writes to the folder.
 */
export function editOfOne(
  ctx: Context,
  { _id: folderId, mailboxId }: KnownFolder,
  message: EditableMessage,
  {
    leaves,
    isShown = false,
    known,
  }: { readonly leaves: boolean; readonly isShown?: boolean; readonly known?: number | undefined },
): store.EditOfOne {
  const note = ctx.changes.noteWith({
    kind: 'folders',
    mailboxId,
    messageIds: [message._id],
    ...(leaves && { was: { folderId, uids: [message.uid] } }),
    ...(isShown && { shownBy: ctx.changes.id }),
  })
  return { mailboxId, folderId, message, at: ctx.machineClock.now(), note, known }
}

/**
 * Does in the background what follows from a change: derives the thread, releases the blob of a deleted message, and ends the
 * reservations. Until they end, the reservations tell the sweep what is left to do.
 */
export async function derive(
  ctx: Context,
  {
    _id,
    accountId,
    mailboxId,
    threadId,
    blob,
  }: Pick<MessageDoc, '_id' | 'accountId' | 'mailboxId' | 'threadId' | 'blob'>,
  {
    ends,
    isDerived = false,
    isGone = false,
  }: {
    readonly ends: readonly ReservationEnd[]
    /** Whether the thread shows the change already. */
    readonly isDerived?: boolean
    readonly isGone?: boolean
  },
): Promise<void> {
  await ctx.background.begin(accountId, async () => {
    try {
      const [isDone] = await Promise.all([
        isDerived || threadDeriver(ctx, mailboxId)([threadId]),
        isGone && blobDrops(ctx)({ blobId: blob.id, users: [_id] }),
      ])
      if (isDone) await closeSoon(ctx.store, ends)
    } catch (error) {
      ctx.log.warn(
        { err: error, mailboxId },
        'what follows from a change could not be derived now; the sweep will derive it',
      )
    }
  })
}

/** Like `derive`, for several threads of a mailbox in which only flags and labels of messages have changed. */
export async function deriveFlags(
  ctx: Context,
  { accountId, mailboxId }: Pick<MessageDoc, 'accountId' | 'mailboxId'>,
  threadIds: readonly string[],
  ends: readonly ReservationEnd[],
): Promise<void> {
  if (ends.length === 0) return
  await ctx.background.begin(accountId, async () => {
    try {
      if (await threadDeriver(ctx, mailboxId, { flagsOnly: true })(threadIds)) await closeSoon(ctx.store, ends)
    } catch (error) {
      ctx.log.warn(
        { err: error, mailboxId },
        'what follows from changes of flags could not be derived now; the sweep will derive it',
      )
    }
  })
}

/** The folder to move a message to: the one that a path or role names. Fails with `not_found`. */
async function targetOf(ctx: Context, folder: KnownFolder, name: string): Promise<KnownFolder> {
  return folderNamed([folder], name) ?? getFolder(ctx, folder.mailboxId, name)
}

/** The part of a change that differs from the current message. */
async function editOf(
  ctx: Context,
  { mailbox, message, folder }: ReachedMessage,
  change: MessageChange,
  target: KnownFolder,
): Promise<MessageEdit> {
  const { seen = message.seen, flagged = message.flagged, answered = message.answered } = change
  const labels = await labelsOf(ctx, mailbox, message, change)
  return {
    ...(seen !== message.seen && { seen }),
    ...(flagged !== message.flagged && { flagged }),
    ...(answered !== message.answered && { answered }),
    ...(labels !== null && { labels }),
    ...(target._id !== folder._id && { to: moveEdit(target, folder, ctx.clock.now()) }),
  }
}

async function labelsOf(
  ctx: Context,
  mailbox: MailboxDoc,
  { labels: before = [] }: MessageDoc,
  { addLabels, removeLabels }: MessageChange,
): Promise<readonly string[] | null> {
  if (addLabels === undefined && removeLabels === undefined) return null
  const labels = labelsAfter(mailbox, await findFolders(ctx.store, mailbox._id), {
    before,
    add: addLabels ?? [],
    remove: removeLabels ?? [],
  })
  return labels.length === before.length && labels.every((label) => before.includes(label)) ? null : labels
}
