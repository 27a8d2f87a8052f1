/** How a part reports that it is ready. */
import { flushCompileCache } from 'node:module'
import { answerWhetherAlive } from '../core/process/alive.ts'

/**
 * Tells the supervisor, which from then on asks whether the process is alive. The code that the process has compiled is saved now: a
 * process that is killed later would save nothing, and the next start would take twice as long.
 */
export function sayReady(): void {
  answerWhetherAlive()
  process.send?.({ ready: true })
  flushCompileCache()
}
