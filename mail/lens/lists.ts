/** Reads lists: after a label, as points below one, as rows of a table, and as ticked boxes. */

import { isSum, uncounted, withoutAside } from './goods.ts'
import { itemsIn } from './items.ts'
import type { Line, Pair, Passage } from './lines.ts'
import type { Locale } from './locale.ts'
import { wrappedCharsMin } from './sentences.ts'
import type { Piece } from './shapes.ts'
import { type Columns, goodsColumns } from './table-heads.ts'

/** The maximum number of items of a list. */
const itemsMax = 100

const bullet = /^(?:[-*•·–▪●]|\d{1,2}[.)])\s+(?=\S)/
const point = /^(?:[-*•·–▪●]\s*|\d{1,2}[.)]\s+|\d{1,4}\s?[x×]\s)/

/**
 * Returns the list of a label: on its line, as points on the lines below, or on lines of its own. Returns none if its end is unclear.
 */
export function listOf(pair: Pair, locale: Locale): readonly Piece[] {
  // "What do you need? (tick all that apply)"
  const isAside = /^\([^()]*\)$/.test(pair.value)
  const below = pair.by === 'line' || isAside ? pointsBelow(pair.passage, pair.line) : []
  if (below.length > 0) return below
  if (isAside) return lineBelow(pair, locale)
  const quoted = quotedItems(pair)
  if (quoted.length > 0) return quoted
  const lines = valueLines(pair)
  if (lines === null) return []
  return lines.length > 1 ? lines : valueItems(pair.value, locale, pair.start)
}

/** Returns the items on the line below a question with an instruction in brackets: "What do you need? (choose any)". */
function lineBelow({ passage, line }: Pair, locale: Locale): readonly Piece[] {
  const below = passage.lines[passage.lines.indexOf(line) + 1]
  const isAnswer = below !== undefined && /^[^.:?!@\t]+, [^.:?!@\t]+$/.test(below.text)
  if (!isAnswer || passage.labelled.has(below.start)) return []
  const items = itemsIn(below.text, locale, below.start)
  return items.every(({ value }) => value.split(/\s+/).length <= enumeratedWordsMax) ? items : []
}

/** `["Payroll", "Pensions"]`, as programs write lists. */
const quotedItems = ({ value, start }: Pair): readonly Piece[] =>
  /^\[".*"\],?$/.test(value)
    ? Array.from(value.matchAll(/"([^"]{1,160})"/g), ({ 1: item = '', index }) => ({
        value: item,
        start: start + index + 1,
        end: start + index + 1 + item.length,
      }))
    : []

/** Returns the items of one line. "And" separates only the last two of several items; earlier on it is part of a name. */
function valueItems(value: string, locale: Locale, start: number): readonly Piece[] {
  const marked = partsOf(value, /\s+[•·|]\s+/g, start)
  if (marked.length > 1) return marked
  const items = itemsIn(value, locale, start)
  const parts = value.includes(';') ? [] : partsOf(value, /,\s+/g, start)
  const counts = parts.map((part) => itemsIn(part.value, locale).length)
  if (counts.slice(0, -1).every((count) => count < 2)) return items
  return counts.at(-1) === 1 ? parts : []
}

/** Splits a value at marks outside of brackets. */
function partsOf(value: string, mark: RegExp, start: number): readonly Piece[] {
  const parts: Piece[] = []
  let from = 0
  for (const { 0: found, index } of [...value.matchAll(mark), { 0: '', index: value.length }]) {
    const before = value.slice(from, index)
    if (before.lastIndexOf('(') > before.lastIndexOf(')')) continue
    if (before.trim() !== '') parts.push({ value: before, start: start + from, end: start + index })
    from = index + found.length
  }
  return parts
}

/** Returns the lines of a value, one for each item; none if it has one line, null if it is unclear which lines belong to it. */
function valueLines({ passage, line, label, value, start, by }: Pair): readonly Piece[] | null {
  const isCell = line.text.includes('\t') && line.text.endsWith(value)
  const isQuestion = by === 'line' && label.endsWith('?')
  const at = passage.lines.findIndex((each) => each.start <= start && start < each.start + each.text.length)
  const first = passage.lines[at]
  const isWhole = first !== undefined && first.text === value
  if (first === undefined || (isCell ? false : by !== 'line' || !isWhole || (isQuestion && /[,;]/.test(value))))
    return /,$/.test(value) ? null : []
  const items: Piece[] = [{ value, start, end: start + value.length }]
  let end: Line | undefined
  for (const below of passage.lines.slice(at + 1, at + itemsMax)) {
    end = below
    if (below.isFirst || (isCell ? below.text.includes('\t') : isLabelled(passage, below))) break
    items.push({ value: below.text, start: below.start, end: below.start + below.text.length })
  }
  if (items.length === 1 || isEnumeration(value, items[1] as Piece)) return []
  const isPlain = items.every((item) => item.value.length <= lineItemCharsMax && !/[.,:;!?]$|\t|, /.test(item.value))
  if (isCell && (end === undefined || end.isFirst || !end.text.includes('\t')))
    return (items[1] as Piece).value.length > lineItemCharsMax ? [] : null
  // Unknown labels may be among the lines. A label has one word, or the line below it is one word or digits.
  const isSure =
    isCell ||
    isQuestion ||
    /:$/.test(line.text) ||
    items.every((item) => counted.test(item.value)) ||
    items.every((item) => /^\p{Lu}[^\d?]* [^\d?]+$/u.test(item.value))
  return isPlain && isSure ? items : null
}

/** Whether a line has a label. Label words before a lower-case word do not count, since they may name a thing: "Training conversation". */
const isLabelled = ({ labelled, pairs }: Passage, line: Line) =>
  labelled.has(line.start) &&
  !pairs.some((pair) => pair.line === line && pair.by === 'words' && /^\p{Ll}+$/u.test(pair.value))

/** Whether a line enumerates short things and ends with them, so that the line below begins something else. */
const isEnumeration = (value: string, below: Piece) =>
  value.length < wrappedCharsMin &&
  /^\p{Lu}/u.test(below.value) &&
  !/[.!?:,]$|\d,\d/.test(value) &&
  value.split(/\s*[,;/|•·]\s+/).length >= enumeratedMin &&
  value.split(/\s*[,;/|•·]\s+/).every((part) => part.split(' ').length <= enumeratedWordsMax)
const enumeratedMin = 3
const enumeratedWordsMax = 4

/** A quantity before or after a thing. */
const counted = /^\d{1,4}\s?[x×]?\s|\s[x×]\s?\d{1,4}$/

/** A list of points and the line above it. */
export type Points = { readonly heading: string; readonly items: readonly Piece[] }

/** Returns the lists of points of a passage, each with its heading. */
export function pointLists(passage: Passage): readonly Points[] {
  const { lines } = passage
  return lines.flatMap((line, n) => {
    const below = lines[n + 1]
    const isHeading = !point.test(line.text) && below !== undefined && point.test(below.text) && line.role === null
    const items = isHeading ? pointsBelow(passage, line) : []
    return items.length === 0 ? [] : [{ heading: line.text, items }]
  })
}

/** Returns the lines below a heading up to a blank line, if all are short and none is in `labels`. None if there are fewer than two. */
export function linesBelow(passage: Passage, heading: Line, labels: ReadonlySet<Line>): readonly Piece[] {
  const at = passage.lines.indexOf(heading)
  const items: Piece[] = []
  // A heading between blank lines belongs to the paragraph below it.
  const isApart = heading.isFirst && passage.lines[at + 1]?.isFirst === true
  for (const [n, line] of passage.lines.slice(at + 1, at + 1 + itemsMax).entries()) {
    if (line.isFirst && !(isApart && n === 0)) break
    const isItem =
      line.text.length <= lineItemCharsMax && !/[.!?:@]$|:\s|\t| {2,}/.test(line.text) && line.role === null
    if (!isItem || labels.has(line)) return []
    items.push({ value: line.text, start: line.start, end: line.start + line.text.length })
  }
  return items.length > 1 ? items : []
}

const lineItemCharsMax = 50

/** Returns the parts of the line below a heading, separated by marks: `Zendesk · Coaching · Planning`. */
export function markedBelow(passage: Passage, heading: Line): readonly Piece[] {
  const below = passage.lines[passage.lines.indexOf(heading) + 1]
  if (below === undefined || below.isFirst || passage.labelled.has(below.start)) return []
  const parts = partsOf(below.text, /\s+[•·|]\s+/g, below.start)
  const areShort = parts.every(({ value }) => value.length <= lineItemCharsMax && !/[.!?:@]|\d{4}/.test(value))
  return parts.length >= enumeratedMin && areShort ? parts : []
}

/** Returns the points right below a line, without their bullets and prices. */
function pointsBelow(passage: Passage, heading: Line): readonly Piece[] {
  const at = passage.lines.indexOf(heading)
  const items: Piece[] = []
  for (const line of passage.lines.slice(at + 1, at + 1 + itemsMax)) {
    if (!point.test(line.text)) break
    const mark = bullet.exec(line.text)?.[0].length ?? 0
    const lead = mark + (items.length > 0 ? (joining.exec(line.text.slice(mark))?.[0].length ?? 0) : 0)
    items.push(withoutAside(withoutPrice(line.text.slice(lead), line.start + lead)))
  }
  return titlesIn(items) ?? items
}

/** "and" before the quantity of the next point. */
const joining = /^(?:and|plus|und|et|y|e|en)\s+(?=\d)/u

/** Returns the quoted titles if each point has one after its quantity: `22 x "Advanced Baking" (new edition)`. Otherwise null. */
function titlesIn(items: readonly Piece[]): readonly Piece[] | null {
  const titles = items.flatMap(({ value, start }) => {
    const match = /^(?:\d{1,4}\s?[x×]?\s)\s*(["“„«])\s?([^"“”„«»]{2,120}?)\s?["“”»]/u.exec(value)
    if (match === null) return []
    const [, mark = '', title = ''] = match
    const at = start + value.indexOf(title, value.indexOf(mark))
    return [{ value: title, start: at, end: at + title.length }]
  })
  return items.length > 1 && titles.length === items.length ? titles : null
}

/** Returns `Desk lamp (€ 12.00 each)` or `Desk lamp   12,00 €` without the price. */
function withoutPrice(text: string, offset: number): Piece {
  const value = text
    .replace(/\s*\([^()]*\d[^()]*[€$£]?[^()]*\)\s*$/, (part) => (/[€$£]|\d[.,]\d\d/.test(part) ? '' : part))
    .replace(/(?:\s{2,}|\s[-–:@]\s|\t)\S*[\d€$£][^\p{L}]*(?:EUR|USD|GBP|CHF)?\s*$/u, '')
    .replace(/\s(?:[€$£]\s?)\d[\d.,]*\s*$|\s\d[\d.,]*\s?[€$£]\s*$/u, '')
    .replace(/[\s,;:–—-]+$/, '')
  const inner = /^\s*/.exec(value)?.[0].length ?? 0
  return { value: value.slice(inner), start: offset + inner, end: offset + value.length }
}

/** Returns the ticked choices of a form: `☑ Curtains`, `[x] Curtains`. */
export function ticked({ lines }: Passage): readonly Piece[] {
  return lines.flatMap(({ text, start }) =>
    Array.from(text.matchAll(/(?:☑|☒|✓|✔|\[[xX]\])\s*([^☑☐☒✓✔[\]\t]{2,80}?)(?=\s*(?:[☑☐☒✓✔[\t]|$))/gu), (match) => {
      const value = match[1] as string
      const at = start + match.index + match[0].indexOf(value)
      return { value, start: at, end: at + value.length }
    }),
  )
}

/** Returns the goods in a table recognised by its head: `Item Qty Price`. None if a row that is not understood has others after it. */
export function tableItems(passage: Passage): readonly Piece[] {
  const { lines } = passage
  for (const [at, line] of lines.entries()) {
    const heads = goodsColumns(line.text)
    if (heads === null) continue
    const found = heads.map((head) => rowsBelow(lines.slice(at + 1, at + 1 + itemsMax), line, head))
    // A column of article numbers may also be named after the goods.
    const items = found.find((each) => !each.every(({ value }) => isCode(value))) ?? []
    // These rows only describe goods that are named above them.
    if (items.some(({ value }) => /^\p{L}[\p{L} ]{1,20}:\s/u.test(value))) return []
    if (items.length > 0) return heads[0]?.isCounted ? items : withoutCounts(items).map(uncounted)
  }
  return []
}

function rowsBelow(rows: readonly Line[], line: Line, head: Columns): readonly Piece[] {
  const items: Piece[] = []
  let cells = 0
  let wide = 0
  for (const [n, row] of rows.entries()) {
    if (items.length === 0 && rule.test(row.text)) continue
    // The sums below have fewer cells.
    const isEnd = cellCount(row, '\t') < cells || (row.isFirst && head.isWide && cellCount(row, wideGap) < wide)
    if (isEnd) return hasFiguresBelow(rows, n) ? [] : items
    const item = columnItem(row, line, head) ?? rowItem(row, head)
    if (item === null) {
      const next = isSum(row.text) ? undefined : rows[n + 1]
      const isOpen = next !== undefined && !next.isFirst && cellCount(next, wideGap) > head.figures
      if (isOpen && (columnItem(next, line, head) ?? rowItem(next, head)) !== null) return []
      return hasFiguresBelow(rows, n) ? [] : items
    }
    cells = cellCount(row, '\t')
    wide = cellCount(row, wideGap)
    items.push(item)
  }
  return items
}

/** Whether the figures of a row are on a line of their own below it: the name, its variant, then `2  27.00`. */
function hasFiguresBelow(rows: readonly Line[], n: number): boolean {
  const row = rows[n]
  if (row === undefined || row.isFirst || /\t|:$/.test(row.text) || isSum(row.text)) return false
  const below = rows.slice(n + 1, n + 1 + rowLinesMax)
  const at = below.findIndex(({ text, isFirst }) => isFirst || onlyFigures.test(text) || isSum(text))
  return at >= 0 && below[at]?.isFirst === false && onlyFigures.test((below[at] as Line).text)
}

const rowLinesMax = 3
const onlyFigures = /^\d[\d.,]*(?:\t[€$£]?\s?\d[\d.,]*\s?(?:[€$£]|EUR|USD|GBP|CHF)?)+$/u

const cellCount = ({ text }: Line, gap: string | RegExp) => text.split(gap).length
const wideGap = /\t| {2,}/
/** A line drawn with characters. */
const rule = /^[\s=_*·.–—-]+$/
const isCode = (text: string) => /\d/.test(text) && !/\s|\p{Ll}{3}/u.test(text)

/** Removes the quantity at the end of the names, if all names of a table end in one. */
function withoutCounts(items: readonly Piece[]): readonly Piece[] {
  const counted = / \d{1,4}$/
  if (items.length < 2 || !items.every(({ value }) => counted.test(value))) return items
  return items.map(({ value, start }) => {
    const name = value.replace(counted, '')
    return { value: name, start, end: start + name.length }
  })
}

/** Returns the cell of a row that begins where the column of the goods begins, or null. */
function columnItem(row: Line, head: Line, { itemAt }: Columns): Piece | null {
  if (itemAt === null || isSum(row.text) || !/\d/.test(row.text)) return null
  const wanted = indentOf(head) + itemAt
  const cells = [...row.text.matchAll(/[^\s](?:\S| (?! ))*/g)]
  const cell = cells.find(({ index }) => Math.abs(indentOf(row) + index - wanted) <= layoutSlack)
  return cells.length < 2 || cell === undefined || !/\p{L}{2}/u.test(cell[0])
    ? null
    : { value: cell[0], start: row.start + cell.index, end: row.start + cell.index + cell[0].length }
}

const layoutSlack = 1

const indentOf = ({ passage, start }: Line) => start - (passage.text.lastIndexOf('\n', start - 1) + 1)

function rowItem(row: Line, { figures, isNumbered, isWide, item }: Columns): Piece | null {
  const { text } = row
  const cells = [...text.matchAll(/[^\t ](?:[^\t ]| (?! ))*/g)]
  const cell = cells[item]
  if (
    isWide &&
    cell !== undefined &&
    cells.length === item + figures + 1 &&
    /\p{L}{2}/u.test(cell[0]) &&
    !isSum(cell[0])
  )
    return { value: cell[0], start: row.start + cell.index, end: row.start + cell.index + cell[0].length }
  if (isSum(text)) return null
  if (!/\d/.test(text)) return null
  const first = isNumbered ? (/^\S*\d\S*\s+/.exec(text)?.[0].length ?? 0) : 0
  let rest = text.slice(first)
  for (let n = 0; n < figures; n++) {
    const shorter = rest.replace(/\s+(?:[€$£]\s?|EUR\s)?-?\d[\d.,'’]*(?:\s?(?:[€$£%]|EUR|USD|GBP|CHF))?$/u, '')
    if (shorter === rest) break
    rest = shorter
  }
  if (rest.length === text.length - first || !/\p{L}/u.test(rest)) return null
  return { value: rest, start: row.start + first, end: row.start + first + rest.length }
}
