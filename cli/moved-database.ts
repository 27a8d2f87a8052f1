/** Where the database of a data folder went that was moved (`mailroom db move`): the connection string lies in a file of the folder. */
import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import { open, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Failure } from '../schemas/failures.ts'

const lookEveryMs = 500

const fileOf = (dataFolder: string) => path.join(dataFolder, 'secrets', 'database.url')

/** The connection string; null of a database that is in the data folder. */
export function movedTo(dataFolder: string): string | null {
  try {
    return readFileSync(fileOf(dataFolder), 'utf8').trim()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // A data folder that is a file is told of when it is made.
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw new Failure('forbidden', `${fileOf(dataFolder)} cannot be read (${code}).`, {
      cause: error,
      fix: 'Run this as the user who owns the data folder, or set MAILROOM_DATA to another one.',
    })
  }
}

/** Notes where the database went, or, with null, that it is in the data folder again; when this resolves it is on disk. */
export async function noteMoved(dataFolder: string, url: string | null): Promise<void> {
  const file = fileOf(dataFolder)
  if (url === null) await rm(file, { force: true })
  else {
    await writeFile(`${file}.partial`, `${url}\n`, { mode: 0o600, flush: true })
    await rename(`${file}.partial`, file)
  }
  const folder = await open(path.dirname(file), 'r')
  await folder.sync().finally(() => folder.close())
}

/** Calls `onMove` when the database of a data folder is elsewhere than it was. Returns a function that ends it. */
export function watchMoves(dataFolder: string, onMove: () => void): () => void {
  const before = movedTo(dataFolder)
  const look = () => {
    if (movedTo(dataFolder) !== before) onMove()
  }
  watchFile(fileOf(dataFolder), { interval: lookEveryMs, persistent: false }, look)
  return () => unwatchFile(fileOf(dataFolder), look)
}
