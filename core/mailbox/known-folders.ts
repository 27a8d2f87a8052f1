/**
 * The folders of mailboxes, as this process knows them (core/process/known.ts): which folders exist, and their paths. Their
 * counts change with every message and are read from the database instead.
 */
import type { FolderDoc } from '../../store/documents/mail.ts'
import { findFoldersOf } from '../../store/folders.ts'
import type { Context } from '../process/context.ts'
import { createKnown } from '../process/known.ts'
import { perProcess } from '../process/per-process.ts'

export type KnownFolder = Pick<FolderDoc, '_id' | 'accountId' | 'mailboxId' | 'path' | 'role' | 'uidValidity'>

/** Folders that a new mailbox has. */
const foldersPerMailbox = 6

const knownFolders = perProcess(({ clock, changes }) => {
  const known = createKnown<readonly KnownFolder[]>(clock, { weigh: ({ length }) => length / foldersPerMailbox })
  changes.listen((note) => {
    // A note that names messages says only that counts changed.
    if (note.kind === 'folders' && note.messageIds === undefined) known.forget((id) => id === note.mailboxId)
  })
  return known
})

/** Publishes that the folders of a mailbox, or their paths, have changed. */
export function foldersChanged(ctx: Context, mailboxId: string): void {
  forgetFolders(ctx, mailboxId)
  ctx.changes.publish({ kind: 'folders', mailboxId })
}

/** Drops the cached folders of a mailbox, because they may be stale. */
export function forgetFolders(ctx: Context, mailboxId: string): void {
  knownFolders(ctx).forget((id) => id === mailboxId)
}

/**
 * The folders of a mailbox, in no order. `isIn` says whether the folder that the caller looks for is among them: when the cached
 * folders lack it, the database is asked again, because another process may just have made it.
 */
export async function foldersIn(
  ctx: Context,
  mailboxId: string,
  isIn: (folders: readonly KnownFolder[]) => boolean = () => true,
): Promise<readonly KnownFolder[]> {
  const known = knownFolders(ctx)
  const find = () => known.find(mailboxId, (mailboxIds) => loadFolders(ctx, mailboxIds))
  const folders = (await find()) ?? []
  if (isIn(folders)) return folders
  forgetFolders(ctx, mailboxId)
  return (await find()) ?? []
}

/** The paths of the folders of a mailbox, by folder id; they include each folder that holds one of the messages. */
export async function pathsOf(
  ctx: Context,
  mailboxId: string,
  messages: readonly { readonly folderId: string }[],
): Promise<ReadonlyMap<string, string>> {
  const folders = await foldersHolding(ctx, mailboxId, messages)
  return new Map(folders.map(({ _id, path }) => [_id, path]))
}

/** The folders of a mailbox, including those that hold the messages. */
export function foldersHolding(
  ctx: Context,
  mailboxId: string,
  messages: readonly { readonly folderId: string }[],
): Promise<readonly KnownFolder[]> {
  const holds = (known: readonly KnownFolder[]) => {
    const ids = new Set(known.map(({ _id }) => _id))
    return messages.every(({ folderId }) => ids.has(folderId))
  }
  return foldersIn(ctx, mailboxId, holds)
}

async function loadFolders(
  ctx: Context,
  mailboxIds: readonly string[],
): Promise<ReadonlyMap<string, readonly KnownFolder[]>> {
  const found = await findFoldersOf(ctx.store, mailboxIds)
  const named = found.map(({ _id, accountId, mailboxId, path, role, uidValidity }) => ({
    _id,
    accountId,
    mailboxId,
    path,
    role,
    uidValidity,
  }))
  return Map.groupBy(named, ({ mailboxId }) => mailboxId)
}
