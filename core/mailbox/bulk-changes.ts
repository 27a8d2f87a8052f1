/**
 * Changes many messages in batches. Each batch is complete in itself, so an interrupted operation is finished by
 * repeating it.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FolderDoc } from '../../store/documents/mail.ts'
import type { EditableMessage } from '../../store/message-edits.ts'
import * as store from '../../store/message-edits.ts'
import type { Write } from '../../store/writes.ts'
import type { Principal } from '../access/principal.ts'
import type { Context } from '../process/context.ts'
import { getFolder } from './folders.ts'
import type { KnownFolder } from './known-folders.ts'
import { reachMailbox } from './mailboxes.ts'
import { threadDeriver } from './threading.ts'

/** Does the work that must come before messages are deleted for good. */
export type BeforeRemoval = (messages: readonly EditableMessage[]) => Promise<void>

/** Most passes over the messages: a further pass takes those that changed between our read and our write. */
const passesMax = 5
const retryPauseMs = 100

/**
 * Marks all messages of a folder as seen. Returns how many were unseen. Fails with `mailbox_not_found`, `not_found`
 * (folder).
 */
export async function markAllRead(
  ctx: Context,
  principal: Principal,
  { address, folder: name }: { address: string; folder: string },
): Promise<number> {
  const mailbox = await reachMailbox(ctx, principal, address)
  const folder = await getFolder(ctx, mailbox._id, name)
  return inBatches(ctx, {
    start: '',
    read: (after) => store.listUnreadEditable(ctx.store, { mailboxId: mailbox._id, folderId: folder._id, after }),
    position: ({ _id }) => _id,
    change: (messages) => store.editMessages(ctx.store, changeOf(ctx, folder, messages), { seen: true }),
  })
}

/** Deletes everything in Trash permanently. Returns the number of deleted messages. Fails with `mailbox_not_found`. */
export async function emptyTrash(
  ctx: Context,
  principal: Principal,
  address: string,
  before: BeforeRemoval | null = null,
): Promise<number> {
  const mailbox = await reachMailbox(ctx, principal, address)
  const trash = await getFolder(ctx, mailbox._id, 'trash')
  return inBatches(ctx, {
    ...byUid(ctx, trash),
    change: async (messages) => {
      await before?.(messages)
      return store.removeMessages(ctx.store, changeOf(ctx, trash, messages))
    },
  })
}

/** Moves all messages of a folder to another folder. Returns the number of moved messages. */
export async function moveAll(ctx: Context, from: KnownFolder, to: KnownFolder): Promise<number> {
  return inBatches(ctx, {
    ...byUid(ctx, from),
    change: (messages) => {
      const change = changeOf(ctx, from, messages)
      return store.editMessages(ctx.store, change, { to: moveEdit(to, from, change.at) })
    },
  })
}

/** Deletes messages of any folders permanently. Returns the number of deleted messages. */
export async function removeForGood(ctx: Context, messages: readonly EditableMessage[]): Promise<number> {
  let removed = 0
  for (const own of Map.groupBy(messages, ({ folderId }) => folderId).values()) {
    for (let n = 0; n < own.length; n += store.editMessagesMax) {
      const some = own.slice(n, n + store.editMessagesMax)
      const [{ mailboxId, folderId }] = some as [EditableMessage]
      const change = changeOf(ctx, { _id: folderId, mailboxId }, some)
      removed += (await store.removeMessages(ctx.store, change)).size
      publishEdits(ctx, some)
    }
  }
  return removed
}

/** The fields that a message gets when it moves to a folder; for Trash and Spam also where it came from and when. */
export function moveEdit(
  to: KnownFolder,
  from: Pick<FolderDoc, '_id'>,
  at: Date,
): NonNullable<store.MessageEdit['to']> {
  const discards = to.role === 'trash' || to.role === 'spam'
  return { folderId: to._id, savedAt: at, ...(discards && { deletedFrom: from._id, discardedAt: at }) }
}

/** A change to messages of one folder, made now. */
export function changeOf(
  ctx: Context,
  { _id: folderId, mailboxId }: Pick<FolderDoc, '_id' | 'mailboxId'>,
  messages: readonly EditableMessage[],
): store.EditTarget {
  return { mailboxId, folderId, messages, at: ctx.machineClock.now(), derive: threadDeriver(ctx, mailboxId) }
}

/** Publishes that messages of one folder were changed, moved or deleted; `messages` have their state before the change. */
export function publishEdits({ changes }: Context, messages: readonly EditableMessage[]): void {
  const [first] = messages
  if (first === undefined) return
  const { mailboxId, folderId } = first
  const was = { folderId, uids: messages.map(({ uid }) => uid) }
  changes.publish({ kind: 'folders', mailboxId, messageIds: messages.map(({ _id }) => _id), was })
}

/** Most messages that one change note names. */
const notedMax = 200

/**
 * Makes the change notes that flags or labels of messages of one folder change, to be written with the change. `isShown`: the
 * caller shows the change to all mail sessions of this process.
 */
export function notesOf(
  { changes }: Context,
  messages: readonly EditableMessage[],
  { isShown = false } = {},
): readonly Write[] {
  const notes: Write[] = []
  for (let n = 0; n < messages.length; n += notedMax) {
    const some = messages.slice(n, n + notedMax)
    const messageIds = some.map(({ _id }) => _id)
    const shown = isShown && { shownBy: changes.id }
    notes.push(changes.noteWith({ kind: 'folders', mailboxId: some[0]!.mailboxId, messageIds, ...shown }))
  }
  return notes
}

type Batches<P> = {
  readonly start: P
  read(after: P): Promise<readonly EditableMessage[]>
  position(message: EditableMessage): P
  change(messages: readonly EditableMessage[]): Promise<ReadonlySet<string>>
}

function byUid(ctx: Context, { _id: folderId, mailboxId }: KnownFolder): Omit<Batches<number>, 'change'> {
  return {
    start: 0,
    read: (after) => store.listEditable(ctx.store, { mailboxId, folderId, after }),
    position: ({ uid }) => uid,
  }
}

async function inBatches<P>(ctx: Context, { start, read, position, change }: Batches<P>): Promise<number> {
  let changed = 0
  for (let pass = 0; pass < passesMax; pass++) {
    let missed = 0
    let after = start
    for (;;) {
      const messages = await read(after)
      const last = messages.at(-1)
      if (last === undefined) break
      const { size } = await change(messages)
      publishEdits(ctx, messages)
      changed += size
      missed += messages.length - size
      after = position(last)
    }
    if (missed === 0) break
    await sleep(retryPauseMs)
  }
  return changed
}
