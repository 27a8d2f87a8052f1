/**
 * A mailbox's own folders: made, renamed, removed. Each is safe to repeat after an interruption: levels are made from the
 * top, a folder is renamed after what lies below it, and removed after its mail was moved.
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
import { reachMailbox } from './mailboxes.ts'

/** How often, and after what pause, a folder that is still written to is emptied again before it is removed. */
const removeTriesMax = 20
const removePauseMs = 50

/** Makes a folder, and the levels above it that are missing. Fails with `validation_error`, `conflict` (it is there, or too many). */
export async function createFolder(
  ctx: Context,
  principal: Principal,
  { address, name }: { address: string; name: string },
): Promise<Folder> {
  const mailbox = await reachMailbox(ctx, principal, address)
  const path = newPath(name)
  const folders = await store.findFolders(ctx.store, mailbox._id)
  const place = { accountId: mailbox.accountId, mailboxId: mailbox._id }
  await makeLevels(ctx, place, folders, { levels: path.split('/').slice(0, -1), more: 1 })
  const folderId = ctx.onceId === null ? newId('fld', ctx.clock.now()) : deriveId('fld', ctx.onceId, 'folder')
  const earlier = folders.find(({ _id }) => _id === folderId)
  const folder = earlier ?? (await insert(ctx, { ...place, _id: folderId, path }))
  if (folder === null) throw new Failure('conflict', `There is a folder "${path}".`)
  return folder
}

/** Gives a folder, with all below it, another path: ids and UIDs stay. Fails with `validation_error`, `not_found`, `conflict`. */
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
  if (isBelow(to, folder.path)) throw new Failure('conflict', 'A folder cannot be moved into itself.')
  const below = folders.filter((other) => isBelow(other.path, folder.path))
  const renames = [...below, folder].map((each) => ({
    folderId: each._id,
    from: each.path,
    to: newPath(to + each.path.slice(folder.path.length)),
  }))
  const taken = renames.find((rename) => folders.some((other) => other.path === rename.to))
  if (taken !== undefined) throw new Failure('conflict', `There is a folder "${taken.to}".`)
  const place = { accountId: mailbox.accountId, mailboxId: mailbox._id }
  await makeLevels(ctx, place, folders, { levels: to.split('/').slice(0, -1), more: 0 })
  if (!(await store.renameFolders(ctx.store, mailbox._id, renames)))
    throw new Failure('conflict', 'The folders are being changed by somebody else.')
  ctx.changes.publish({ kind: 'folders', mailboxId: mailbox._id })
  return { ...folder, path: to }
}

/** Removes a folder and all below it; their mail goes to Trash. Fails with `not_found`, `conflict`. */
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
  ctx.changes.publish({ kind: 'folders', mailboxId: mailbox._id })
}

async function removeEmptied(ctx: Context, folder: FolderDoc, trash: FolderDoc): Promise<void> {
  const { _id: folderId, mailboxId } = folder
  for (let tries = 0; tries < removeTriesMax; tries++) {
    await moveAll(ctx, folder, trash)
    if (await store.removeFolder(ctx.store, { mailboxId, folderId })) return
    if ((await store.findFoldersById(ctx.store, [folderId])).length === 0) return
    await sleep(removePauseMs)
  }
  throw new Failure('conflict', `Mail is being written to "${folder.path}": try again in a minute.`)
}

/** Makes those of the levels that are missing; `more` folders are to come. Fails with `conflict` when they are too many. */
async function makeLevels(
  ctx: Context,
  place: { accountId: string; mailboxId: string },
  folders: readonly FolderDoc[],
  { levels, more }: { levels: readonly string[]; more: number },
): Promise<void> {
  const paths = levels.map((_, n) => levels.slice(0, n + 1).join('/'))
  const missing = paths.filter((path) => !folders.some((folder) => folder.path === path))
  if (folders.length + missing.length + more > foldersMax) throw tooMany()
  for (const path of missing) await insert(ctx, { ...place, _id: newId('fld', ctx.clock.now()), path })
}

/** For those who meet at the bound. */
const insertTriesMax = 4
const insertPauseMs = 20

const tooMany = () => new Failure('conflict', `A mailbox has at most ${foldersMax} folders.`)

/** Makes a folder; null when there is one at that path. Fails with `conflict` when there are too many. */
async function insert(
  ctx: Context,
  place: Pick<FolderDoc, '_id' | 'accountId' | 'mailboxId' | 'path'>,
): Promise<FolderDoc | null> {
  const folder: FolderDoc = {
    ...place,
    role: null,
    uidValidity: await store.nextUidValidity(ctx.store, place.mailboxId, ctx.clock.now()),
    uidNext: 1,
    highestModseq: 1,
    total: 0,
    unread: 0,
    bytes: 0,
    open: [],
  }
  const { mailboxId, _id: folderId } = place
  for (let tries = 1; ; tries++) {
    if (!(await store.insertFolder(ctx.store, folder))) return null
    // Counted after the insert, so that of many at once none gets past the bound. Those who meet there try once more, apart.
    const { length } = await store.findFolders(ctx.store, mailboxId)
    if (length <= foldersMax) break
    await store.removeFolder(ctx.store, { mailboxId, folderId })
    if (tries === insertTriesMax) throw tooMany()
    await sleep(Math.random() * insertPauseMs * tries)
    if ((await store.findFolders(ctx.store, mailboxId)).length >= foldersMax) throw tooMany()
  }
  ctx.changes.publish({ kind: 'folders', mailboxId: place.mailboxId })
  return folder
}

function ownFolder(folders: readonly FolderDoc[], path: string, verb: string): FolderDoc {
  const folder = folderIn(folders, path)
  if (folder.role !== null) throw new Failure('conflict', `${folder.path} is in every mailbox and cannot be ${verb}.`)
  return folder
}

const isBelow = (path: string, above: string) => path.startsWith(`${above}/`)

/** The path a name asks for. Fails with `validation_error` for one that no mail client could show or a URL could not name. */
function newPath(name: string): string {
  const refuse = (text: string) => new Failure('validation_error', text, { param: 'name' })
  const path = canonicalPath(name)
  const levels = path.split('/')
  if (!path.isWellFormed() || /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(path))
    throw refuse('A folder name has no control characters.')
  if ([...path].length > folderPathMax) throw refuse(`A path has at most ${folderPathMax} characters.`)
  if (levels.length > folderDepthMax) throw refuse(`Folders have at most ${folderDepthMax} levels.`)
  for (const level of levels) {
    if (level.trim() !== level || !/[^\s\p{C}]/u.test(level) || level === '.' || level === '..')
      throw refuse('A level of a path has a name of its own, without spaces around it.')
    if ([...level].length > folderLevelMax) throw refuse(`A level has at most ${folderLevelMax} characters.`)
  }
  return path
}
