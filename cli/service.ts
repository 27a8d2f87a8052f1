/** The service process: API and MCP, the jobs, or both. */
import type { Server as HttpServer } from 'node:http'
import type { Server } from 'node:net'
import type { ApiOptions, Readiness } from '../api/endpoints.ts'
import { createHttpServer } from '../api/http-server.ts'
import { createHttpsDoor } from '../api/https.ts'
import { endRequests } from '../core/certificates/authority.ts'
import { noteWantedCertificates } from '../core/certificates/names.ts'
import { measureCertificates } from '../core/certificates/overview.ts'
import { openTlsContexts, type TlsContexts } from '../core/certificates/tls-contexts.ts'
import { ensureSharedDomain } from '../core/domains/shared-domain.ts'
import { endRecords } from '../core/intake/queue.ts'
import { endAttempts } from '../core/notify/attempts.ts'
import { closeFollowers } from '../core/notify/event-followers.ts'
import { type Context, closeContext, openContext } from '../core/process/context.ts'
import { loadOnce } from '../core/process/load-once.ts'
import { answerScrapes } from '../core/process/metrics.ts'
import { measureQueues } from '../core/upkeep/queue-metrics.ts'
import { noteRunning } from '../core/upkeep/quota-recount.ts'
import { closeWaiters } from '../core/wait/waiters.ts'
import { type Alarms, startAlarms } from '../jobs/alarms.ts'
import { startAnnouncer } from '../jobs/announcer.ts'
import { startClocks } from '../jobs/clocks.ts'
import { startIndexer } from '../jobs/indexer.ts'
import type { McpEndpoint } from '../operations/http.ts'
import type { Settings } from '../schemas/settings.ts'
import { sayReady } from './ready.ts'
import { dashboardOf } from './web-build.ts'

/** Which parts of the service are up. */
type Parts = Readonly<Record<string, boolean>>
type FromSupervisor = { readonly parts?: Parts; readonly closeDoors?: boolean; readonly stop?: boolean }

const pingMs = 2_000
const stopMs = 15_000
/** What is under way at a stop may take this long: less than the supervisor waits (cli/serve.ts). */
const doorsMs = 3_000
/** The same when the supervisor is gone: nobody may find a port held, and the engine leaves after us. */
const orphanMs = 2_500
const idleCheckMs = 50

/** What a service process does: serve HTTP, do what happens later, or both. */
export const serviceRoles = ['api', 'jobs'] as const
type ServiceRole = (typeof serviceRoles)[number]

/**
 * Resolves when the service is ready; it runs until the supervisor stops it, or is gone. Rejects when it cannot start. Without the
 * jobs it does what it writes down as due itself, and leaves the rest to the nodes that have them.
 */
export async function runService(settings: Settings, roles: readonly ServiceRole[]): Promise<void> {
  // A start whose supervisor is gone waits for a database that is gone too.
  const leave = () => process.exit(1)
  process.on('disconnect', leave)
  if (process.connected === false) leave()
  const ctx = await openContext({ settings, role: 'service' })
  await ctx.skew.watch()
  await ensureSharedDomain(ctx)
  ctx.metrics.beforeScrape(async () => void (await Promise.all([measureQueues(ctx), measureCertificates(ctx)])))
  if (ctx.metrics.isOn) answerScrapes(ctx.metrics)
  // Not ready before the supervisor has told which parts there are.
  let parts: Parts = { supervisor: false }
  const dashboard = dashboardOf(ctx)
  const hasDoors = roles.includes('api')
  const running = await noteRunning(ctx)
  const doors = hasDoors ? await openDoors(ctx, { readiness: () => readinessOf(ctx, parts), dashboard }) : noDoors
  // The authority looks at the HTTP door when a certificate is ordered.
  await noteWantedCertificates(ctx)
  const alarms = startAlarms(ctx)
  const jobs = roles.includes('jobs') ? await startJobs(ctx, alarms) : []
  const certificates = { stop: async () => endRequests(ctx) }
  const stop = stopOf(ctx, {
    doors,
    running,
    jobs: [dashboard, { stop: () => endRecords(ctx) }, { stop: () => endAttempts(ctx) }, certificates, alarms, ...jobs],
  })
  process.on('message', (told: FromSupervisor) => {
    if (told.parts !== undefined) parts = told.parts
    if (hasDoors && Object.values(parts).every((up) => up)) dashboard.begin()
    if (told.closeDoors === true) void doors.close()
    if (told.stop === true) void stop(stopMs)
  })
  process.off('disconnect', leave)
  process.on('disconnect', () => void stop(orphanMs))
  sayReady()
}

/** Opens HTTP, and HTTPS where the settings have it. */
async function openDoors(ctx: Context, told: Pick<ApiOptions, 'readiness' | 'dashboard'>): Promise<Doors> {
  const { http, https } = ctx.settings
  const server = createHttpServer(ctx, { ...told, mcp: mcpOf(ctx) })
  const contexts = https.port === null ? null : await openTlsContexts(ctx)
  const secure = contexts === null ? null : createHttpsDoor(ctx, server, contexts)
  await listen(server, http)
  if (secure !== null) await listen(secure, https)
  return doorsOf(ctx, { server, secure, contexts })
}

/** What happens later, and what makes news quick. */
async function startJobs(ctx: Context, alarms: Alarms): Promise<readonly Job[]> {
  const listeners = [startAnnouncer(ctx), startIndexer(ctx)]
  return [await startClocks(ctx, alarms), ...listeners]
}

/** The library that speaks MCP is large: it comes with the first client that does. */
function mcpOf(ctx: Context): McpEndpoint {
  const load = loadOnce(async () => (await import('../mcp/server.ts')).createMcp(ctx))
  return async (request) => (await load())(request)
}

/** Of the parts as they are now: the answer of the database may wait until it is up again. */
async function readinessOf(ctx: Context, parts: Parts): Promise<Readiness> {
  const late = new Promise<never>((_, reject) => setTimeout(() => reject(new Error('late')), pingMs).unref())
  const database = await Promise.race([ctx.store.ping(), late]).then(
    () => true,
    () => false,
  )
  const all = { ...parts, database, clock: ctx.skew.isSound(), api: true }
  return { ready: Object.values(all).every((up) => up), parts: all }
}

function listen(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number | null },
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port ?? 0, host, resolve)
  })
}

type Doors = { close(): Promise<void> }
type Job = { stop(): Promise<void> }

const noDoors: Doors = { close: async () => undefined }

/** To close them: requests that are under way are answered; a connection that is kept alive brings no further ones. */
function doorsOf(
  ctx: Context,
  {
    server,
    secure,
    contexts,
  }: { readonly server: HttpServer; readonly secure: Server | null; readonly contexts: TlsContexts | null },
): Doors {
  let closing: Promise<void> | null = null
  server.prependListener('request', (_request, response) => {
    if (closing !== null) response.setHeader('Connection', 'close')
  })
  return {
    close() {
      closeWaiters(ctx)
      closeFollowers(ctx)
      closing ??= (async () => {
        const idle = setInterval(() => server.closeIdleConnections(), idleCheckMs)
        setTimeout(() => server.closeAllConnections(), doorsMs).unref()
        await Promise.all([server, secure].map((each) => each !== null && ended(each)))
        clearInterval(idle)
        contexts?.close()
      })()
      return closing
    },
  }
}

const ended = (server: Server) => new Promise((resolve) => server.close(resolve))

type Running = { readonly doors: Doors; readonly jobs: readonly Job[]; readonly running: Job }

/** Doors first, then the jobs in their order, then what they have left to write: what one cannot write keeps no other from it. Ends the process. */
function stopOf(ctx: Context, { doors, jobs, running }: Running): (withinMs: number) => Promise<void> {
  let isStopping = false
  const unwritten = (error: unknown) =>
    ctx.log.warn({ err: error }, 'something was not written down at the stop; a sweep does it later')
  return async (withinMs) => {
    if (isStopping) return
    isStopping = true
    setTimeout(() => process.exit(1), withinMs).unref()
    await doors.close()
    for (const job of jobs) await job.stop().catch(unwritten)
    // Without its supervisor nobody knows how the other parts end.
    if (process.connected) await running.stop().catch(unwritten)
    await closeContext(ctx).catch(unwritten)
    process.exit(0)
  }
}
