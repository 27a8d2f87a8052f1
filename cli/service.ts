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
/** How long requests in progress may take at a stop: less than the supervisor waits (cli/serve.ts). */
const doorsMs = 3_000
/** The same if the supervisor has died: the ports must be free for the next start, and the engine stops after this process. */
const orphanMs = 2_500
const idleCheckMs = 50

/** The roles of a service process: serve HTTP, run the jobs, or both. */
export const serviceRoles = ['api', 'jobs'] as const
type ServiceRole = (typeof serviceRoles)[number]

/**
 * Resolves when the service is ready; it runs until the supervisor stops it or dies. Rejects if it cannot start. Without the jobs, it
 * does the work that it records as due itself, and leaves all other work to the nodes with jobs.
 */
export async function runService(settings: Settings, roles: readonly ServiceRole[]): Promise<void> {
  // Without its supervisor, a start would wait for a database that is gone too.
  const leave = () => process.exit(1)
  process.on('disconnect', leave)
  if (process.connected === false) leave()
  const ctx = await openContext({ settings, role: 'service' })
  await ctx.skew.watch()
  await ensureSharedDomain(ctx)
  ctx.metrics.beforeScrape(async () => void (await Promise.all([measureQueues(ctx), measureCertificates(ctx)])))
  if (ctx.metrics.isOn) answerScrapes(ctx.metrics)
  // Not ready until the supervisor has reported the other parts.
  let parts: Parts = { supervisor: false }
  const dashboard = dashboardOf(ctx)
  const hasDoors = roles.includes('api')
  const running = await noteRunning(ctx)
  const doors = hasDoors ? await openDoors(ctx, { readiness: () => readinessOf(ctx, parts), dashboard }) : noDoors
  // After the doors, because the authority connects to the HTTP door when a certificate is ordered.
  await noteWantedCertificates(ctx)
  const alarms = startAlarms(ctx)
  const jobs = roles.includes('jobs') ? await startJobs(ctx, alarms) : []
  const certificates = { stop: async () => endRequests(ctx) }
  const stop = stopOf(ctx, {
    doors,
    running,
    jobs: [dashboard, { stop: () => endRecords(ctx) }, { stop: () => endAttempts(ctx) }, certificates, alarms, ...jobs],
  })
  process.on('message', (message: FromSupervisor) => {
    if (message.parts !== undefined) parts = message.parts
    if (hasDoors && Object.values(parts).every((up) => up)) dashboard.begin()
    if (message.closeDoors === true) void doors.close()
    if (message.stop === true) void stop(stopMs)
  })
  process.off('disconnect', leave)
  process.on('disconnect', () => void stop(orphanMs))
  sayReady()
}

/** Opens HTTP, and HTTPS if the settings open it. */
async function openDoors(ctx: Context, told: Pick<ApiOptions, 'readiness' | 'dashboard'>): Promise<Doors> {
  const { http, https } = ctx.settings
  const server = createHttpServer(ctx, { ...told, mcp: mcpOf(ctx) })
  const contexts = https.port === null ? null : await openTlsContexts(ctx)
  const secure = contexts === null ? null : createHttpsDoor(ctx, server, contexts)
  await listen(server, http)
  if (secure !== null) await listen(secure, https)
  return doorsOf(ctx, { server, secure, contexts })
}

/** Starts the clocks, and the listeners that act on changes at once. */
async function startJobs(ctx: Context, alarms: Alarms): Promise<readonly Job[]> {
  const listeners = [startAnnouncer(ctx), startIndexer(ctx)]
  return [await startClocks(ctx, alarms), ...listeners]
}

/** The MCP library is large, so it is loaded with the first MCP request. */
function mcpOf(ctx: Context): McpEndpoint {
  const load = loadOnce(async () => (await import('../mcp/server.ts')).createMcp(ctx))
  return async (request) => (await load())(request)
}

/** The current readiness of all parts. Waits only for a limited time: a ping may hang until the database is up again. */
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

/** Doors that can be closed: requests in progress are answered, and kept-alive connections accept no further ones. */
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

/**
 * Stops the doors first, then the jobs in their order, then writes what they left; a failure to write one thing does not keep the others
 * from being written. Ends the process.
 */
function stopOf(ctx: Context, { doors, jobs, running }: Running): (withinMs: number) => Promise<void> {
  let isStopping = false
  const unwritten = (error: unknown) =>
    ctx.log.warn({ err: error }, 'something could not be written at the stop; a sweep will do it later')
  return async (withinMs) => {
    if (isStopping) return
    isStopping = true
    setTimeout(() => process.exit(1), withinMs).unref()
    await doors.close()
    for (const job of jobs) await job.stop().catch(unwritten)
    // Only with the supervisor: without it, how the other parts end is unknown.
    if (process.connected) await running.stop().catch(unwritten)
    await closeContext(ctx).catch(unwritten)
    process.exit(0)
  }
}
