/** Code shared by the sub-commands of `mailroom db`, each of which has its own file: results are lines of JSON, progress goes to `err`. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startServer } from '../engine/server.ts'
import { Failure } from '../schemas/failures.ts'
import type { Settings } from '../schemas/settings.ts'
import type { CopiedCollection, OnProgress } from '../store/database-copy.ts'
import { errorText, type Io, print, sentence } from './io.ts'
import { SettingsError } from './settings.ts'

export const progressEveryMs = 1_000

/** Fails with `validation_error` if the settings name a MongoDB deployment. */
export function embeddedSettings(io: Io): Settings {
  const settings = io.settings()
  if (settings.mongodbUrl === null) return settings
  throw new Failure(
    'validation_error',
    'The settings name a MongoDB deployment, but this command works on the embedded database.',
    {
      fix: 'Unset MONGODB_URL, and mongodbUrl in the settings file, for this command.',
    },
  )
}

/** Wraps a command so that its errors are shown as a sentence, without a stack. */
export function explained<Given extends unknown[], Result>(
  work: (io: Io, ...given: Given) => Promise<Result>,
): (io: Io, ...given: Given) => Promise<Result> {
  return async (io, ...given) => {
    try {
      return await work(io, ...given)
    } catch (error) {
      if (error instanceof Failure || error instanceof SettingsError) throw error
      throw new Failure('unavailable', sentence(errorText(error)), {
        cause: error,
        fix: 'Fix what the error names, and run the command again.',
      })
    }
  }
}

/** Runs `work` with a private engine on a folder that no other process uses, behind a socket in a temporary folder. */
export async function withEngine<Result>(dir: string, work: (url: string) => Promise<Result>): Promise<Result> {
  const place = await mkdtemp(path.join(tmpdir(), 'mailroom-'))
  const socket = path.join(place, 'engine.sock')
  try {
    const { promise: failed, reject } = Promise.withResolvers<never>()
    failed.catch(() => undefined)
    const server = await startServer({ dir, socket, onFailure: (why) => reject(new Error(why)) })
    try {
      return await Promise.race([work(`mongodb://${encodeURIComponent(socket)}/mailroom`), failed])
    } finally {
      await server.stop()
    }
  } finally {
    await rm(place, { recursive: true, force: true })
  }
}

/** Prints a line for each finished collection, and every second while one is in progress. */
export function progressOn({ err }: Io): OnProgress {
  const everySecond = paced()
  return ({ collection, copied, of }) => {
    const show = () => err(`${collection}: ${copied} of ${of}\n`)
    if (copied < of) everySecond(show)
    else show()
  }
}

/** Returns a function that calls its argument at most once a second. */
export function paced(): (show: () => void) => void {
  let shownAt = Date.now()
  return (show) => {
    if (Date.now() - shownAt < progressEveryMs) return
    shownAt = Date.now()
    show()
  }
}

export function printCopied(io: Io, copied: readonly CopiedCollection[]): void {
  print(io, ...copied)
  const documents = copied.reduce((sum, { documents: own }) => sum + own, 0)
  print(io, { copied: true, collections: copied.length, documents })
}

/** Reminds the operator to keep the key: the database contains secrets only in sealed form. */
export function remindOfSecrets({ err }: Io, { data }: Settings): void {
  const secrets = path.join(data, 'secrets')
  err(`Also keep a copy of ${secrets} in another place: without that key, nobody can open the sealed secrets.\n`)
}
