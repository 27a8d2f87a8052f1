/** Folders of a mailbox, by path or role. */
import { Failure } from '../../schemas/failures.ts'
import type { FolderRole } from '../../schemas/threads.ts'
import type { FolderDoc } from '../../store/documents/mail.ts'
import { findFolders, findFoldersById, standardFolders } from '../../store/folders.ts'
import type { Principal } from '../access/principal.ts'
import type { Context } from '../process/context.ts'
import { reachMailbox } from './mailboxes.ts'

export type Folder = Pick<FolderDoc, 'path' | 'role' | 'total' | 'unread'>

/** The folders of a mailbox: the standard ones first, then its own by path. */
export async function listFolders(ctx: Context, principal: Principal, address: string): Promise<readonly Folder[]> {
  const { _id: mailboxId } = await reachMailbox(ctx, principal, address)
  const folders = await findFolders(ctx.store, mailboxId)
  const place = ({ role }: FolderDoc) =>
    role === null ? standardFolders.length : standardFolders.findIndex(([, own]) => own === role)
  return folders.toSorted((a, b) => place(a) - place(b))
}

/** The folder of a path or role (roles case-insensitively). Fails with `not_found`. */
export async function getFolder(ctx: Context, mailboxId: string, name: string): Promise<FolderDoc> {
  return folderIn(await findFolders(ctx.store, mailboxId), name)
}

/** The one of a mailbox's folders that a path or role names. Fails with `not_found`. */
export function folderIn(folders: readonly FolderDoc[], name: string): FolderDoc {
  const path = canonicalPath(name)
  const found = folders.find((folder) => folder.path === path)
  if (found === undefined) throw new Failure('not_found', `There is no folder "${name}".`)
  return found
}

/** Folders by id. */
export async function foldersOf(ctx: Context, folderIds: readonly string[]): Promise<ReadonlyMap<string, FolderDoc>> {
  const found = await findFoldersById(ctx.store, [...new Set(folderIds)])
  return new Map(found.map((folder) => [folder._id, folder]))
}

/** A path in the form folders have: NFC, and the name of a standard folder, in any case, as that is written. */
export function canonicalPath(name: string): string {
  const [first = '', ...levels] = name.normalize('NFC').split('/')
  return [standardPath(first.toLowerCase()) ?? first, ...levels].join('/')
}

function standardPath(role: string): string | undefined {
  return standardFolders.find(([, own]: readonly [string, FolderRole]) => own === role)?.[0]
}
