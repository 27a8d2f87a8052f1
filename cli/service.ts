/** The service process: API, MCP and the clocks, started by the supervisor. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createApi } from '../api/app.ts'
import { closeContext, openContext } from '../core/context.ts'
import { ensureSharedDomain } from '../core/domains.ts'
import { startAnnouncer } from '../jobs/announcer.ts'
import { startClocks } from '../jobs/clocks.ts'
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

export async function runService(settings: Settings): Promise<void> {
  const ctx = await openContext({ settings, role: 'service' })
  await ensureSharedDomain(ctx)
  let parts: Readonly<Record<string, boolean>> = {}

  async function readiness(): Promise<{ ready: boolean; parts: Readonly<Record<string, boolean>> }> {
    const late = new Promise<never>((_, reject) => setTimeout(() => reject(new Error('late')), pingMs).unref())
    const database = await Promise.race([ctx.store.ping(), late]).then(
      () => true,
      () => false,
    )
    const all = { ...parts, database, api: true }
    return { ready: Object.values(all).every((up) => up), parts: all }
  }

  const server = createServer(createApi(ctx, { readiness, mcp: createMcp(ctx) }))
  const announcer = startAnnouncer(ctx)
  const clocks = await startClocks(ctx)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(settings.http.port, settings.http.host, resolve)
  })

  async function closeDoors(): Promise<void> {
    if (!server.listening) return
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    server.closeIdleConnections()
    setTimeout(() => server.closeAllConnections(), stopMs / 2).unref()
    await closed
  }

  async function stop(): Promise<void> {
    setTimeout(() => process.exit(1), stopMs).unref()
    await closeDoors()
    await clocks.stop()
    await announcer.stop()
    await closeContext(ctx)
    process.exit(0)
  }

  process.on('message', (told: Told) => {
    if (told.parts !== undefined) parts = told.parts
    if (told.closeDoors === true) void closeDoors()
    if (told.stop === true) void stop()
  })
  process.on('disconnect', () => process.exit(1))
  const { port } = server.address() as AddressInfo
  process.send?.({ ready: true, http: `${settings.http.host}:${port}` })
}
