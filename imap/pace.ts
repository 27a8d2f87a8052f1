/**
 * Lets other sessions be served while a command works for long. A piece of work asks after each of its steps; it rests when it
 * has worked for a while.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Others wait at most about so long for one command. */
const stretchMs = 8

/** Returns null while the work may go on, else what to wait for first. */
export type Pace = () => Promise<void> | null

export function createPace(): Pace {
  let since = performance.now()
  const rest = async () => {
    await nextTurn()
    since = performance.now()
  }
  return () => (performance.now() - since < stretchMs ? null : rest())
}
