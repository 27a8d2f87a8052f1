/** The process of the DNS server. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { type Context, closeContext, openContext } from '../core/process/context.ts'
import { answerScrapes } from '../core/process/metrics.ts'
import { startDns } from '../dns/server.ts'
import type { Settings } from '../schemas/settings.ts'
import { sayReady } from './ready.ts'

/** Answers that are under way at a stop may take this long; then the database is left. */
const drainMs = 1_000
const stopMs = 3_000

/** Resolves when the server is ready; it runs until the supervisor stops it, or is gone. Rejects when it cannot start. */
export async function runDns(settings: Settings): Promise<void> {
  // A start whose supervisor is gone waits for a database that is gone too.
  const leave = () => process.exit(1)
  process.on('disconnect', leave)
  if (process.connected === false) leave()
  const { host, port } = settings.dns
  if (port === null) throw new Error('dns.port is null: there is nothing to run.')
  const ctx = await openContext({ settings, role: 'dns' })
  goFirst(ctx)
  await ctx.skew.watch()
  if (ctx.metrics.isOn) answerScrapes(ctx.metrics)
  const server = await startDns(ctx, { host, port })
  let isStopping = false
  const stop = async (): Promise<void> => {
    if (isStopping) return
    isStopping = true
    setTimeout(() => process.exit(1), stopMs).unref()
    await server.close(drainMs)
    await closeContext(ctx)
    process.exit(0)
  }
  process.on('message', (told: { readonly stop?: boolean }) => {
    if (told.stop === true) void stop()
  })
  process.off('disconnect', leave)
  process.on('disconnect', () => void stop())
  sayReady()
}

/**
 * Questions are small, many and waited for: where the system permits it, they go before the other work of the machine, which would
 * keep each of them waiting for longer than its answer takes (bench/README.md, "dns"). Linux may weigh sessions instead of processes
 * against each other (sched(7), autogroup): this process is a session of its own, and its session gets the same priority. There
 * each thread has a priority (setpriority(2)), and a garbage collection ends when the last of V8's threads has done its share: were
 * only the main thread to go first, it would wait for those that do not.
 */
function goFirst({ log }: Context): void {
  const priority = constants.priority.PRIORITY_ABOVE_NORMAL
  try {
    for (const thread of existsSync(threads) ? readdirSync(threads) : [process.pid])
      setPriority(Number(thread), priority)
    if (existsSync(autogroup)) writeFileSync(autogroup, String(priority))
  } catch (error) {
    log.debug({ err: error }, 'the system does not let DNS questions go first')
  }
}

const autogroup = '/proc/self/autogroup'
const threads = '/proc/self/task'
