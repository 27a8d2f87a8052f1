/** Finds the folders of a mailbox, by path or role. */
import { Failure } from '../../schemas/failures.ts'
import type { FolderRole } from '../../schemas/threads.ts'
import type { FolderDoc } from '../../store/documents/mail.ts'
import { type FolderRef, findFolders, findFoldersById, standardFolders, tellable } from '../../store/folders.ts'
import type { Principal } from '../access/principal.ts'
import type { Context } from '../process/context.ts'
import { foldersIn, type KnownFolder } from './known-folders.ts'
import { reachMailbox } from './mailboxes.ts'

export type Folder = Pick<FolderDoc, 'path' | 'role' | 'total' | 'unread'>

/** Lists the folders of a mailbox: first the standard ones, then its own by path. Fails with `mailbox_not_found`. */
export async function listFolders(ctx: Context, principal: Principal, address: string): Promise<readonly Folder[]> {
  const { _id: mailboxId } = await reachMailbox(ctx, principal, address)
  const folders = await findFolders(ctx.store, mailboxId)
  const rank = ({ role }: FolderDoc) =>
    role === null ? standardFolders.length : standardFolders.findIndex(([, own]) => own === role)
  return folders.map(tellable).toSorted((a, b) => rank(a) - rank(b))
}

/** The folder with this path or role (roles in any case). Fails with `not_found`. */
export async function getFolder(ctx: Context, mailboxId: string, name: string): Promise<KnownFolder> {
  return folderIn(await foldersIn(ctx, mailboxId, (folders) => folderNamed(folders, name) !== undefined), name)
}

/** The one of these folders that a path or role names. */
export function folderNamed<F extends KnownFolder>(folders: readonly F[], name: string): F | undefined {
  const path = canonicalPath(name)
  return folders.find((folder) => folder.path === path)
}

/** As `folderNamed`. Fails with `not_found`. */
export function folderIn<F extends KnownFolder>(folders: readonly F[], name: string): F {
  const found = folderNamed(folders, name)
  if (found === undefined) {
    throw new Failure('not_found', `There is no folder "${name}".`, {
      fix: 'Use the path or role of a folder that the mailbox has, such as "INBOX", or create the folder first.',
    })
  }
  return found
}

/** Reads folders. Returns them by id; missing ones are left out. */
export async function foldersOf(ctx: Context, refs: readonly FolderRef[]): Promise<ReadonlyMap<string, FolderDoc>> {
  const found = await findFoldersById(ctx.store, refs)
  return new Map(found.map((folder) => [folder._id, folder]))
}

/** The canonical form of a folder path: NFC, with the name of a standard folder spelled as in `standardFolders`. */
export function canonicalPath(name: string): string {
  const [first = '', ...levels] = name.normalize('NFC').split('/')
  return [standardPath(first.toLowerCase()) ?? first, ...levels].join('/')
}

function standardPath(role: string): string | undefined {
  return standardFolders.find(([, own]: readonly [string, FolderRole]) => own === role)?.[0]
}
