import { limits } from '../limits.ts'

/**
 * A stable sort in steps: it yields `undefined` after every `limits.sortChunk` items that it has moved. The given list is not
 * changed.
 */
export function* sortInSteps<Item>(
  items: readonly Item[],
  compare: (a: Item, b: Item) => number,
): Generator<undefined, readonly Item[], void> {
  const runs: (readonly Item[])[] = []
  for (let at = 0; at < items.length; at += limits.sortChunk) {
    runs.push(items.slice(at, at + limits.sortChunk).sort(compare))
    if (items.length > limits.sortChunk) yield undefined
  }
  while (runs.length > 1) {
    for (let i = 0; i + 1 < runs.length; i++) runs.splice(i, 2, yield* merge(runs[i]!, runs[i + 1]!, compare))
  }
  return runs[0] ?? []
}

function* merge<Item>(
  a: readonly Item[],
  b: readonly Item[],
  compare: (a: Item, b: Item) => number,
): Generator<undefined, readonly Item[], void> {
  const merged: Item[] = []
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    const first = j >= b.length || (i < a.length && compare(a[i]!, b[j]!) <= 0)
    merged.push(first ? a[i++]! : b[j++]!)
    if (merged.length % limits.sortChunk === 0) yield undefined
  }
  return merged
}
