/** `mailroom account export` and `mailroom account erase`. */
import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { getAccount } from '../core/account/accounts.ts'
import { beginErasure, erase } from '../core/personal/erase.ts'
import { exportOf } from '../core/personal/export.ts'
import type { Context } from '../core/process/context.ts'
import { Failure } from '../schemas/failures.ts'
import { withContext } from './admin-context.ts'
import { type Io, print } from './io.ts'

/** Interval of progress messages. */
const progressMs = 1_000
/** The files contain mail, so only the owner of the folder may read them. */
const fileMode = 0o600
const folderMode = 0o700

/** The commands for accounts, and for partners, which are kept apart from accounts. */
export const exportTo = exporting({ isPartner: false })
export const exportPartner = exporting({ isPartner: true })
export const eraseAccount = erasing({ isPartner: false })
export const erasePartner = erasing({ isPartner: true })

type Kind = { readonly isPartner: boolean }

/** Prints the progress to standard error, and a summary at the end. */
function exporting(kind: Kind) {
  return withContext((ctx, io, name: string, { to }: { readonly to: string }) =>
    writeExport(ctx, io, kind, { name, to }),
  )
}

async function writeExport(
  ctx: Context,
  io: Io,
  kind: Kind,
  { name, to }: { readonly name: string; readonly to: string },
): Promise<void> {
  const account = await getAccount(ctx, name, kind)
  const folder = path.resolve(to)
  await makeFolder(folder)
  let written = 0
  const { files, total } = await exportOf(ctx, account.id, () => {
    written += 1
  })
  const progress = setInterval(() => io.err(`${written} of ${total} records\n`), progressMs)
  try {
    for (const file of files) {
      const target = path.join(folder, file.name)
      await mkdir(path.dirname(target), { recursive: true, mode: folderMode })
      await pipeline(Readable.from(file.content()), createWriteStream(target, { flags: 'wx', mode: fileMode }))
    }
  } finally {
    clearInterval(progress)
  }
  print(io, { account: account.id, folder, files: files.length, records: written })
}

/** Keeps what the running service needs to find the rest, which it erases a minute later. */
function erasing(kind: Kind) {
  return withContext(async (ctx, io, name: string, { confirm }: { readonly confirm: string }) => {
    const account = await getAccount(ctx, name, kind)
    const at = ctx.clock.now()
    await beginErasure(ctx, account, confirm)
    print(io, { account: account.id, erased: await erase(ctx, { _id: account.id, erasing: at }) })
  })
}

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { mode: folderMode }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST')
      throw new Failure('conflict', `The folder ${folder} already exists.`, {
        fix: 'Name a folder that does not exist yet.',
      })
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR')
      throw new Failure('not_found', `There is no folder ${path.dirname(folder)}.`, {
        fix: 'Create it first, or name a place in an existing folder.',
      })
    if (error.code === 'EACCES' || error.code === 'EPERM' || error.code === 'EROFS')
      throw new Failure('forbidden', `The folder ${path.dirname(folder)} may not be written to.`, {
        fix: 'Name a place in a folder that you may write to.',
      })
    throw error
  })
}
