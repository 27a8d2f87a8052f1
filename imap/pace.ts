/**
 * Lets other sessions be served while one command runs for long. The command asks after each of its steps, and yields to the
 * event loop once it has worked for `stretchMs`.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Other sessions wait about this long at most for one command. */
const stretchMs = 8

/** Returns null while the work may continue, otherwise a promise to await first. */
export type Pace = () => Promise<void> | null

export function createPace(): Pace {
  let since = performance.now()
  const rest = async () => {
    await nextTurn()
    since = performance.now()
  }
  return () => (performance.now() - since < stretchMs ? null : rest())
}
