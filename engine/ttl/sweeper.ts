import { log, reason } from '../log.ts'
import type { Writer } from '../writer/client.ts'

/**
 * Asks the writer at intervals to remove expired documents, one sweep at a time.
 * @returns a function that stops the sweeper
 */
export function startSweeper(writer: Writer, everyMs: number): () => void {
  let sweeping = false
  const timer = setInterval(() => {
    if (sweeping) return
    sweeping = true
    writer
      .write({ kind: 'expire', now: Date.now() })
      .catch((error: unknown) => log('warn', 'expiry failed', { reason: reason(error) }))
      .finally(() => {
        sweeping = false
      })
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
