/** `mailroom drive`: puts files into Drive, lists and removes them. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import { lookup } from 'mime-types'
import { recordAdministration } from '../core/access/audit.ts'
import { administrator } from '../core/access/principal.ts'
import { getAccount } from '../core/account/accounts.ts'
import { entryAt, removeEntry, walkEntries } from '../core/drive/paths.ts'
import { type DriveSource, folderAt, putFile } from '../core/drive/put.ts'
import type { Context } from '../core/process/context.ts'
import { keepAttachment } from '../core/read/keep-attachment.ts'
import { Failure } from '../schemas/failures.ts'
import { withContext } from './admin-context.ts'
import { type Io, print, sentence } from './io.ts'

/** Interval of progress messages. */
const progressMs = 1_000

type LocalFile = { readonly file: string; readonly folder: readonly string[] }

/** Puts files and folders into a folder of Drive. Existing files are left alone; interrupted ones are resumed. */
export const put = withContext(async (ctx, io, account: string, files: readonly string[], { to }: { to: string }) => {
  const { id: accountId } = await getAccount(ctx, account)
  const into = segmentsOf(to)
  const counts = { new: 0, replaced: 0, same: 0 }
  for (const place of files.map((file) => path.resolve(file))) {
    for await (const local of localFiles(place, into)) {
      const { was, entry } = await putOne(ctx, io, accountId, local)
      counts[was] += 1
      if (was !== 'same') await recordAdministration(ctx, { accountId, action: 'drive.put', target: entry._id })
    }
  }
  print(io, { account: accountId, ...counts })
})

export const list = withContext(async (ctx, io, account: string, where: string | undefined) => {
  const { id: accountId } = await getAccount(ctx, account)
  const parent = await entryAt(ctx, accountId, segmentsOf(where ?? ''))
  for await (const { entry, path: at } of walkEntries(ctx, accountId, parent)) {
    const { _id: id, kind, sizeBytes: size, modifiedAt } = entry
    print(io, { id, path: at.join('/'), kind, size, modifiedAt })
  }
})

/** Removes a file, or a folder with everything in it. */
export const remove = withContext(async (ctx, io, account: string, where: string) => {
  const { id: accountId } = await getAccount(ctx, account)
  const entry = await entryAt(ctx, accountId, segmentsOf(where))
  if (entry === null) throw noPath(where)
  const removed = await removeEntry(ctx, entry)
  await recordAdministration(ctx, { accountId, action: 'drive.remove', target: entry._id })
  print(io, { account: accountId, removed })
})

/** Copies an attachment of a message into Drive, where it stays if the message is deleted. */
export const keep = withContext(
  async (
    ctx,
    io,
    account: string,
    address: string,
    messageId: string,
    attachmentId: string,
    { to }: { readonly to: string },
  ) => {
    const principal = administrator(await getAccount(ctx, account))
    const { accountId } = principal
    const attachment = { address, messageId, attachmentId }
    const { entry, was } = await keepAttachment(ctx, principal, attachment, segmentsOf(to))
    await recordAdministration(ctx, { accountId, action: 'drive.put', target: entry._id })
    print(io, { id: entry._id, name: entry.name, size: entry.sizeBytes, was })
  },
)

async function putOne(ctx: Context, io: Io, accountId: string, { file, folder }: LocalFile) {
  const source = await sourceOf(file)
  const parentId = await folderAt(ctx, accountId, folder)
  let toldAt = 0
  return putFile(ctx, { accountId, parentId }, source, (bytes) => {
    if (performance.now() - toldAt < progressMs) return
    toldAt = performance.now()
    io.err(`${file}: ${bytes} of ${source.sizeBytes} bytes\n`)
  })
}

async function sourceOf(file: string): Promise<DriveSource> {
  const { size, mtime } = await stat(file)
  return {
    name: path.basename(file),
    contentType: lookup(file) || 'application/octet-stream',
    sizeBytes: size,
    modifiedAt: mtime,
    source: createHash('sha256').update(`${file} ${size} ${mtime.getTime()}`).digest('base64url'),
    read: (start) => createReadStream(file, { start }) as AsyncIterable<Buffer>,
  }
}

/**
 * The files at a path and below it; entries of a folder that are neither file nor folder are left out. `above` are the real paths of
 * the enclosing folders: a link back to one of them would never end. Fails with `validation_error`.
 */
async function* localFiles(
  at: string,
  folder: readonly string[],
  above: readonly string[] = [],
): AsyncGenerator<LocalFile> {
  const found = await stat(at).catch((error: NodeJS.ErrnoException) => {
    // A dangling link in a folder is skipped.
    if (above.length > 0 && (error.code === 'ENOENT' || error.code === 'ELOOP')) return null
    throw noFile(at, error)
  })
  if (found?.isFile()) yield { file: at, folder }
  else if (above.length === 0 && !found?.isDirectory())
    throw new Failure('validation_error', `${at} is neither a file nor a folder.`, {
      fix: 'Write its content into a file, and name that file.',
    })
  if (!found?.isDirectory()) return
  const here = await realpath(at)
  if (above.includes(here)) return
  for (const { name } of await readdir(at, { withFileTypes: true }))
    yield* localFiles(path.join(at, name), [...folder, path.basename(at)], [...above, here])
}

const segmentsOf = (where: string) => where.split('/').filter((segment) => segment !== '')

function noFile(at: string, { code, message }: NodeJS.ErrnoException): Failure {
  return code === 'ENOENT' || code === 'ENOTDIR'
    ? new Failure('validation_error', `There is no file or folder ${at}.`, { fix: 'Name an existing one.' })
    : new Failure('validation_error', sentence(message), { fix: 'Name a file or folder that this user may read.' })
}

const noPath = (where: string) =>
  new Failure('not_found', `There is nothing at "${where}" in Drive.`, {
    fix: 'Use a path from `mailroom drive list`.',
  })
