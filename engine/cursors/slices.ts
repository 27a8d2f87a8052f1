import { setImmediate } from 'node:timers/promises'
import { checkDeadline } from '../arguments.ts'
import { limits } from '../limits.ts'
import type { Store } from '../store/store.ts'

/**
 * Passes rows to `take` until it returns false or there are no more. Reads in snapshots of about `limits.scanSliceMs` at most,
 * and lets the event loop run between two of them. An `undefined` row means that the search goes on.
 * @returns whether the rows have ended
 * @throws EngineError MaxTimeMSExpired past the deadline
 */
export async function readInSlices<Row>(
  store: Store,
  rows: Iterator<Row | undefined>,
  take: (row: Row) => boolean,
  deadline: number | undefined,
): Promise<boolean> {
  for (;;) {
    const state = store.shared(() => slice(rows, take))
    if (state !== 'pause') return state === 'ended'
    checkDeadline(deadline)
    await setImmediate()
  }
}

function slice<Row>(rows: Iterator<Row | undefined>, take: (row: Row) => boolean): 'ended' | 'enough' | 'pause' {
  const until = performance.now() + limits.scanSliceMs
  for (let count = 1; ; count++) {
    const next = rows.next()
    if (next.done === true) return 'ended'
    if (next.value !== undefined && !take(next.value)) return 'enough'
    if ((next.value === undefined || count % limits.scanClockEvery === 0) && performance.now() > until) return 'pause'
  }
}
