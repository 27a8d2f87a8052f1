/** The service process: API, MCP and the clocks, started by the supervisor. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createApi } from '../api/app.ts'
import { ensureSharedDomain } from '../core/mailbox/domains.ts'
import { closeContext, openContext } from '../core/process/context.ts'
import { noteStart, noteStop } from '../core/upkeep/quota-recount.ts'
import { closeWaiters } from '../core/wait/waiters.ts'
import { startAnnouncer } from '../jobs/announcer.ts'
import { startClocks } from '../jobs/clocks.ts'
import { startIndexer } from '../jobs/indexer.ts'
import { createMcp } from '../mcp/server.ts'
import type { Settings } from '../schemas/settings.ts'

/** What the supervisor tells: which parts are up. */
type Told = {
  readonly parts?: Readonly<Record<string, boolean>>
  readonly closeDoors?: boolean
  readonly stop?: boolean
}

const pingMs = 2_000
const stopMs = 15_000
/** What is under way at a stop may take this long: less than the supervisor waits (cli/serve.ts). */
const doorsMs = 3_000
/** The same when the supervisor is gone: nobody may find a port held, and the engine leaves after us. */
const orphanMs = 2_500
const idleMs = 50

export async function runService(settings: Settings): Promise<void> {
  // A start whose supervisor is gone waits for a database that is gone too.
  let started = false
  const leave = () => {
    if (!started) process.exit(1)
  }
  process.on('disconnect', leave)
  if (process.connected === false) leave()
  const ctx = await openContext({ settings, role: 'service' })
  await ensureSharedDomain(ctx)
  // Not ready before the supervisor has told which parts there are.
  let parts: Readonly<Record<string, boolean>> = { supervisor: false }

  async function readiness(): Promise<{ ready: boolean; parts: Readonly<Record<string, boolean>> }> {
    // As they are now: the answer of the database may wait until it is up again.
    const told = parts
    const late = new Promise<never>((_, reject) => setTimeout(() => reject(new Error('late')), pingMs).unref())
    const database = await Promise.race([ctx.store.ping(), late]).then(
      () => true,
      () => false,
    )
    const all = { ...told, database, api: true }
    return { ready: Object.values(all).every((up) => up), parts: all }
  }

  let closing: Promise<void> | null = null
  const server = createServer(createApi(ctx, { readiness, mcp: createMcp(ctx) }))
  server.prependListener('request', (_request, response) => {
    if (closing !== null) response.setHeader('Connection', 'close')
  })
  await noteStart(ctx)
  const announcer = startAnnouncer(ctx)
  const indexer = startIndexer(ctx)
  const clocks = await startClocks(ctx)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(settings.http.port, settings.http.host, resolve)
  })

  // Requests that are under way are answered; a connection that is kept alive brings no further ones.
  function closeDoors(): Promise<void> {
    closeWaiters(ctx)
    closing ??= new Promise((resolve) => {
      const sweep = setInterval(() => server.closeIdleConnections(), idleMs)
      setTimeout(() => server.closeAllConnections(), doorsMs).unref()
      server.close(() => {
        clearInterval(sweep)
        resolve()
      })
    })
    return closing
  }

  let stopping = false
  async function stop(withinMs: number): Promise<void> {
    if (stopping) return
    stopping = true
    setTimeout(() => process.exit(1), withinMs).unref()
    await closeDoors()
    await clocks.stop()
    await announcer.stop()
    await indexer.stop()
    // Without its supervisor nobody knows how the other parts end.
    if (process.connected) await noteStop(ctx)
    await closeContext(ctx)
    process.exit(0)
  }

  process.on('message', (told: Told) => {
    if (told.parts !== undefined) parts = told.parts
    if (told.closeDoors === true) void closeDoors()
    if (told.stop === true) void stop(stopMs)
  })
  started = true
  process.on('disconnect', () => void stop(orphanMs))
  const { port } = server.address() as AddressInfo
  process.send?.({ ready: true, http: `${settings.http.host}:${port}` })
}
