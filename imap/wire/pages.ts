/** A page of a result (RFC 9394 3): a range of positions, counted from the beginning or, when negative, from the end. */
import { Bad } from './answers.ts'
import type { Parser } from './parser.ts'

export type Page = { readonly from: number; readonly to: number }

/** Reads `1:100` or `-1:-100`. */
export function readPage(parser: Parser): Page {
  const isFromEnd = parser.take('-')
  const first = parser.number()
  parser.expect(':')
  if (parser.take('-') !== isFromEnd) throw new Bad('Both ends of a PARTIAL range must have the same sign')
  const second = parser.number()
  if (first === 0 || second === 0) throw new Bad('The positions of a PARTIAL range begin at 1')
  const [from, to] = first < second ? [first, second] : [second, first]
  return isFromEnd ? { from: -from, to: -to } : { from, to }
}

/** Returns the items of a result that are on a page, in their order. */
export function onPage<T>(found: readonly T[], { from, to }: Page): readonly T[] {
  return from > 0
    ? found.slice(from - 1, to)
    : found.slice(Math.max(0, found.length + to), Math.max(0, found.length + from + 1))
}

export const formatPage = ({ from, to }: Page): string => `${from}:${to}`
