/**
 * Creates, renames and deletes a mailbox's own folders. Each operation can be repeated after an interruption: parent
 * folders are created from the top down, a folder is renamed after its sub-folders, and deleted after its mail was
 * moved.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../../schemas/failures.ts'
import { deriveId, newId } from '../../schemas/ids.ts'
import { folderDepthMax, folderLevelMax, folderPathMax, foldersMax } from '../../schemas/threads.ts'
import type { FolderDoc } from '../../store/documents/mail.ts'
import * as store from '../../store/folders.ts'
import type { Principal } from '../access/principal.ts'
import type { Context } from '../process/context.ts'
import { moveAll } from './bulk-changes.ts'
import { canonicalPath, type Folder, folderIn } from './folders.ts'
import { foldersChanged } from './known-folders.ts'
import { reachMailbox } from './mailboxes.ts'

/** Most attempts to empty and delete a folder that still receives mail, and the pause between them. */
const removeTriesMax = 20
const removePauseMs = 50

/**
 * Creates a folder and its missing parent folders. Fails with `mailbox_not_found`, `validation_error`, `conflict` (it
 * exists, or too many folders).
 */
export async function createFolder(
  ctx: Context,
  principal: Principal,
  { address, name }: { address: string; name: string },
): Promise<Folder> {
  const mailbox = await reachMailbox(ctx, principal, address)
  const path = newPath(name)
  const folders = await store.findFolders(ctx.store, mailbox._id)
  const owner = { accountId: mailbox.accountId, mailboxId: mailbox._id }
  await createParents(ctx, owner, folders, { levels: path.split('/').slice(0, -1), more: 1 })
  const folderId = ctx.onceId === null ? newId('fld', ctx.clock.now()) : deriveId('fld', ctx.onceId, 'folder')
  const earlier = folders.find(({ _id }) => _id === folderId)
  const folder = earlier ?? (await insertNew(ctx, { ...owner, _id: folderId, path }))
  if (folder === null) throw folderThere(path)
  return folder
}

/**
 * Renames or moves a folder with all its sub-folders; ids and UIDs stay. Fails with `mailbox_not_found`,
 * `validation_error`, `not_found`, `conflict`.
 */
export async function renameFolder(
  ctx: Context,
  principal: Principal,
  { address, path, name }: { address: string; path: string; name: string },
): Promise<Folder> {
  const mailbox = await reachMailbox(ctx, principal, address)
  const folders = await store.findFolders(ctx.store, mailbox._id)
  const folder = ownFolder(folders, path, 'renamed')
  const to = newPath(name)
  if (to === folder.path) return folder
  if (isBelow(to, folder.path))
    throw new Failure('conflict', `The folder "${folder.path}" cannot be moved into itself.`, {
      fix: 'Give it a name that does not begin with its own path.',
    })
  const below = folders.filter((other) => isBelow(other.path, folder.path))
  const renames = [...below, folder].map((each) => ({
    folderId: each._id,
    from: each.path,
    to: newPath(to + each.path.slice(folder.path.length)),
  }))
  const taken = renames.find((rename) => folders.some((other) => other.path === rename.to))
  if (taken !== undefined) throw folderThere(taken.to)
  const owner = { accountId: mailbox.accountId, mailboxId: mailbox._id }
  await createParents(ctx, owner, folders, { levels: to.split('/').slice(0, -1), more: 0 })
  if (!(await store.renameFolders(ctx.store, mailbox._id, renames)))
    throw new Failure('conflict', 'The folders of this mailbox are being changed by another request.', {
      fix: 'Repeat the request.',
    })
  foldersChanged(ctx, mailbox._id)
  return { ...folder, path: to }
}

/**
 * Deletes a folder and all its sub-folders; their mail goes to Trash. Fails with `mailbox_not_found`, `not_found`,
 * `conflict`.
 */
export async function deleteFolder(
  ctx: Context,
  principal: Principal,
  { address, path }: { address: string; path: string },
): Promise<void> {
  const mailbox = await reachMailbox(ctx, principal, address)
  const folders = await store.findFolders(ctx.store, mailbox._id)
  const folder = ownFolder(folders, path, 'deleted')
  const trash = folderIn(folders, 'trash')
  const below = folders.filter((other) => isBelow(other.path, folder.path))
  for (const each of below.toSorted((a, b) => (a.path < b.path ? 1 : -1)).concat(folder))
    await removeEmptied(ctx, each, trash)
  foldersChanged(ctx, mailbox._id)
}

async function removeEmptied(ctx: Context, folder: FolderDoc, trash: FolderDoc): Promise<void> {
  const { _id: folderId, mailboxId } = folder
  for (let tries = 0; tries < removeTriesMax; tries++) {
    await moveAll(ctx, folder, trash)
    if (await store.removeFolder(ctx.store, { mailboxId, folderId })) return
    if ((await store.findFoldersById(ctx.store, [{ mailboxId, folderId }])).length === 0) return
    await sleep(removePauseMs)
  }
  throw new Failure('conflict', `Mail is still being written to "${folder.path}".`, {
    fix: 'Repeat the request in a minute.',
  })
}

/**
 * Creates the parent folders that are missing; `more` is the number of folders that the caller creates next. Fails with
 * `conflict` when the mailbox would have too many.
 */
async function createParents(
  ctx: Context,
  owner: { accountId: string; mailboxId: string },
  folders: readonly FolderDoc[],
  { levels, more }: { levels: readonly string[]; more: number },
): Promise<void> {
  const paths = levels.map((_, n) => levels.slice(0, n + 1).join('/'))
  const missing = paths.filter((path) => !folders.some((folder) => folder.path === path))
  if (folders.length + missing.length + more > foldersMax) throw tooMany()
  for (const path of missing) await insertNew(ctx, { ...owner, _id: newId('fld', ctx.clock.now()), path })
}

/** Most attempts to insert a folder when concurrent inserts exceed the limit together, and the pause between them. */
const insertTriesMax = 4
const insertPauseMs = 20

const tooMany = () =>
  new Failure('conflict', `A mailbox has at most ${foldersMax} folders.`, {
    fix: 'Delete a folder that is not needed, or mark the mail with labels.',
  })

const folderThere = (path: string) =>
  new Failure('conflict', `There is already a folder "${path}".`, { fix: 'Choose another "name", or use this folder.' })

/** Inserts a folder. Returns null when one exists at that path. Fails with `conflict` when the mailbox has too many. */
async function insertNew(
  ctx: Context,
  owner: Pick<FolderDoc, '_id' | 'accountId' | 'mailboxId' | 'path'>,
): Promise<FolderDoc | null> {
  const folder: FolderDoc = {
    ...owner,
    role: null,
    uidValidity: await store.nextUidValidity(ctx.store, owner.mailboxId, ctx.clock.now()),
    uidNext: 1,
    highestModseq: 1,
    total: 0,
    unread: 0,
    bytes: 0,
    open: [],
  }
  const { mailboxId, _id: folderId } = owner
  for (let tries = 1; ; tries++) {
    if (!(await store.insertFolder(ctx.store, folder))) return null
    // Folders are counted after the insert, so that concurrent inserts cannot exceed the limit together. An insert that
    // did is undone, and tried again after a random pause.
    const { length } = await store.findFolders(ctx.store, mailboxId)
    if (length <= foldersMax) break
    await store.removeFolder(ctx.store, { mailboxId, folderId })
    if (tries === insertTriesMax) throw tooMany()
    await sleep(Math.random() * insertPauseMs * tries)
    if ((await store.findFolders(ctx.store, mailboxId)).length >= foldersMax) throw tooMany()
  }
  foldersChanged(ctx, owner.mailboxId)
  return folder
}

function ownFolder(folders: readonly FolderDoc[], path: string, verb: string): FolderDoc {
  const folder = folderIn(folders, path)
  if (folder.role !== null)
    throw new Failure('conflict', `${folder.path} is a standard folder and cannot be ${verb}.`, {
      fix: 'Choose a folder without a role: folders with a role are permanent.',
    })
  return folder
}

const isBelow = (path: string, above: string) => path.startsWith(`${above}/`)

/**
 * The canonical path of a new folder. Fails with `validation_error` for a name that mail clients could not show or a
 * URL could not contain.
 */
function newPath(name: string): string {
  const refuse = (text: string, fix: string) => new Failure('validation_error', text, { param: 'name', fix })
  const path = canonicalPath(name)
  const levels = path.split('/')
  if (!path.isWellFormed() || /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(path))
    throw refuse(
      'A folder name must not contain control characters.',
      'Remove line breaks, tabs and other control characters.',
    )
  if ([...path].length > folderPathMax)
    throw refuse(`A folder path must have at most ${folderPathMax} characters.`, 'Shorten the path.')
  if (levels.length > folderDepthMax)
    throw refuse(`A folder path must have at most ${folderDepthMax} levels.`, 'Use fewer "/".')
  for (const level of levels) {
    if (level.trim() !== level || !/[^\s\p{C}]/u.test(level) || level === '.' || level === '..')
      throw refuse(
        'Each level of a folder path must have a visible name other than "." and "..", without spaces around it.',
        'Write it like "Projects/Two words", with a name before and after each "/".',
      )
    if ([...level].length > folderLevelMax)
      throw refuse(
        `Each level of a folder path must have at most ${folderLevelMax} characters.`,
        'Shorten the names between the "/".',
      )
  }
  return path
}
