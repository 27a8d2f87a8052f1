/**
 * Reads goods from rows that end in prices. The structure that all rows of a list share decides which line names the goods: the row
 * itself, or the first of the lines above it. If that is unclear for one row, none is read. The rows are complete if their amounts
 * add up to a sum that the mail states.
 */
import type { OpenMail } from './candidates.ts'
import { bare, isSum } from './goods.ts'
import { phraseAt, wordsIn } from './lexicon.ts'
import type { Line, Passage } from './lines.ts'
import type { Piece } from './shapes.ts'

/** The maximum number of rows of a list. */
const rowsMax = 100

const price =
  /(?:^|[\s(…])-?(?:(?:[€$£]|EUR|USD|GBP|CHF)?\s?-?\d{1,3}(?:[. ',]\d{3})*[.,]\d\d(?!\d)\s?(?:[€$£]|EUR|USD|GBP|CHF|Euro|euro)?|[€$£]\s{0,8}\d{1,6})\s*$/u

type Row = {
  readonly line: Line
  readonly amount: number
  /** The name in the row itself. */
  readonly own: Piece | null
  /** The lines right above it, after the previous row or a blank line. */
  readonly above: readonly Line[]
}

type Rows = {
  readonly rows: readonly Row[]
  /** The amounts of the rows of sums below. */
  readonly sums: readonly number[]
  /** Whether a line with details of the last row is below it. */
  readonly isTrailed: boolean
}

/** Returns the goods of rows with prices, up to the first row of sums. None unless their amounts add up to a stated sum. */
export function pricedRows(passage: Passage, mail: OpenMail): readonly Piece[] {
  const { rows, sums, isTrailed } = rowsOf(passage, mail)
  const names = namesOf(rows, isTrailed)
  const isComplete = names.every((name) => name !== null) && (sums.length > 0 || names.length > 1)
  // If counted lines elsewhere list the goods, the rows with prices are only their cost.
  if (!isComplete || countedElsewhere(passage, rows) || names.some(isCalculation)) return []
  return isStated(rows, sums, passage, mail) ? plainOf(names) : []
}

/** `nights x 88.00 =` */
const isCalculation = (name: Piece | null) => name !== null && /=|[€$£]\s?\d|\d\s?[€$£]/.test(name.value)

/** Whether several lines other than the rows begin with a quantity. */
function countedElsewhere({ lines }: Passage, rows: readonly Row[]): boolean {
  const known = new Set(rows.flatMap(({ line, above }) => [line, ...above]))
  return lines.filter((line) => !known.has(line) && /^\d{1,4}\s?[x×]\s\p{L}/u.test(line.text)).length > 1
}

/** `Qty 10` */
const countAlone = /^\p{L}{2,10}\.?\s\d{1,4}$/u

/** Returns the goods on lines with labels for quantity and price below: `Lamp`, `Quantity: 2`, `Price: £12.00`. */
export function labelledGoods({ lines, pairs }: Passage): readonly Piece[] {
  const labels = new Map(pairs.map((pair) => [pair.line, pair.meanings.known]))
  const counts = lines.flatMap((line, n) => {
    const known = labels.get(line)
    const isCount = /:\s/.test(line.text) || countAlone.test(line.text)
    return known?.has('quantity') === true && isCount && line.text.length <= sentenceCharsMax ? [n] : []
  })
  const names = counts.flatMap((n) => {
    let at = n
    while (
      at > 0 &&
      n - at < aboveMax &&
      lines[at]?.isFirst === false &&
      (/^\p{L}[^:\t]{1,30}:\s/u.test((lines[at] as Line).text) || countAlone.test((lines[at] as Line).text))
    )
      at--
    const line = lines[at] as Line
    const name = at === n || /[.!?:]$|\t|@/.test(line.text) || isSum(line.text) ? null : bare(line.text, line.start)
    return name === null || labels.has(line) ? [] : [name]
  })
  return names.length === counts.length && new Set(names.map(({ start }) => start)).size === names.length ? names : []
}

function rowsOf(passage: Passage, { zones, numbers }: OpenMail): Rows {
  const rows: Row[] = []
  const sums: number[] = []
  let sum = 0
  let last = -1
  let isOver = false
  for (const [n, line] of passage.lines.entries()) {
    if (zones(passage).get(line) === 'offer') continue
    const isLabelled = /:\s*(?:[€$£]|EUR|USD|GBP|CHF)?\s?[\d.,]+\s?\S{0,4}$/.test(line.text)
    const isPriced = price.test(line.text) && !isLabelled
    const amount = isPriced ? amountOf(line, numbers) : 0
    const isAll = rows.length > 1 && Math.abs(amount - sum) < 0.005
    sum += amount
    if (isPriced && (isAll || isSum(line.text))) {
      if (rows.length > 0) isOver = true
      if (isOver) sums.push(amount)
    } else if (isPriced && !isOver && rows.length < rowsMax) {
      rows.push({ line, amount, own: ownName(line), above: linesAbove(passage.lines, n, last) })
      last = n
    } else if (isLabelled && rows.length > 0 && sums.length < rowsMax) {
      isOver = true
      sums.push(amountOf(line, numbers))
    } else if (!isPriced && rows.length > 0 && line.text.length > sentenceCharsMax) isOver = true
  }
  const next = passage.lines[last + 1]
  const isTrailed =
    next !== undefined && !next.isFirst && !rule.test(next.text) && !price.test(next.text) && !isSum(next.text)
  return { rows, sums, isTrailed }
}

/** Returns the last amount of a line, negative if a minus sign is before it or its currency. */
function amountOf({ text }: Line, numbers: OpenMail['numbers']): number {
  const amount = numbers(text).at(-1)?.value ?? 0
  return /[-−]\s?[€$£]?\s?\d[\d.,]*\s?\S{0,4}$/.test(text) ? -Math.abs(amount) : amount
}

const sentenceCharsMax = 60
/** A line drawn with characters. */
const rule = /^[\s=_*·.–—-]+$/

function linesAbove(lines: readonly Line[], n: number, last: number): readonly Line[] {
  const above: Line[] = []
  for (let at = n - 1; at > last && above.length < aboveMax; at--) {
    const line = lines[at] as Line
    if (lines[at + 1]?.isFirst === true || rule.test(line.text) || line.text.length > sentenceCharsMax * 2) break
    // A line with cells belongs to this row only if it begins with the number of the row.
    if (line.text.includes('\t') && !/^\d{1,4}\.?\s*\t/.test(line.text)) break
    above.unshift(line)
    if (line.text.includes('\t')) break
  }
  return above
}

const aboveMax = 6

/** Returns the name of each row, or null where it is unclear. */
function namesOf(rows: readonly Row[], isTrailed: boolean): readonly (Piece | null)[] {
  const [first, ...later] = rows
  if (first === undefined) return []
  const behind = namesOfCounted(rows)
  if (behind !== null) return behind
  // If only some rows have a quantity, the others may be fees or details.
  const counted = rows.filter(({ line }) => /^\d{1,4}\s?[x×]\s/.test(line.text)).length
  if (counted > 0 && counted < rows.length && rows.every(({ own }) => own !== null)) return [null]
  // A single row below a line with the quantity only states the price.
  if (later.length === 0 && first.own !== null && first.above.some(({ text }) => isDetail(text))) return [null]
  const isOwn = rows.every(({ own }) => own !== null)
  const gaps = rows.map(({ above }) => above.filter(isNoDetail).length)
  const least = Math.min(...gaps.slice(1))
  if (isOwn && (later.every(({ above }) => above.length === 0) || isTrailed)) return rows.map(({ own }) => own)
  if (gaps.every((gap) => gap > 0) && !isTrailed && (later.length > 0 || first.own === null)) {
    // The first row may have a heading above it. In lines of text it is left out; in cells it is unclear which lines belong to the table.
    const isHeaded = later.length > 0 && (gaps[0] as number) > Math.max(...gaps.slice(1))
    const isLike = gaps.slice(1).every((gap) => gap === least)
    if (isHeaded && isLike && first.line.text.includes('\t')) return [null]
    if (isHeaded && isLike) return [nameAt(first, (gaps[0] as number) - least), ...later.map((row) => nameAt(row, 0))]
    return rows.map((row) => nameAt(row, 0))
  }
  return rows.map((row, n) =>
    row.own !== null && row.above.length === 0 ? row.own : row.own === null && gaps[n] === 1 ? nameAt(row, 0) : null,
  )
}

/** Returns the names that have a quantity after them, in the row or in a line above it. Null if a row has none, or no line above does. */
function namesOfCounted(rows: readonly Row[]): readonly (Piece | null)[] | null {
  const lines = rows.map(({ line, above }) =>
    countBehind.test(line.text) ? line : above.find(({ text }) => countBehind.test(text)),
  )
  if (lines.includes(undefined) || lines.every((line, n) => line === rows[n]?.line)) return null
  return lines.map((line, n) => {
    const row = rows[n] as Row
    if (line === undefined || line === row.line) return row.own
    return bare(line.text, line.start)
  })
}

/** `Hoodie × 2`, before a price or at the end. */
const countBehind = /\p{L}\S* [x×] ?\d{1,3}(?=\s|$)/u

/** Returns the name in the nth line above a row, not counting details. */
function nameAt({ above }: Row, n: number): Piece | null {
  const line = above.filter(isNoDetail)[n]
  if (line === undefined || /[.!?:]$/.test(line.text)) return null
  const at = line.text.lastIndexOf('\t') + 1
  return bare(line.text.slice(at), line.start + at)
}

/** Whether a line is not a detail of goods named elsewhere: quantity, article number, text in brackets or after a label. */
const isNoDetail = ({ text }: Line) => !isDetail(text) && !/^\(.*\)$|^\p{L}[\p{L} .]{1,20}:\s/u.test(text)

function isDetail(text: string): boolean {
  const words = wordsIn(text).map(({ word }) => word)
  return (
    variant.test(text) ||
    ofDetails.has(phraseAt(words, 0)?.meaning ?? '') ||
    /^(?:[x×]\s?)?\d{1,4} ?(?:[x×]|st[uü]cke?|stk|pcs?|pieces?|pz|pezz[oi]|uds?|unidad(?:es)?|stuks?|ex|pi[eè]ces?|einheit(?:en)?|units?)(?:\s?[,;·–@-]|\s?$|\t)/iu.test(
      text,
    ) ||
    /^(?:art|ref|sku|cod|item|artikel|art[ií]culo|articolo|r[eé]f)[.\s:-]*(?:n[or°º]?[.:\s]*)?\S*\d\S*(?:\s|$)/iu.test(
      text,
    )
  )
}

/** `Black / M`: colour and size of the goods above. */
const variant = /^\p{L}[\p{L} -]{2,20} \/ (?:X{0,3}S|M|X{0,4}L|\d{2})(?=\t|\s{2,}|$)/u

const ofDetails: ReadonlySet<string> = new Set(['quantity', 'price', 'unit', 'number', 'reference'])

/** Returns the cells of a row: separated by tabs, or by gaps if there are at least three columns. */
function cellsOf(text: string): readonly RegExpExecArray[] {
  if (text.includes('\t')) return [...text.matchAll(/[^\t]+/g)]
  const cells = [...text.matchAll(/\S(?:\S| (?! ))*/g)].filter(({ 0: cell }) => !/^[.…\s]+$/.test(cell))
  return cells.length >= columnsMin ? cells : []
}

const columnsMin = 3

/** Returns the name in a row, without its line number, quantity and prices. */
function ownName({ text, start }: Line): Piece | null {
  if (isDetail(text)) return null
  const bar = text.indexOf(' | ')
  if (bar > 0) return bare(text.slice(0, bar), start)
  const cells = cellsOf(text)
  if (cells.length > 0) {
    const cell = cells.find(({ 0: each }) => /\p{L}{3}/u.test(each) && !/^\d+ ?\p{L}{1,3}\.?$/u.test(each.trim()))
    return cell === undefined ? null : bare(cell[0], start + cell.index)
  }
  // If gaps separate the columns, a figure after a single space belongs to the name.
  const figure = /\s{2,}(?:\S{1,3}\s{1,8})?\S*\d\S*(?:\s\S{1,4})?$/.test(text) ? laidOut : beside
  let rest = text
  for (let n = 0; n < figuresMax; n++) {
    const shorter = rest.replace(n === 0 ? beside : figure, '')
    if (shorter === rest || /\p{L}\S* \p{L}/u.test(rest.slice(shorter.length).trim())) break
    rest = shorter
  }
  const lead = /^\s*\d{1,4}\s{2,}(?:\d+\s?\p{L}{0,3}\s{2,})?/u.exec(rest)?.[0].length ?? 0
  return rest === text ? null : bare(rest.slice(lead), start + lead)
}

const amountEnd = "(?:[€$£]|EUR|USD|GBP|CHF)?\\s*\\d[\\d.,'’]*\\s?(?:[€$£%]|EUR|USD|GBP|CHF|Euro|euro)?$"
const beside = new RegExp(`(?:\\s*[.…]{3,}\\s*|\\s+)${amountEnd}`, 'u')
const laidOut = new RegExp(`(?:\\s*[.…]{3,}\\s*|\\s{2,})${amountEnd}`, 'u')
const figuresMax = 4

/** Removes a quantity in brackets if each name ends in one. */
function plainOf(names: readonly (Piece | null)[]): readonly Piece[] {
  const pieces = names.filter((name) => name !== null)
  const counted = /\s+\(\d{1,4}\s?(?:[x×]|\p{L}{2,9})\.?\)$/u
  if (pieces.length < 2 || !pieces.every(({ value }) => counted.test(value))) return pieces
  return pieces.map(({ value, start }) => {
    const plain = value.replace(counted, '')
    return { value: plain, start, end: start + plain.length }
  })
}

/** Whether the amounts of the rows, with additions below them, add up to an amount that the passage states elsewhere. */
function isStated(rows: readonly Row[], sums: readonly number[], passage: Passage, { numbers }: OpenMail): boolean {
  const own = new Set(rows.map(({ line }) => line))
  const stated = new Set(
    passage.lines.flatMap((line) =>
      own.has(line) ? [] : numbers(line.text).map(({ value }) => Math.round(value * 100)),
    ),
  )
  const all = rows.reduce((sum, { amount }) => sum + amount, 0)
  let sum = all
  const isOne = (amount: number) => stated.has(Math.round(amount * 100))
  if (isOne(all)) return true
  return sums.some((each) => {
    sum += each
    return isOne(sum) || isOne(all + each)
  })
}
