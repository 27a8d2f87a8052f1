/**
 * `mailroom db`: copies, checks and moves the embedded database. A deployment that MONGODB_URL names has tools of its
 * own for the first two, and is the other end of `export` and `import`. Results are lines of JSON, progress goes to `err`.
 */
import { rmSync, statSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { isSound, type Listener, verifyFile, verifyFolder } from '../engine/admin/verify.ts'
import { startServer } from '../engine/server.ts'
import { Failure } from '../schemas/failures.ts'
import type { Settings } from '../schemas/settings.ts'
import { backUp, type CopiedCollection, copyDatabase, type OnProgress } from '../store/database-copy.ts'
import { isServing, notRunning } from './admin-context.ts'
import { enginePaths, engineUrl } from './instance.ts'
import { type Io, print } from './io.ts'
import { SettingsError } from './settings.ts'

const progressEveryMs = 1_000
const mebibyte = 1024 * 1024

export const backup = explained(async (io: Io, name: string) => {
  const settings = embeddedSettings(io)
  const file = path.resolve(name)
  if (!(await isServing(settings.data))) throw notRunning(settings)
  const shown = setInterval(() => showCopy(io, settings, file), progressEveryMs)
  await backUp({ url: engineUrl(settings.data), file }).finally(() => clearInterval(shown))
  print(io, { backup: file })
  remindOfSecrets(io, settings)
})

/** Returns status 1 when anything is wrong. */
export const verify = explained(async (io: Io, name?: string) => {
  const settings = embeddedSettings(io)
  if (name === undefined && (await isServing(settings.data)))
    throw new Failure('unavailable', `The service runs on ${settings.data}.`, {
      fix: 'Stop it, or verify a backup of it.',
    })
  const everySecond = paced()
  const listener: Listener = {
    onCollection: (findings) => print(io, findings),
    onProgress: (ns, documents) => everySecond(() => io.err(`${ns}: ${documents} documents\n`)),
  }
  const findings =
    name === undefined
      ? verifyFolder(enginePaths(settings.data).folder, listener)
      : verifyFile(path.resolve(name), listener)
  const sound = isSound(findings)
  print(io, { sound, collections: findings.collections.length, errors: findings.errors })
  return sound ? 0 : 1
})

export const exportTo = explained(async (io: Io, url: string) => {
  const settings = embeddedSettings(io)
  // A service that runs goes on writing: what leaves is one moment of it, taken as a backup.
  const copy = (from: string) => copyDatabase({ from, to: url, onProgress: progressOn(io) })
  const copied = (await isServing(settings.data))
    ? await withSnapshot(settings, (snapshot) => withEngine(snapshot, copy))
    : await withEngine(enginePaths(settings.data).folder, copy)
  printCopied(io, copied)
  remindOfSecrets(io, settings)
})

export const importFrom = explained(async (io: Io, url: string) => {
  const settings = embeddedSettings(io)
  const { folder } = enginePaths(settings.data)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const copy = (to: string) => copyDatabase({ from: url, to, onProgress: progressOn(io) })
  printCopied(io, await withEngine(folder, copy))
  const secrets = path.join(settings.data, 'secrets')
  io.err(`Put the master.key it was sealed with into ${secrets} before the first start.\n`)
})

function embeddedSettings(io: Io): Settings {
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
function explained<Given extends unknown[], Result>(
  work: (io: Io, ...given: Given) => Promise<Result>,
): (io: Io, ...given: Given) => Promise<Result> {
  return async (io, ...given) => {
    try {
      return await work(io, ...given)
    } catch (error) {
      if (error instanceof Failure || error instanceof SettingsError) throw error
      throw new Failure('unavailable', error instanceof Error ? error.message : String(error), {
        cause: error,
        fix: 'Mend what is named here, and run the command again.',
      })
    }
  }
}

/** A backup in a folder of its own inside the data folder: it goes away whatever comes. */
async function withSnapshot<Result>(settings: Settings, work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(path.join(settings.data, 'export-'))
  const give = (signal: NodeJS.Signals) => {
    rmSync(folder, { recursive: true, force: true })
    process.kill(process.pid, signal)
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.once(signal, give)
  try {
    await backUp({ url: engineUrl(settings.data), file: path.join(folder, 'engine.db') })
    return await work(folder)
  } finally {
    for (const signal of signals) process.off(signal, give)
    await rm(folder, { recursive: true, force: true })
  }
}

/** An engine of our own on a folder that nobody uses, behind a socket that nobody else looks for. */
async function withEngine<Result>(dir: string, work: (url: string) => Promise<Result>): Promise<Result> {
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
function progressOn({ err }: Io): OnProgress {
  const everySecond = paced()
  return ({ collection, copied, of }) => {
    const show = () => err(`${collection}: ${copied} of ${of}\n`)
    if (copied < of) everySecond(show)
    else show()
  }
}

/** Calls what it is given, but not twice within a second. */
function paced(): (show: () => void) => void {
  let shownAt = Date.now()
  return (show) => {
    if (Date.now() - shownAt < progressEveryMs) return
    shownAt = Date.now()
    show()
  }
}

/** How far a backup is: it grows under another name until it is whole. */
function showCopy({ err }: Io, { data }: Settings, file: string): void {
  const sizes = [`${file}.partial`, path.join(enginePaths(data).folder, 'engine.db')].map(
    (name) => statSync(name, { throwIfNoEntry: false })?.size ?? 0,
  )
  err(`${sizes.map((bytes) => `${Math.round(bytes / mebibyte)} MiB`).join(' of ')}\n`)
}

function printCopied(io: Io, copied: readonly CopiedCollection[]): void {
  print(io, ...copied)
  const documents = copied.reduce((sum, { documents: own }) => sum + own, 0)
  print(io, { copied: true, collections: copied.length, documents })
}

/** The database holds secrets only in sealed form. */
function remindOfSecrets({ err }: Io, { data }: Settings): void {
  const secrets = path.join(data, 'secrets')
  err(`Keep ${secrets} too, in another place: without that key nobody can open what is sealed.\n`)
}
