/** A whole separate service for a test: real processes, real sockets, free ports, a temporary data folder. */
import { type ChildProcess, spawn } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { engineUrl } from '../../cli/instance.ts'
import { loadSettings } from '../../cli/settings.ts'
import type { Clock } from '../../core/process/clock.ts'
import { type Context, closeContext, openContext } from '../../core/process/context.ts'

export type ReadyLine = {
  readonly ready: true
  readonly http: string
  readonly mcp: string
  readonly smtp: string
  readonly submission: string | null
  readonly submissions: string | null
  readonly imap: string | null
  readonly imaps: string | null
  readonly dns: string | null
  readonly metrics: string | null
  readonly data: string
}

export type Service = ReadyLine & {
  readonly process: ChildProcess
  /** What the processes logged so far. */
  logs(): string
  stop(): Promise<number | null>
  /** Ends it and removes the data folder. */
  dispose(): Promise<void>
}

const bin = fileURLToPath(new URL('../../cli/bin.js', import.meta.url))
const startMs = 120_000

/**
 * Starts `mailroom serve` with port 0 everywhere. `env` adds settings; `data` reuses an earlier folder; `node` is the Node binary,
 * by default our own; `only` names the parts to run, null all of them. Few tests need the processes for IMAP and DNS, so the default
 * leaves them out.
 */
export async function startService({
  env = {},
  data,
  node = process.execPath,
  only = 'api,jobs,smtp',
}: {
  env?: Record<string, string>
  data?: string
  node?: string
  only?: string | null
} = {}): Promise<Service> {
  const folder = data ?? (await mkdtemp(path.join(tmpdir(), 'mailroom-test-')))
  const child = spawn(node, [bin, 'serve', ...(only === null ? [] : ['--only', only])], {
    // By the channel it notices when this process has died.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      ...process.env,
      MAILROOM_DATA: folder,
      MAILROOM_HTTP_PORT: '0',
      MAILROOM_SMTP_PORT: '0',
      // A query that no index serves fails in tests, before it is slow anywhere.
      ENGINE_NO_TABLE_SCAN: '1',
      MAILROOM_LOG_LEVEL: 'info',
      ...env,
    },
  })
  let logs = ''
  child.stderr!.on('data', (text: Buffer) => {
    logs += text.toString()
  })
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const ready = await new Promise<ReadyLine>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`Not ready within ${startMs} ms:\n${logs}`)), startMs)
    createInterface({ input: child.stdout! }).on('line', (line) => {
      if (!line.startsWith('{')) return
      clearTimeout(timer)
      resolve(JSON.parse(line) as ReadyLine)
    })
    void exited.then((code) => reject(new Error(`Ended with ${code} before it was ready:\n${logs}`)))
  }).catch((error: unknown) => {
    child.kill('SIGTERM')
    throw error
  })
  const stop = async () => {
    child.kill('SIGTERM')
    return exited
  }
  return {
    ...ready,
    process: child,
    logs: () => logs,
    stop,
    async dispose() {
      if (child.exitCode === null && child.signalCode === null) await stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Starts a second node of a service: the API on the same database. `env` adds settings. */
export async function startNode({ data }: Service, env: Record<string, string>): Promise<Service> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mailroom-node-'))
  await mkdir(path.join(folder, 'secrets'), { mode: 0o700 })
  await copyFile(path.join(data, 'secrets', 'master.key'), path.join(folder, 'secrets', 'master.key'))
  return startService({ data: folder, only: 'api', env: { MONGODB_URL: engineUrl(data), ...env } })
}

/**
 * Opens a context on the database of a running service, for what only an administrator or the passing of time can do. `url` names
 * a database other than the service's own engine; `env` adds settings.
 */
export function contextOf(
  { data, url = engineUrl(data) }: Pick<ReadyLine, 'data'> & { readonly url?: string },
  clock?: Clock,
  log?: Logger,
  env: Readonly<Record<string, string>> = {},
): Promise<Context> {
  const settings = loadSettings({
    file: null,
    env: { MAILROOM_DATA: data, MONGODB_URL: url, MAILROOM_LOG_LEVEL: 'silent', ...env },
  })
  return openContext({
    settings,
    role: 'test',
    ...(clock !== undefined && { clock }),
    ...(log !== undefined && { log }),
  })
}

/** Runs `work` in a context on the database of a running service. */
export async function inContext<T>(service: Service, work: (ctx: Context) => Promise<T>): Promise<T> {
  const ctx = await contextOf(service)
  try {
    return await work(ctx)
  } finally {
    await closeContext(ctx)
  }
}
