/** Copies and moves several messages of a folder to another folder of the mailbox, and deletes those that are marked. */
import { Failure } from '../../schemas/failures.ts'
import { newId } from '../../schemas/ids.ts'
import { mailboxFull } from '../../schemas/refusals.ts'
import { type NewCopy, writeCopies } from '../../store/copies.ts'
import type { MessageDoc } from '../../store/documents/mail.ts'
import { findMessagesByUid, findPlaces } from '../../store/folder-entries.ts'
import * as store from '../../store/message-edits.ts'
import type { Principal } from '../access/principal.ts'
import { type BeforeRemoval, changeOf, moveEdit, publishEdits } from '../mailbox/bulk-changes.ts'
import type { KnownFolder } from '../mailbox/known-folders.ts'
import { fitsStorage, foldersToFill, usageByMailbox, warnOfStorage } from '../mailbox/storage-limit.ts'
import { deriveThreads } from '../mailbox/threading.ts'
import type { Context } from '../process/context.ts'
import { changeInGroups, folderRef } from './message-groups.ts'

/** The UID of a message before and after. */
export type Moved = { readonly from: number; readonly to: number }

const copiesAtOnce = 100

/**
 * Copies the messages with these UIDs; those that are gone are left out. Copies keep flags, labels and dates. Fails with
 * `unprocessable` (mailbox full), `not_found` (the target is gone). After a failure no copy is left (RFC 9051 6.4.7), unless the
 * database cannot be reached.
 */
export async function copyMessages(
  ctx: Context,
  { account }: Principal,
  { from, to, uids }: { from: KnownFolder; to: KnownFolder; uids: readonly number[] },
): Promise<readonly Moved[]> {
  const found: MessageDoc[] = []
  for (let n = 0; n < uids.length; n += copiesAtOnce)
    found.push(...(await findMessagesByUid(ctx.store, { ...folderRef(from), uids: uids.slice(n, n + copiesAtOnce) })))
  const bytes = found.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  const folders = await foldersToFill(ctx, to.mailboxId)
  if (!fitsStorage(account, folders, bytes)) throw mailboxFull(found[0]?.mailbox ?? '')
  const copied: Moved[] = []
  try {
    for (let n = 0; n < found.length; n += copiesAtOnce) {
      const some = found.slice(n, n + copiesAtOnce)
      copied.push(...(await copySome(ctx, some, { from, to })))
      await deriveThreads(ctx, some)
    }
  } catch (error) {
    await takeBack(ctx, to, copied)
    throw error
  }
  const [usage] = usageByMailbox(folders)
  if (usage !== undefined) await warnOfStorage(ctx, [{ ...usage, usedBytes: usage.usedBytes + bytes }])
  return copied
}

async function copySome(
  ctx: Context,
  messages: readonly MessageDoc[],
  { from, to }: { readonly from: KnownFolder; readonly to: KnownFolder },
): Promise<readonly Moved[]> {
  const at = ctx.clock.now()
  const copies = messages.map((message) => copyOf(message, { _id: newId('msg', at), from, to, at }))
  const written = await writeCopies(ctx.store, { ...folderRef(to), copies, at: ctx.machineClock.now() })
  if (written === null)
    throw new Failure('not_found', 'The folder, or one of the messages, has been deleted.', {
      fix: 'Check which folders and messages still exist, and repeat the command.',
    })
  ctx.changes.publish({ kind: 'stored', ids: copies.map(({ _id }) => _id), mailboxIds: [to.mailboxId] })
  return messages.map(({ uid }, k) => ({ from: uid, to: written[k]! }))
}

/** Deletes copies again because others could not be made, so that repeating the command makes each copy once. */
async function takeBack(ctx: Context, to: KnownFolder, copied: readonly Moved[]): Promise<void> {
  try {
    const uids = copied.map(({ to: uid }) => uid)
    await editInGroups(ctx, to, uids, (copies) => store.removeMessages(ctx.store, changeOf(ctx, to, copies)))
  } catch (error) {
    ctx.log.warn({ err: error, folderId: to._id }, 'copies could not be taken back after others had failed; they stay')
  }
}

/** A copy of a message. It was not received or imported itself, nobody holds its lease, and it is not the Sent copy of a send. */
function copyOf(
  { fingerprint, importedFrom, lease, emailId, deletedFrom, discardedAt, answers, traceparent, ...kept }: MessageDoc,
  { _id, from, to, at }: { _id: string; from: KnownFolder; to: KnownFolder; at: Date },
): NewCopy {
  const { uid, modseq, ...message } = kept
  const { savedAt, ...placed } = moveEdit(to, from, at)
  return { ...message, ...placed, _id, savedAt: savedAt ?? at, folderId: to._id }
}

/**
 * Moves the messages with these UIDs; those that are gone are left out, as are those that another writer moves meanwhile.
 * Fails with `conflict` when others keep changing the messages.
 */
export async function moveMessages(
  ctx: Context,
  { from, to, uids }: { from: KnownFolder; to: KnownFolder; uids: readonly number[] },
): Promise<readonly Moved[]> {
  const moved: Moved[] = []
  await editInGroups(ctx, from, uids, async (messages) => {
    const change = changeOf(ctx, from, messages)
    const done = await store.editMessages(ctx.store, change, { to: moveEdit(to, from, change.at) })
    const places = await findPlaces(ctx.store, { mailboxId: from.mailboxId, ids: [...done] })
    for (const { _id, uid } of messages) {
      const place = places.get(_id)
      if (place?.folderId === to._id) moved.push({ from: uid, to: place.uid })
    }
    return done
  })
  return moved
}

/** Deletes for good the messages with these UIDs that are marked as deleted, after `before` has resolved for them. */
export async function expungeMessages(
  ctx: Context,
  from: KnownFolder,
  uids: readonly number[],
  before: BeforeRemoval,
): Promise<void> {
  await editInGroups(ctx, from, uids, async (messages) => {
    const marked = messages.filter(({ deleted }) => deleted === true)
    await before(marked)
    const removed = await store.removeMessages(ctx.store, changeOf(ctx, from, marked))
    return new Set([...removed, ...messages.filter((message) => !marked.includes(message)).map(({ _id }) => _id)])
  })
}

/** Like `changeInGroups`, but `change` returns the ids of the messages that were changed. */
function editInGroups(
  ctx: Context,
  from: KnownFolder,
  uids: readonly number[],
  change: (messages: readonly store.EditableMessage[]) => Promise<ReadonlySet<string>>,
): Promise<void> {
  const changeAll = async (messages: readonly store.EditableMessage[]) => {
    const done = await change(messages)
    publishEdits(ctx, messages)
    return messages.filter(({ _id }) => !done.has(_id)).map(({ uid }) => uid)
  }
  return changeInGroups(ctx, from, uids, { change: changeAll })
}
