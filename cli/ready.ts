/** How a part says that it is ready. */
import { flushCompileCache } from 'node:module'
import { answerWhetherAlive } from '../core/process/alive.ts'

/**
 * Tells the supervisor, which asks from then on whether the process is alive. What the process has compiled is kept from then on: one
 * that is killed later keeps nothing, and the next start would take twice as long.
 */
export function sayReady(): void {
  answerWhetherAlive()
  process.send?.({ ready: true })
  flushCompileCache()
}
