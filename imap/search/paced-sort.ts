/** Sorts long lists in steps, so that other sessions are served in between. */
import type { Pace } from '../pace.ts'

/** The items that are sorted or merged between two checks of the pace. */
const stepLength = 500

type Compare<T> = (a: T, b: T) => number

/** Returns the items in order. The sort is stable. */
export async function sortedAtPace<T>(items: readonly T[], compare: Compare<T>, pace: Pace): Promise<readonly T[]> {
  let runs: (readonly T[])[] = []
  for (let n = 0; n < items.length; n += stepLength) {
    runs.push(items.slice(n, n + stepLength).sort(compare))
    await pace()
  }
  while (runs.length > 1) {
    const merged: (readonly T[])[] = []
    for (let n = 0; n < runs.length; n += 2) merged.push(await mergedAtPace(runs[n]!, runs[n + 1] ?? [], compare, pace))
    runs = merged
  }
  return runs[0] ?? []
}

async function mergedAtPace<T>(a: readonly T[], b: readonly T[], compare: Compare<T>, pace: Pace): Promise<T[]> {
  const merged: T[] = []
  for (let [n, m] = [0, 0]; n < a.length || m < b.length; ) {
    const isFirst = m === b.length || (n < a.length && compare(a[n]!, b[m]!) <= 0)
    merged.push(isFirst ? a[n++]! : b[m++]!)
    if (merged.length % stepLength === 0) await pace()
  }
  return merged
}
