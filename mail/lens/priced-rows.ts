/**
 * Goods in rows that end in prices. Which line of a row names the goods is told by what the rows of one list have alike: the row
 * itself, or the first of the lines above it. Where that stays open for one row, none of them is read. Rows are complete when their
 * amounts make the sum that the mail states.
 */
import type { OpenMail } from './candidates.ts'
import { bare, isSum } from './goods.ts'
import { phraseAt, wordsIn } from './lexicon.ts'
import type { Line, Passage } from './lines.ts'
import type { Piece } from './shapes.ts'

/** Rows of one list at most. */
const rowsMax = 100

const price =
  /(?:^|[\s(…])-?(?:(?:[€$£]|EUR|USD|GBP|CHF)?\s?-?\d{1,3}(?:[. ',]\d{3})*[.,]\d\d(?!\d)\s?(?:[€$£]|EUR|USD|GBP|CHF|Euro|euro)?|[€$£]\s{0,8}\d{1,6})\s*$/u

type Row = {
  readonly line: Line
  readonly amount: number
  /** The name in the row itself. */
  readonly own: Piece | null
  /** The lines right above it, down from the row before or a blank line. */
  readonly above: readonly Line[]
}

type Rows = {
  readonly rows: readonly Row[]
  /** What the rows of sums below say. */
  readonly sums: readonly number[]
  /** Whether a line that says more of the last row stands below it. */
  readonly isTrailed: boolean
}

/** The goods of rows with prices, up to the first row of sums; none where their amounts make no sum that the passage states. */
export function pricedRows(passage: Passage, mail: OpenMail): readonly Piece[] {
  const { rows, sums, isTrailed } = rowsOf(passage, mail)
  const names = namesOf(rows, isTrailed)
  const isComplete = names.every((name) => name !== null) && (sums.length > 0 || names.length > 1)
  // What is counted on lines of its own was ordered; what has a price then is what all of it costs.
  if (!isComplete || countedElsewhere(passage, rows) || names.some(isCalculation)) return []
  return isStated(rows, sums, passage, mail) ? plainOf(names) : []
}

/** `nights x 88.00 =` */
const isCalculation = (name: Piece | null) => name !== null && /=|[€$£]\s?\d|\d\s?[€$£]/.test(name.value)

/** Whether several lines without a price, apart from the rows, begin with how many. */
function countedElsewhere({ lines }: Passage, rows: readonly Row[]): boolean {
  const known = new Set(rows.flatMap(({ line, above }) => [line, ...above]))
  return lines.filter((line) => !known.has(line) && /^\d{1,4}\s?[x×]\s\p{L}/u.test(line.text)).length > 1
}

/** `Qty 10` */
const countAlone = /^\p{L}{2,10}\.?\s\d{1,4}$/u

/** The goods of lines that labels of how many and how much stand below: `Lamp`, `Quantity: 2`, `Price: £12.00`. */
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

/** The last amount of a line; less than nothing where a sign before it or its currency says so. */
function amountOf({ text }: Line, numbers: OpenMail['numbers']): number {
  const amount = numbers(text).at(-1)?.value ?? 0
  return /[-−]\s?[€$£]?\s?\d[\d.,]*\s?\S{0,4}$/.test(text) ? -Math.abs(amount) : amount
}

const sentenceCharsMax = 60
/** A line that is drawn. */
const rule = /^[\s=_*·.–—-]+$/

function linesAbove(lines: readonly Line[], n: number, last: number): readonly Line[] {
  const above: Line[] = []
  for (let at = n - 1; at > last && above.length < aboveMax; at--) {
    const line = lines[at] as Line
    if (lines[at + 1]?.isFirst === true || rule.test(line.text) || line.text.length > sentenceCharsMax * 2) break
    // Cells of a row begin with its number, or are those of another row.
    if (line.text.includes('\t') && !/^\d{1,4}\.?\s*\t/.test(line.text)) break
    above.unshift(line)
    if (line.text.includes('\t')) break
  }
  return above
}

const aboveMax = 6

/** The name of each row; null where it stays open. */
function namesOf(rows: readonly Row[], isTrailed: boolean): readonly (Piece | null)[] {
  const [first, ...later] = rows
  if (first === undefined) return []
  const behind = namesOfCounted(rows)
  if (behind !== null) return behind
  // Where some are counted, it is open whether the others are fees or say more of them.
  const counted = rows.filter(({ line }) => /^\d{1,4}\s?[x×]\s/.test(line.text)).length
  if (counted > 0 && counted < rows.length && rows.every(({ own }) => own !== null)) return [null]
  // Below how many there are a row says what they cost.
  if (later.length === 0 && first.own !== null && first.above.some(({ text }) => isDetail(text))) return [null]
  const isOwn = rows.every(({ own }) => own !== null)
  const gaps = rows.map(({ above }) => above.filter(isNoDetail).length)
  const least = Math.min(...gaps.slice(1))
  if (isOwn && (later.every(({ above }) => above.length === 0) || isTrailed)) return rows.map(({ own }) => own)
  if (gaps.every((gap) => gap > 0) && !isTrailed && (later.length > 0 || first.own === null)) {
    // Above the first a heading may stand: in lines of text it is left out, and in cells it is open which lines are of the table.
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

/** The names that how many stands behind: in the row, or in the line above it that says which kind; null where none is above. */
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

/** `Hoodie × 2`, before a price or nothing. */
const countBehind = /\p{L}\S* [x×] ?\d{1,3}(?=\s|$)/u

/** The name in one of the lines above a row. */
function nameAt({ above }: Row, n: number): Piece | null {
  const line = above.filter(isNoDetail)[n]
  if (line === undefined || /[.!?:]$/.test(line.text)) return null
  const at = line.text.lastIndexOf('\t') + 1
  return bare(line.text.slice(at), line.start + at)
}

/** What says more of goods that are named elsewhere: how many, of which number, in brackets, behind a label. */
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

/** `Black / M`: the colour and size of what stands above. */
const variant = /^\p{L}[\p{L} -]{2,20} \/ (?:X{0,3}S|M|X{0,4}L|\d{2})(?=\t|\s{2,}|$)/u

const ofDetails: ReadonlySet<string> = new Set(['quantity', 'price', 'unit', 'number', 'reference'])

/** The cells of a row: behind tabs, or where gaps lay out three columns at least. */
function cellsOf(text: string): readonly RegExpExecArray[] {
  if (text.includes('\t')) return [...text.matchAll(/[^\t]+/g)]
  const cells = [...text.matchAll(/\S(?:\S| (?! ))*/g)].filter(({ 0: cell }) => !/^[.…\s]+$/.test(cell))
  return cells.length >= columnsMin ? cells : []
}

const columnsMin = 3

/** The name in a row: without a number of its line, how many, and prices. */
function ownName({ text, start }: Line): Piece | null {
  if (isDetail(text)) return null
  const bar = text.indexOf(' | ')
  if (bar > 0) return bare(text.slice(0, bar), start)
  const cells = cellsOf(text)
  if (cells.length > 0) {
    const cell = cells.find(({ 0: each }) => /\p{L}{3}/u.test(each) && !/^\d+ ?\p{L}{1,3}\.?$/u.test(each.trim()))
    return cell === undefined ? null : bare(cell[0], start + cell.index)
  }
  // Where gaps lay out the columns, a figure behind one blank belongs to the name.
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

/** How many stand in brackets behind each of the names is no part of them. */
function plainOf(names: readonly (Piece | null)[]): readonly Piece[] {
  const pieces = names.filter((name) => name !== null)
  const counted = /\s+\(\d{1,4}\s?(?:[x×]|\p{L}{2,9})\.?\)$/u
  if (pieces.length < 2 || !pieces.every(({ value }) => counted.test(value))) return pieces
  return pieces.map(({ value, start }) => {
    const plain = value.replace(counted, '')
    return { value: plain, start, end: start + plain.length }
  })
}

/** Whether the amounts of the rows, with what is added below them, make an amount that the passage states elsewhere. */
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
