/** The process of the DNS server. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { type Context, closeContext, openContext } from '../core/process/context.ts'
import { answerScrapes } from '../core/process/metrics.ts'
import { startDns } from '../dns/server.ts'
import type { Settings } from '../schemas/settings.ts'
import { sayReady } from './ready.ts'

/** How long answers in progress may take at a stop, before the database is closed. */
const drainMs = 1_000
const stopMs = 3_000

/** Resolves when the server is ready; it runs until the supervisor stops it or dies. Rejects if it cannot start. */
export async function runDns(settings: Settings): Promise<void> {
  // Without its supervisor, a start would wait for a database that is gone too.
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
  process.on('message', (message: { readonly stop?: boolean }) => {
    if (message.stop === true) void stop()
  })
  process.off('disconnect', leave)
  process.on('disconnect', () => void stop())
  sayReady()
}

/**
 * Gives this process a higher priority, where the system permits it. Questions are small and many, and clients wait for them; the other
 * work of the machine would delay each for longer than its answer takes (bench/README.md, "dns"). Linux may weigh sessions against each
 * other instead of processes (sched(7), autogroup): this process is a session of its own, so its session gets the same priority. Linux
 * also has a priority per thread (setpriority(2)). A garbage collection ends only when the last of V8's threads has done its share, so
 * all threads get it: otherwise the main thread would wait for the others.
 */
function goFirst({ log }: Context): void {
  const priority = constants.priority.PRIORITY_ABOVE_NORMAL
  try {
    for (const thread of existsSync(threads) ? readdirSync(threads) : [process.pid])
      setPriority(Number(thread), priority)
    if (existsSync(autogroup)) writeFileSync(autogroup, String(priority))
  } catch (error) {
    log.debug({ err: error }, 'the DNS process could not raise its priority')
  }
}

const autogroup = '/proc/self/autogroup'
const threads = '/proc/self/task'
