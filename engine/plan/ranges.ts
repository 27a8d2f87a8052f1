import type { KeyPart } from '../bson/keys.ts'

/**
 * Ranges of index keys. A range is half open, `low <= key < high`, in memcmp order.
 *
 * Keys of one component are prefix free, so all keys that begin with p are `[p, successor(p))`. This holds for one component
 * and for a prefix of several.
 */
export type Range = {
  readonly low: Uint8Array
  readonly high: Uint8Array
  /** Whether the range contains a single value of each of its components. */
  readonly point: boolean
}

/** One end of a range, as explain shows it: a value, or text for the end of a type. */
export type Bound =
  | { readonly value: KeyPart; readonly open: boolean }
  | { readonly words: string; readonly open: boolean }

/** A range of one component, with the values at its ends. */
export type ValueRange = Range & { readonly from: Bound; readonly to: Bound }

const allKeysHigh = Uint8Array.of(0xff, 0xff)

/** All keys of one component. */
export const allKeys: ValueRange = {
  low: new Uint8Array(0),
  high: allKeysHigh,
  point: false,
  from: { words: 'MinKey', open: false },
  to: { words: 'MaxKey', open: false },
}

/** All keys that begin with `prefix`. */
export function beginningWith(prefix: Uint8Array, point: boolean, from: Bound, to: Bound): ValueRange {
  return { low: prefix, high: successor(prefix), point, from, to }
}

/** The smallest byte string above all those that begin with `bytes`. */
export function successor(bytes: Uint8Array): Uint8Array {
  let length = bytes.length
  while (length > 0 && bytes[length - 1] === 0xff) length--
  if (length === 0) return allKeysHigh
  const next = copyOf(bytes, length)
  next[length - 1]!++
  return next
}

/** The range of the same values in a descending component, whose key bytes are inverted. */
export function descending(range: Range): Range {
  const low = range === allKeys ? range.low : successor(inverted(range.high))
  const high = range.low.length === 0 ? allKeysHigh : successor(inverted(range.low))
  return { low, high, point: range.point }
}

/** The values in both lists. Both are sorted and without overlap, and so is the result. */
export function intersect(a: readonly ValueRange[], b: readonly ValueRange[]): ValueRange[] {
  const both: ValueRange[] = []
  for (const x of a) {
    for (const y of b) {
      const { low, from } = compareBytes(x.low, y.low) >= 0 ? x : y
      const { high, to } = compareBytes(x.high, y.high) <= 0 ? x : y
      if (compareBytes(low, high) < 0) both.push({ low, high, point: x.point || y.point, from, to })
    }
  }
  return both
}

/** The ranges sorted, with overlapping ones joined. */
export function normalise(ranges: readonly ValueRange[]): ValueRange[] {
  const sorted = [...ranges].sort((a, b) => compareBytes(a.low, b.low) || compareBytes(a.high, b.high))
  const joined: ValueRange[] = []
  for (const range of sorted) {
    const last = joined.at(-1)
    if (
      last === undefined ||
      compareBytes(last.high, range.low) < 0 ||
      (last.point && range.point && !same(last, range))
    ) {
      joined.push(range)
    } else if (!same(last, range)) {
      const { high, to } = compareBytes(last.high, range.high) >= 0 ? last : range
      joined[joined.length - 1] = { low: last.low, high, point: false, from: last.from, to }
    }
  }
  return joined
}

export function concat(prefix: Uint8Array, rest: Uint8Array): Uint8Array {
  if (prefix.length === 0) return rest
  const whole = new Uint8Array(prefix.length + rest.length)
  whole.set(prefix)
  whole.set(rest, prefix.length)
  return whole
}

export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  return Buffer.compare(a, b)
}

function same(a: Range, b: Range): boolean {
  return compareBytes(a.low, b.low) === 0 && compareBytes(a.high, b.high) === 0
}

function inverted(bytes: Uint8Array): Uint8Array {
  const result = copyOf(bytes, bytes.length)
  for (let i = 0; i < result.length; i++) result[i] = ~result[i]!
  return result
}

/** A copy of the first bytes; `slice` of a Buffer would share its memory. */
function copyOf(bytes: Uint8Array, length: number): Uint8Array {
  return Uint8Array.prototype.slice.call(bytes, 0, length)
}
