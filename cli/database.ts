/** What the sub-commands of `mailroom db` share, one file each: results are lines of JSON, progress goes to `err`. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startServer } from '../engine/server.ts'
import { Failure } from '../schemas/failures.ts'
import type { Settings } from '../schemas/settings.ts'
import type { CopiedCollection, OnProgress } from '../store/database-copy.ts'
import { type Io, print, sentence, told } from './io.ts'
import { SettingsError } from './settings.ts'

export const progressEveryMs = 1_000

/** Fails with `validation_error` when the settings name a MongoDB deployment. */
export function embeddedSettings(io: Io): Settings {
  const settings = io.settings()
  if (settings.mongodbUrl === null) return settings
  throw new Failure(
    'validation_error',
    'A MongoDB deployment is set, and this command is about the embedded database.',
    {
      fix: 'Unset MONGODB_URL and mongodbUrl of the settings file for this command.',
    },
  )
}

/** What goes wrong here is told in a sentence, without a stack. */
export function explained<Given extends unknown[], Result>(
  work: (io: Io, ...given: Given) => Promise<Result>,
): (io: Io, ...given: Given) => Promise<Result> {
  return async (io, ...given) => {
    try {
      return await work(io, ...given)
    } catch (error) {
      if (error instanceof Failure || error instanceof SettingsError) throw error
      throw new Failure('unavailable', sentence(told(error)), {
        cause: error,
        fix: 'Mend what is named here, and run the command again.',
      })
    }
  }
}

/** An engine of our own on a folder that nobody uses, behind a socket that nobody else looks for. */
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

/** A line for each collection that is done, and every second while one takes long. */
export function progressOn({ err }: Io): OnProgress {
  const everySecond = paced()
  return ({ collection, copied, of }) => {
    const show = () => err(`${collection}: ${copied} of ${of}\n`)
    if (copied < of) everySecond(show)
    else show()
  }
}

/** Calls what it is given, but not twice within a second. */
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

/** The database holds secrets only in sealed form. */
export function remindOfSecrets({ err }: Io, { data }: Settings): void {
  const secrets = path.join(data, 'secrets')
  err(`Keep ${secrets} too, in another place: without that key nobody can open what is sealed.\n`)
}
