/**
 * `mailroom serve`: the one place that wires everything. Starts the embedded engine (unless MONGODB_URL names another
 * database), Haraka, IMAP, DNS and the service process, prints the ready line, and stops the parts in order: doors, Haraka, service,
 * engine last.
 */
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import type { CertificateFiles } from '../core/certificates/files.ts'
import { createLog } from '../core/process/log.ts'
import { openMetrics } from '../core/process/metrics.ts'
import { writeInstance } from '../plugins/instance.ts'
import { authorityOf } from '../schemas/authority.ts'
import type { Settings } from '../schemas/settings.ts'
import { requireDurable } from '../store/connection-string.ts'
import { ensureCertificate } from './certificate.ts'
import { loginArguments } from './database-login.ts'
import { enginePaths, engineUrl, makeFolders, refuseSharedPorts, withPorts } from './instance.ts'
import { errorText, type Io } from './io.ts'
import { metricsDoorOf, openMetricsDoor } from './metrics-door.ts'
import { watchMoves } from './moved-database.ts'
import { type PartName, partNames, partsOf } from './parts.ts'
import { type Part, type PartOptions, startPart } from './supervisor.ts'

const repository = fileURLToPath(new URL('..', import.meta.url))
const script = (name: string) => path.join(repository, name)

/** An orderly stop takes at most 20 s (decisions.md 5): Haraka may finish its transactions, then the service its work, then the engine. */
const stopMs = { smtp: 12_000, imap: 12_000, dns: 4_000, service: 4_000, engine: 3_500 } as const

/**
 * The service answers many clients at once: what it creates for a thousand waiting clients is garbage before a small semi-space is full,
 * and is copied for nothing. With 32 MB, the slowest hundredth of them is notified of a mail after 84 to 99 ms instead of 109 to 129
 * (bench/mcp.ts).
 */
const serviceSemiSpaceMb = 32

/**
 * V8 keeps the garbage of many connections until the heap is four times as large as what is in use. With this limit, Haraka takes 80 MB
 * less at 200 connections and no more CPU time (bench/inbound.ts); the service's answers would wait for more collections (bench/api.ts).
 */
const harakaHeapGrowthPercent = 60

/** Longer than the parts of a killed supervisor need to release the data folder (engine/limits.ts, orphanMs). */
const lockWaitMs = 6_000

/** Runs until it is stopped. `only` limits the parts. Returns the exit status. */
export async function serve(io: Io, { only }: { readonly only?: string }): Promise<number> {
  const names = only === undefined ? partNames : partsOf(only)
  const given = io.settings()
  const log = createLog(given, 'supervisor')
  const own = await withPorts(given)
  refuseSharedPorts(own, names)
  await makeFolders(given.data)
  let service = new Service(log)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => service.stop(0))
  // The channel to the process that started this one (cli/bin.js) closes when that process dies, which may have happened already.
  process.on('disconnect', () => service.stop(0))
  if (process.connected === false) service.stop(0)
  for (;;) {
    const settings = { ...own, mongodbUrl: io.settings().mongodbUrl }
    const status = await runParts(io, service, { settings, names, log })
    if (status !== startAgain) return status
    service = new Service(log)
  }
}

/** The status of a stop after which all parts start again, because their database has moved. */
const startAgain = -1

async function runParts(
  io: Io,
  service: Service,
  { settings, names, log }: { readonly settings: Settings; readonly names: readonly PartName[]; readonly log: Logger },
): Promise<number> {
  const unwatch = watchMoves(settings.data, () => service.stop(startAgain))
  startParts(service, settings, names).then(
    () => announce(io, settings, { service, names }),
    (error: unknown) => {
      if (service.isStopping) return
      log.fatal({ err: error }, 'the service could not be started')
      io.err(`${errorText(error)}\n`)
      service.stop(1)
    },
  )
  return service.stopped.finally(unwatch)
}

/** The running parts. Invariant: once a stop has begun, nothing is started and nothing is said to be ready. */
class Service {
  /** Resolves with the exit status when all parts have ended. */
  readonly stopped: Promise<number>
  isStopping = false
  readonly #log: Logger
  readonly #parts = new Map<string, Part>()
  readonly #resolveStopped: (status: number) => void

  constructor(log: Logger) {
    const { promise, resolve } = Promise.withResolvers<number>()
    this.stopped = promise
    this.#resolveStopped = resolve
    this.#log = log
  }

  has(name: string): boolean {
    return this.#parts.has(name)
  }

  parts(): readonly Part[] {
    return [...this.#parts.values()]
  }

  /** Resolves when the part is ready. Rejects if it could not start, or if a stop has begun. */
  async start(options: PartOptions): Promise<void> {
    if (this.isStopping) throw new Error('The service is stopping.')
    const part = startPart(options, { log: this.#log, onChange: () => this.#tellService() })
    this.#parts.set(options.name, part)
    await part.started
    this.#tellService()
  }

  stop(status: number): void {
    if (this.isStopping) return
    this.isStopping = true
    this.#log.info('stopping')
    this.#stopParts().then(() => this.#resolveStopped(status))
  }

  async #stopParts(): Promise<void> {
    this.#parts.get('service')?.send({ closeDoors: true })
    const doors = ['smtp', 'imap', 'dns'] as const
    await Promise.all(doors.map((name) => this.#parts.get(name)?.stop(stopMs[name])))
    await this.#parts.get('service')?.stop(stopMs.service)
    await this.#parts.get('engine')?.stop(stopMs.engine)
  }

  /** Sends the service process, which answers /readyz, the state of the other parts. */
  #tellService(): void {
    const others = [...this.#parts].filter(([name]) => name !== 'service')
    const parts = Object.fromEntries(others.map(([name, part]) => [name, part.isReady()]))
    this.#parts.get('service')?.send({ parts })
  }
}

async function startParts(service: Service, given: Settings, names: readonly PartName[]): Promise<void> {
  if (given.mongodbUrl !== null) requireDurable(given.mongodbUrl)
  const door = metricsDoorOf(given)
  if (door !== null) {
    const server = await openMetricsDoor(door, given, {
      own: await openMetrics('supervisor'),
      parts: () => service.parts(),
    })
    void service.stopped.then(() => {
      server.close()
      server.closeAllConnections()
    })
  }
  if (given.mongodbUrl === null) await service.start(await enginePart(given))
  const settings = { ...given, mongodbUrl: given.mongodbUrl ?? engineUrl(given.data) }
  const env = { MAILROOM_SETTINGS: JSON.stringify(settings) }
  const roles = names.filter((name) => name === 'api' || name === 'jobs')
  const serviceProcess = async () => {
    if (roles.includes('api') && settings.https.port !== null) await certificateOf(settings)
    await service.start({
      name: 'service',
      script: script('cli/service-main.ts'),
      args: roles,
      env,
      semiSpaceMb: serviceSemiSpaceMb,
    })
  }
  const start = {
    api: serviceProcess,
    jobs: serviceProcess,
    smtp: async () => service.start({ ...(await harakaPart(settings)), env }),
    imap: async () => {
      if (settings.imap.port === null && settings.imaps.port === null) return
      await certificateOf(settings)
      await service.start({ name: 'imap', script: script('cli/imap-main.ts'), env })
    },
    dns: async () => {
      if (settings.dns.port === null) return
      await service.start({ name: 'dns', script: script('cli/dns-main.ts'), env })
    },
  }
  await Promise.all([...new Set(names.map((name) => start[name]))].map((each) => each()))
}

async function enginePart(settings: Settings): Promise<PartOptions> {
  const { folder, socket } = enginePaths(settings.data)
  const waiting = ['--lock-wait-ms', String(lockWaitMs)]
  const args = ['--data', folder, '--socket', socket, ...waiting, ...(await loginArguments(settings))]
  return { name: 'engine', script: script('engine/main.ts'), args }
}

async function harakaPart(settings: Settings): Promise<PartOptions> {
  const dir = path.join(settings.data, 'haraka')
  const tls = await certificateOf(settings)
  await writeInstance({ dir, settings, repository, tls })
  const haraka = script('node_modules/haraka/bin/haraka')
  return {
    name: 'smtp',
    preload: script('plugins/preload.ts'),
    script: haraka,
    args: ['-c', dir],
    heapGrowthPercent: harakaHeapGrowthPercent,
  }
}

/** Several parts request it at the same time; it is created once. */
function certificateOf(settings: Settings): Promise<CertificateFiles> {
  certificate ??= ensureCertificate(settings)
  return certificate
}

let certificate: Promise<CertificateFiles> | undefined

/** Prints the greeting for a terminal, and the line of JSON for programs (decisions.md 5). */
function announce(
  { out }: Io,
  settings: Settings,
  { service, names }: { readonly service: Service; readonly names: readonly PartName[] },
): void {
  if (service.isStopping) return
  const http = names.includes('api') ? `http://${authorityOf(settings.http.host, settings.http.port)}` : null
  const at = (part: PartName, port: number | null, host = settings.smtp.host) =>
    service.has(part) && port !== null ? authorityOf(host, port) : null
  if (process.stdout.isTTY && http !== null)
    out(`Mailroom is up. Make your first mailbox:\n\n  curl -X POST ${http}/api/v1/signup\n\n`)
  const line = {
    ready: true,
    http,
    mcp: http === null ? null : `${http}/api/mcp`,
    smtp: at('smtp', settings.smtp.port),
    submission: at('smtp', settings.submission.port),
    submissions: at('smtp', settings.submissions.port),
    imap: at('imap', settings.imap.port),
    imaps: at('imap', settings.imaps.port),
    dns: at('dns', settings.dns.port, settings.dns.host),
    metrics: settings.metrics.port === null ? null : authorityOf(settings.metrics.host, settings.metrics.port),
    data: settings.data,
  }
  out(`${JSON.stringify(line)}\n`)
}
