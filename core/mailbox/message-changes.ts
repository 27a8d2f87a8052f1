/** Changes of one message: flags, labels, moves, deletion. Each is one reservation in the folders concerned. */
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

/** How often a change is tried when the message changed between our read and our write; the pause grows with each try. */
const triesMax = 25
const pauseMs = 5

/** Deletions of which one group drops the blobs. */
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
    if (done !== null) return done
    forgetFolders(ctx, reached.mailbox._id)
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
 * An edit of one message in its folder, made now; it `leaves` the folder, or its UID there, or stays. It `isShown` when the caller
 * shows it to all mail sessions of this process, and knows all that was written to the folder up to the modseq `known`.
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
 * Derives in the background what follows from a change: the thread, and the end of its reservations, which until then tell
 * the sweep what is left to do.
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
      ctx.log.warn({ err: error, mailboxId }, 'a change could not be derived from now; the sweep will')
    }
  })
}

/** As `derive`, of several conversations of a mailbox, of whose messages nothing but flags and labels has changed. */
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
      ctx.log.warn({ err: error, mailboxId }, 'changes could not be derived from now; the sweep will')
    }
  })
}

/** The folder to move a message to: the one that a path or role names. Fails with `not_found`. */
async function targetOf(ctx: Context, folder: KnownFolder, name: string): Promise<KnownFolder> {
  return folderNamed([folder], name) ?? getFolder(ctx, folder.mailboxId, name)
}

/** The part of a change that differs from the message as it is. */
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
