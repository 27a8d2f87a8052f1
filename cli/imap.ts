/** The process of the IMAP server. */
import { openTlsContexts } from '../core/certificates/tls-contexts.ts'
import { endAttempts } from '../core/notify/attempts.ts'
import { closeContext, openContext } from '../core/process/context.ts'
import { answerScrapes } from '../core/process/metrics.ts'
import { startImap } from '../imap/server.ts'
import type { Settings } from '../schemas/settings.ts'
import { sayReady } from './ready.ts'

/** How long sessions may finish their command at a stop; after that, their writes are settled. */
const drainMs = 8_000
const stopMs = 11_000
/** The same if the supervisor has died: the port and the data folder have to be free for the next start. */
const orphanDrainMs = 1_500
const orphanMs = 2_500

/** Resolves when the server is ready; it runs until the supervisor stops it or dies. Rejects if it cannot start. */
export async function runImap(settings: Settings): Promise<void> {
  // Without its supervisor, a start would wait for a database that is gone too.
  const leave = () => process.exit(1)
  process.on('disconnect', leave)
  if (process.connected === false) leave()
  const ctx = await openContext({ settings, role: 'imap' })
  await ctx.skew.watch()
  if (ctx.metrics.isOn) answerScrapes(ctx.metrics)
  const contexts = await openTlsContexts(ctx)
  const { host } = settings.smtp
  const server = await startImap(ctx, { host, port: settings.imap.port, tlsPort: settings.imaps.port, contexts })
  let isStopping = false
  const stop = async (closeMs: number, withinMs: number): Promise<void> => {
    if (isStopping) return
    isStopping = true
    setTimeout(() => process.exit(1), withinMs).unref()
    contexts.close()
    await Promise.all([server.close(closeMs), endAttempts(ctx, closeMs)])
    await closeContext(ctx)
    process.exit(0)
  }
  process.on('message', (message: { readonly stop?: boolean }) => {
    if (message.stop === true) void stop(drainMs, stopMs)
  })
  process.off('disconnect', leave)
  process.on('disconnect', () => void stop(orphanDrainMs, orphanMs))
  sayReady()
}
