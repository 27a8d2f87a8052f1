/**
 * Ranges of index keys. A range is half open, `low <= key < high`, in memcmp order.
 *
 * Keys of one component are prefix free, so "everything that begins with p" is `[p, successor(p))`, for a single
 * component as for a prefix of several.
 */
export type Range = {
  readonly low: Uint8Array
  readonly high: Uint8Array
  /** The range holds one value of each component it names. */
  readonly point: boolean
}

const everythingHigh = Uint8Array.of(0xff, 0xff)

/** All keys of one component. */
export const everything: Range = { low: new Uint8Array(0), high: everythingHigh, point: false }

/** All keys that begin with `prefix`. */
export function beginningWith(prefix: Uint8Array, point: boolean): Range {
  return { low: prefix, high: successor(prefix), point }
}

/** The smallest bytes above everything that begins with `bytes`. */
export function successor(bytes: Uint8Array): Uint8Array {
  let length = bytes.length
  while (length > 0 && bytes[length - 1] === 0xff) length--
  if (length === 0) return everythingHigh
  const next = Uint8Array.from(bytes.subarray(0, length))
  next[length - 1]!++
  return next
}

/** The same values in a descending component, whose bytes are stored inverted. */
export function descending(range: Range): Range {
  const low = range === everything ? range.low : successor(inverted(range.high))
  const high = range.low.length === 0 ? everythingHigh : successor(inverted(range.low))
  return { low, high, point: range.point }
}

/** The values both lists allow; both are sorted and without overlap, and so is the result. */
export function intersect(a: readonly Range[], b: readonly Range[]): Range[] {
  const both: Range[] = []
  for (const x of a) {
    for (const y of b) {
      const low = compareBytes(x.low, y.low) >= 0 ? x.low : y.low
      const high = compareBytes(x.high, y.high) <= 0 ? x.high : y.high
      if (compareBytes(low, high) < 0) both.push({ low, high, point: x.point || y.point })
    }
  }
  return both
}

/** Sorted, overlapping ranges joined. */
export function normalise(ranges: readonly Range[]): Range[] {
  const sorted = [...ranges].sort((a, b) => compareBytes(a.low, b.low) || compareBytes(a.high, b.high))
  const joined: Range[] = []
  for (const range of sorted) {
    const last = joined.at(-1)
    if (
      last === undefined ||
      compareBytes(last.high, range.low) < 0 ||
      (last.point && range.point && !same(last, range))
    ) {
      joined.push(range)
    } else if (!same(last, range)) {
      const high = compareBytes(last.high, range.high) >= 0 ? last.high : range.high
      joined[joined.length - 1] = { low: last.low, high, point: false }
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
  return Uint8Array.from(bytes, (byte) => byte ^ 0xff)
}
