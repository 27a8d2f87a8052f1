/** `mailroom account export` and `mailroom account erase`. */
import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { getAccount } from '../core/account/accounts.ts'
import { beginErasure, erase } from '../core/personal/erase.ts'
import { exportOf } from '../core/personal/export.ts'
import { Failure } from '../schemas/failures.ts'
import { withContext } from './admin-context.ts'
import { print } from './io.ts'

/** Of the progress that is told. */
const progressMs = 1_000
/** Somebody's mail: for the owner of the folder alone. */
const fileMode = 0o600
const folderMode = 0o700

/** Tells its progress on standard error, and at the end what it wrote. */
export const exportTo = withContext(async (ctx, io, name: string, { to }: { readonly to: string }) => {
  const account = await getAccount(ctx, name)
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
})

/** What is left then is what the running service needs to find the rest, which it erases a minute later. */
export const eraseAccount = withContext(async (ctx, io, name: string, { confirm }: { readonly confirm: string }) => {
  const account = await getAccount(ctx, name)
  const at = ctx.clock.now()
  await beginErasure(ctx, account, confirm)
  print(io, { account: account.id, erased: await erase(ctx, { _id: account.id, erasing: at }) })
})

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { mode: folderMode }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST')
      throw new Failure('conflict', `The folder ${folder} is there already.`, {
        fix: 'Name one that is not there yet.',
      })
    throw error
  })
}
