/** Message numbers. UIDs and sequence numbers are different types, so that one is never taken for the other. */
declare const uidBrand: unique symbol
declare const seqBrand: unique symbol

export type Uid = number & { readonly [uidBrand]: true }
export type SeqNumber = number & { readonly [seqBrand]: true }

/** The largest UID, and the largest number of a sequence set (RFC 9051 9, nz-number). */
export const numberMax = 4_294_967_295
/** The largest mod-sequence value: below that of RFC 7162 7 (a signed 64-bit integer), as far as numbers are exact here. */
export const number63Max = Number.MAX_SAFE_INTEGER

/** `*`: the largest number in use. */
export const star = Number.POSITIVE_INFINITY

/** A set of numbers as the client wrote it: ranges in any order, either end of which may be `star`; or `$`, the saved result. */
export type SequenceSet = readonly Range[] | '$'
export type Range = { readonly from: number; readonly to: number }

/** Returns sorted, merged ranges, with `last` in place of `*`. Either end of a range may come first (RFC 9051 9, seq-range). */
export function orderedRanges(set: readonly Range[], last: number): readonly Range[] {
  const sorted = set
    .map(({ from, to }) => {
      const [a, b] = [from === star ? last : from, to === star ? last : to]
      return a <= b ? { from: a, to: b } : { from: b, to: a }
    })
    .sort((a, b) => a.from - b.from)
  const ordered: Range[] = []
  for (const range of sorted) {
    const before = ordered.at(-1)
    if (before !== undefined && range.from <= before.to + 1) {
      if (range.to > before.to) ordered[ordered.length - 1] = { from: before.from, to: range.to }
    } else ordered.push(range)
  }
  return ordered
}

/** Formats ascending numbers as a set: `1:3,5`. */
export function formatSet(numbers: readonly number[]): string {
  const ranges: string[] = []
  for (let n = 0; n < numbers.length; ) {
    let end = n
    while (end + 1 < numbers.length && numbers[end + 1] === numbers[end]! + 1) end++
    ranges.push(end === n ? `${numbers[n]}` : `${numbers[n]}:${numbers[end]}`)
    n = end + 1
  }
  return ranges.join(',')
}
