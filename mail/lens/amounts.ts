/** The amounts of a passage. */

import type { Line, Passage } from './lines.ts'
import type { FoundNumber } from './numbers.ts'

export type Amount = {
  readonly value: number
  /** In the passage (UTF-16 offsets). */
  readonly start: number
  readonly end: number
  /** Whether it has a currency or decimals. */
  readonly isMarked: boolean
  readonly line: Line
}

/** Returns the amounts of a passage in order: numbers with a currency or two decimals, and large numbers. Linear. */
export function amountsOf(passage: Passage, numbers: (text: string) => readonly FoundNumber[]): readonly Amount[] {
  const amounts: Amount[] = []
  for (const line of passage.lines)
    for (const each of numbers(line.text)) {
      if (amounts.length === amountsMax) return amounts
      if (each.isShare || !isAmount(each, line.text) || isOfPhone(each, line.text)) continue
      const { value, start, end, currency } = each
      const isMarked = currency !== null || /[.,]\d\d$/.test(line.text.slice(start, end))
      amounts.push({ value, start: line.start + start, end: line.start + end, isMarked, line })
    }
  return amounts
}

/** Bounds the work, because each amount is weighed by the words around it. A yearly statement has fewer. */
const amountsMax = 500

const isAmount = ({ value, currency, start, end }: FoundNumber, text: string) =>
  currency !== null ||
  /[.,]\d\d$/.test(text.slice(start, end)) ||
  (value >= 100 && value % 1 === 0 && (value < 1990 || value > 2035))

/** Whether digits are part of a telephone number: they begin with a zero or a plus, or follow a group that does. */
const isOfPhone = ({ currency, start, end }: FoundNumber, text: string) =>
  currency === null &&
  !/[.,]\d\d$/.test(text.slice(start, end)) &&
  /(?:^|[^\d.,])(?:\+\d|0\d)[\d\s()/-]{0,20}$/.test(text.slice(Math.max(0, start - 25), Math.min(end, start + 2)))
