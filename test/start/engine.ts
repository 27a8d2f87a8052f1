import { type ChildProcess, spawn } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Db, MongoClient, type MongoClientOptions } from 'mongodb'
import { type Router, startRouter } from '../peers/router/router.ts'
import { declaredKeys } from '../peers/router/targeting.ts'

/** An engine in its own process, with a client on its socket. */
export type Started = {
  readonly dir: string
  readonly socket: string
  readonly process: ChildProcess
  readonly client: MongoClient
  readonly db: Db
  /** The lines of its log so far. */
  readonly log: () => readonly string[]
  /** Stops it as a supervisor does. @returns the exit code */
  readonly stop: () => Promise<number | null>
  /** Ends it at once, without warning. */
  readonly kill: () => Promise<void>
}

export type StartOptions = {
  readonly dir?: string
  readonly args?: readonly string[]
  readonly client?: MongoClientOptions
}

const main = new URL('../../engine/main.ts', import.meta.url).pathname

const folders: string[] = []
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** Creates a data folder that is removed when this process ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'engine-'))
  folders.push(folder)
  return folder
}

/** Starts an engine on a fresh (or the given) data folder and waits until it listens. */
export async function startEngine(options: StartOptions = {}): Promise<Started> {
  const dir = options.dir ?? temporaryFolder()
  const socket = join(dir, 'engine.sock')
  const child = launch(dir, socket, options.args ?? [])
  const lines: string[] = []
  child.stderr?.on('data', (chunk: Buffer) => lines.push(...chunk.toString().split('\n').filter(Boolean)))
  await new Promise<void>((resolve, reject) => {
    child.on('message', (message) => (message as { ready?: boolean }).ready === true && resolve())
    child.once('exit', (code) => reject(new Error(`the engine ended with ${code}: ${lines.join('\n')}`)))
  })
  const client = await new MongoClient(url(socket), { serverSelectionTimeoutMS: 5000, ...options.client }).connect()
  const stop = async () => {
    await client.close()
    child.send({ stop: true })
    const code = await exit(child)
    if (options.dir === undefined) rmSync(dir, { recursive: true, force: true })
    return code
  }
  const kill = async () => {
    child.kill('SIGKILL')
    await exit(child)
    await client.close()
  }
  return { dir, socket, process: child, client, db: client.db('test'), log: () => lines, stop, kill }
}

/** Connects a client of the driver. */
export const connect = (url: string): Promise<MongoClient> => new MongoClient(url).connect()

/** A separate, empty database in the engine that the files of one worker process share. */
export type Database = { readonly url: string; readonly db: Db; drop(): Promise<void> }

let shared: Promise<Started> | undefined
let router: Promise<Router> | undefined
let databases = 0

/** Creates a database. The first call starts the engine, which ends with this process, however this ends. */
export async function openDatabase(): Promise<Database> {
  shared ??= startEngine()
  const { client, socket } = await shared
  if (process.env.ROUTER_REPORT !== undefined) router ??= startReporting(socket, process.env.ROUTER_REPORT)
  databases += 1
  const name = `test${databases}`
  const door = router === undefined ? socket : (await router).socket
  const db = client.db(name)
  return { url: `${url(door)}/${name}`, db, drop: async () => void (await db.dropDatabase()) }
}

/** Starts a router in front of an engine that appends what it saw to a file when this process ends, as a line of JSON. */
async function startReporting(socket: string, file: string): Promise<Router> {
  const made = await startRouter(socket, declaredKeys)
  process.once('exit', () => {
    const seen = { refused: [...made.refused], scattered: [...made.scattered.values()] }
    appendFileSync(file, `${JSON.stringify(seen)}\n`)
  })
  return made
}

/** Starts the process without waiting for it. */
export function launch(
  dir: string,
  socket: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ChildProcess {
  const argv = ['--disable-warning=ExperimentalWarning', main, '--data', dir, '--socket', socket, ...args]
  // The engine refuses to start beside another database.
  const { MONGODB_URL: _other, ...own } = process.env
  return spawn(process.execPath, argv, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], env: { ...own, ...env } })
}

/** Resolves to the exit code, also of a process that has ended already. */
export function exit(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode)
  return new Promise((resolve) => child.once('exit', (code) => resolve(code)))
}

/** Returns the connection string of a unix socket. */
export function url(socket: string): string {
  return `mongodb://${encodeURIComponent(socket)}`
}
