/** How a part says that it is ready. */
import { flushCompileCache } from 'node:module'

/**
 * Tells the supervisor. What the process has compiled is kept from then on: one that is killed later keeps nothing, and the next start
 * would take twice as long.
 */
export function sayReady(): void {
  process.send?.({ ready: true })
  flushCompileCache()
}
