/**
 * `mailroom db`: copies, checks and moves the embedded database. A deployment that MONGODB_URL names has tools of its
 * own for the first two, and is the other end of `export` and `import`.
 */
import { rmSync, statSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Command } from 'commander'
import { isSound, type Listener, verifyFile, verifyFolder } from '../engine/admin/verify.ts'
import { startServer } from '../engine/server.ts'
import { Failure } from '../schemas/failures.ts'
import type { Settings } from '../schemas/settings.ts'
import { backUp, type Copied, copyDatabase, type OnProgress } from '../store/copies.ts'
import { answers } from './admin.ts'
import { enginePaths, engineUrl } from './instance.ts'

const progressEveryMs = 1_000
const mebibyte = 1024 * 1024

/** Adds the commands. Results are lines of JSON on stdout, progress goes to stderr. */
export function addDatabaseCommands(program: Command, settingsNow: () => Settings): void {
  const db = program.command('db').description('the embedded database: back up, verify, move')
  const embedded = () => {
    const settings = settingsNow()
    if (settings.mongodbUrl === null) return settings
    throw new Failure('validation_error', 'MONGODB_URL is set: this command is about the embedded database.')
  }
  db.command('backup <file>')
    .description('copy all data to a new file while the service runs')
    .action(explained(async (file: string) => backUpTo(embedded(), path.resolve(file))))
  db.command('verify [file]')
    .description('compare every index with the documents: of the stopped service, or of a backup')
    .action(explained(async (file?: string) => verify(embedded(), file)))
  db.command('export <url>')
    .description('copy all data into a MongoDB deployment that holds none yet, as it is now')
    .action(explained(async (url: string) => exportTo(embedded(), url)))
  db.command('import <url>')
    .description('copy all data of a MongoDB deployment into an empty data folder; the service must be stopped')
    .action(explained(async (url: string) => importFrom(embedded(), url)))
}

/** What goes wrong here is told in a sentence, without a stack. */
function explained<A extends unknown[]>(work: (...args: A) => Promise<void>): (...args: A) => Promise<void> {
  return async (...args) => {
    try {
      await work(...args)
    } catch (error) {
      if (error instanceof Failure) throw error
      throw new Failure('unavailable', error instanceof Error ? error.message : String(error), {
        cause: error,
      })
    }
  }
}

async function backUpTo(settings: Settings, file: string): Promise<void> {
  if (!(await answers(enginePaths(settings.data).socket)))
    throw new Failure('unavailable', `The service is not running on ${settings.data}: start it, or set MAILROOM_DATA.`)
  const shown = setInterval(() => showCopy(settings, file), progressEveryMs)
  await backUp({ url: engineUrl(settings.data), file }).finally(() => clearInterval(shown))
  print({ backup: file })
  hint(settings)
}

async function verify(settings: Settings, file: string | undefined): Promise<void> {
  const everySecond = paced()
  const listener: Listener = {
    onCollection: (findings) => print(findings),
    onProgress: (ns, documents) => everySecond(() => console.error(`${ns}: ${documents} documents`)),
  }
  if (file === undefined && (await answers(enginePaths(settings.data).socket)))
    throw new Failure('unavailable', `The service runs on ${settings.data}: stop it, or verify a backup of it.`)
  const findings =
    file === undefined
      ? verifyFolder(enginePaths(settings.data).folder, listener)
      : verifyFile(path.resolve(file), listener)
  const sound = isSound(findings)
  print({ sound, collections: findings.collections.length, errors: findings.errors })
  if (!sound) process.exitCode = 1
}

async function exportTo(settings: Settings, url: string): Promise<void> {
  const { folder, socket } = enginePaths(settings.data)
  // A service that runs goes on writing: what leaves is one moment of it, taken as a backup.
  const run = (from: string) => copyDatabase({ from, to: url, onProgress: progress() })
  const copied = (await answers(socket))
    ? await withSnapshot(settings, (snapshot) => withEngine(snapshot, run))
    : await withEngine(folder, run)
  printCopied(copied)
  hint(settings)
}

async function importFrom(settings: Settings, url: string): Promise<void> {
  const { folder } = enginePaths(settings.data)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  printCopied(await withEngine(folder, (to) => copyDatabase({ from: url, to, onProgress: progress() })))
  console.error(
    `Put the master.key it was sealed with into ${path.join(settings.data, 'secrets')} before the first start.`,
  )
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
function progress(): OnProgress {
  const everySecond = paced()
  return ({ collection, copied, of }) => {
    const show = () => console.error(`${collection}: ${copied} of ${of}`)
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
function showCopy({ data }: Settings, file: string): void {
  const sizes = [`${file}.partial`, path.join(enginePaths(data).folder, 'engine.db')].map(
    (name) => statSync(name, { throwIfNoEntry: false })?.size ?? 0,
  )
  console.error(sizes.map((bytes) => `${Math.round(bytes / mebibyte)} MiB`).join(' of '))
}

function printCopied(copied: readonly Copied[]): void {
  print(...copied)
  const documents = copied.reduce((sum, { documents: own }) => sum + own, 0)
  print({ copied: true, collections: copied.length, documents })
}

/** The database holds secrets only in sealed form. */
function hint({ data }: Settings): void {
  console.error(
    `Keep ${path.join(data, 'secrets')} too, in another place: without that key nobody can open what is sealed.`,
  )
}

function print(...records: readonly object[]): void {
  for (const each of records) console.log(JSON.stringify(each))
}
