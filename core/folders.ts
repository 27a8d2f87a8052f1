/** Folders of a mailbox, by path or role. */
import { Failure } from '../schemas/failures.ts'
import type { FolderDoc } from '../store/documents/mail.ts'
import { findFolders, findFoldersById } from '../store/folders.ts'
import type { Context } from './context.ts'

/** The folder of a path or role (roles case-insensitively). Fails with `not_found`. */
export async function getFolder(ctx: Context, mailboxId: string, name: string): Promise<FolderDoc> {
  const folders = await findFolders(ctx.store, mailboxId)
  const role = name.toLowerCase()
  const found = folders.find(({ path }) => path === name) ?? folders.find((folder) => folder.role === role)
  if (found === undefined) throw new Failure('not_found', `There is no folder "${name}".`)
  return found
}

/** Folders by id. */
export async function foldersOf(ctx: Context, folderIds: readonly string[]): Promise<ReadonlyMap<string, FolderDoc>> {
  const found = await findFoldersById(ctx.store, [...new Set(folderIds)])
  return new Map(found.map((folder) => [folder._id, folder]))
}
