/**
 * `mailroom serve`: the one place that wires everything. Starts the embedded engine (unless MONGODB_URL names another
 * database), Haraka and the service process, prints the ready line, and stops them in order: doors, Haraka, service,
 * engine last.
 */
import { hostname } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import { createLog } from '../core/process/context.ts'
import { writeInstance } from '../plugins/instance.ts'
import type { Settings } from '../schemas/settings.ts'
import { type CertificateFiles, ensureCertificate } from './certificate.ts'
import { loginArguments } from './database-login.ts'
import { enginePaths, engineUrl, makeFolders, withPorts } from './instance.ts'
import { type Part, type PartOptions, startPart } from './supervisor.ts'

export const partNames = ['api', 'smtp'] as const
export type PartName = (typeof partNames)[number]

const repository = fileURLToPath(new URL('..', import.meta.url))
/** Orderly stop takes at most 20 s (decisions.md 5): Haraka may finish transactions, then the service, then the engine. */
const stopMs = { smtp: 12_000, service: 4_000, engine: 3_500 } as const

/** Longer than what a killed supervisor started takes to leave the data folder (engine/limits.ts, orphanMs). */
const lockWaitMs = 6_000

/** Runs until it is told to stop. `only` limits the parts; the embedded engine runs whenever a part needs it. */
export async function serve(wanted: Settings, only: readonly PartName[]): Promise<void> {
  const log = createLog(wanted, 'supervisor')
  await makeFolders(wanted.data)
  const settings = await withPorts(wanted)
  const parts = new Map<string, Part>()
  const stop = stopper(parts, log)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop(0))
  process.on('disconnect', () => void stop(0))
  // The starter may have died before anybody listened.
  if (process.connected === false) return stop(0)
  try {
    await startParts({ settings, only, parts, log })
  } catch (error) {
    if (stop.isStopping()) return
    log.fatal({ err: error }, 'the service could not be started')
    console.error(error instanceof Error ? error.message : String(error))
    await stop(1)
    return
  }
  if (!stop.isStopping()) announce(settings, parts)
}

type Stop = ((status: number) => Promise<void>) & { isStopping(): boolean }

function stopper(parts: ReadonlyMap<string, Part>, log: Logger): Stop {
  let stopping = false
  const stop = async (status: number) => {
    if (stopping) return
    stopping = true
    log.info('stopping')
    parts.get('service')?.send({ closeDoors: true })
    await parts.get('smtp')?.stop(stopMs.smtp)
    await parts.get('service')?.stop(stopMs.service)
    await parts.get('engine')?.stop(stopMs.engine)
    process.exit(status)
  }
  return Object.assign(stop, { isStopping: () => stopping })
}

async function startParts({
  settings: given,
  only,
  parts,
  log,
}: {
  settings: Settings
  only: readonly PartName[]
  parts: Map<string, Part>
  log: Logger
}): Promise<void> {
  const tell = () => {
    const up = Object.fromEntries(
      [...parts].filter(([name]) => name !== 'service').map(([name, part]) => [name, part.isReady()]),
    )
    parts.get('service')?.send({ parts: up })
  }
  const start = async (options: PartOptions) => {
    const part = startPart(options, { log, onChange: tell })
    parts.set(options.name, part)
    await part.started
    tell()
  }
  let settings = given
  if (settings.mongodbUrl === null) {
    const { folder, socket } = enginePaths(settings.data)
    const waiting = ['--lock-wait-ms', String(lockWaitMs)]
    const args = ['--data', folder, '--socket', socket, ...waiting, ...(await loginArguments(settings))]
    await start({ name: 'engine', script: script('engine/main.ts'), args })
    settings = { ...settings, mongodbUrl: engineUrl(settings.data) }
  }
  const env = { MAILROOM_SETTINGS: JSON.stringify(settings) }
  const starting: Promise<void>[] = []
  if (only.includes('api'))
    starting.push(start({ name: 'service', script: script('cli/main.ts'), args: ['run-service'], env }))
  if (only.includes('smtp')) {
    const tls = await ensureCertificate(settings.data, settings.hostname ?? hostname(), new Date())
    starting.push(startHaraka(settings, tls, start, env))
  }
  await Promise.all(starting)
}

async function startHaraka(
  settings: Settings,
  tls: CertificateFiles,
  start: (options: PartOptions) => Promise<void>,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const dir = path.join(settings.data, 'haraka')
  await writeInstance({ dir, settings, repository, tls })
  await start({ name: 'smtp', script: script('node_modules/haraka/bin/haraka'), args: ['-c', dir], env })
}

const script = (name: string) => path.join(repository, name)

/** The greeting of a terminal, and the one line of JSON that programs read (decisions.md 5). */
function announce(settings: Settings, parts: ReadonlyMap<string, Part>): void {
  const http = parts.has('service') ? `http://${settings.http.host}:${settings.http.port}` : null
  const mail = (port: number | null) => (parts.has('smtp') && port !== null ? `${settings.smtp.host}:${port}` : null)
  if (process.stdout.isTTY && http !== null) {
    console.log(`Mailroom is up. Make your first mailbox:\n\n  curl -X POST ${http}/api/v1/signup\n`)
  }
  const line = {
    ready: true,
    http,
    mcp: http === null ? null : `${http}/api/mcp`,
    smtp: mail(settings.smtp.port),
    submission: mail(settings.submission.port),
    submissions: mail(settings.submissions.port),
    imap: null,
    imaps: null,
    dns: null,
    data: settings.data,
  }
  console.log(JSON.stringify(line))
}
