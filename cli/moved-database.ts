/** The location of a database that was moved out of its data folder (`mailroom db move`): a file in the folder has the connection string. */
import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import { open, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Failure } from '../schemas/failures.ts'

const lookEveryMs = 500

const fileOf = (dataFolder: string) => path.join(dataFolder, 'secrets', 'database.url')

/** The connection string; null if the database is in the data folder. */
export function movedTo(dataFolder: string): string | null {
  try {
    return readFileSync(fileOf(dataFolder), 'utf8').trim()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // A data folder that is a file is reported when the folders are made.
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw new Failure('forbidden', `${fileOf(dataFolder)} cannot be read (${code}).`, {
      cause: error,
      fix: 'Run this as the user who owns the data folder, or set MAILROOM_DATA to another one.',
    })
  }
}

/** Records where the database is, or with null, that it is in the data folder again; once this resolves, the record is on disk. */
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

/** Calls `onMove` when the location of the database changes. Returns a function that stops watching. */
export function watchMoves(dataFolder: string, onMove: () => void): () => void {
  const before = movedTo(dataFolder)
  const look = () => {
    if (movedTo(dataFolder) !== before) onMove()
  }
  watchFile(fileOf(dataFolder), { interval: lookEveryMs, persistent: false }, look)
  return () => unwatchFile(fileOf(dataFolder), look)
}
