/**
 * The folders of mailboxes, as this process knows them (core/process/known.ts): which there are and what they are called. Their
 * counts change with every message and are asked of the database.
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
    // A note that names messages tells that counts changed.
    if (note.kind === 'folders' && note.messageIds === undefined) known.forget((id) => id === note.mailboxId)
  })
  return known
})

/** Says that a mailbox has other folders, or other names for them. */
export function foldersChanged(ctx: Context, mailboxId: string): void {
  forgetFolders(ctx, mailboxId)
  ctx.changes.publish({ kind: 'folders', mailboxId })
}

/** Forgets the folders of a mailbox, because what is known of them may be stale. */
export function forgetFolders(ctx: Context, mailboxId: string): void {
  knownFolders(ctx).forget((id) => id === mailboxId)
}

/**
 * The folders of a mailbox, in no order. `isIn` says whether what is looked for is among them: if it is not in what is known,
 * the database is asked again, because another process may just have made it.
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

/** The path of each folder that holds one of the messages, by folder id. */
export async function pathsOf(
  ctx: Context,
  mailboxId: string,
  messages: readonly { readonly folderId: string }[],
): Promise<ReadonlyMap<string, string>> {
  const folders = await foldersHolding(ctx, mailboxId, messages)
  return new Map(folders.map(({ _id, path }) => [_id, path]))
}

/** The folders of a mailbox, those of the messages among them. */
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
