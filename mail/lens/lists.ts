/** Lists: behind a label, as points below one, as rows of a table, and in sentences. */

import { isSum, uncounted } from './goods.ts'
import { itemsIn } from './items.ts'
import type { Line, Pair, Passage } from './lines.ts'
import type { Locale } from './locale.ts'
import type { Piece } from './shapes.ts'
import { type Columns, goodsColumns } from './table-heads.ts'

/** Items of one list at most. */
const itemsMax = 100

const bullet = /^(?:[-*•·–▪●]|\d{1,2}[.)])\s+(?=\S)/
const point = /^(?:[-*•·–▪●]\s*|\d{1,2}[.)]\s+|\d{1,4}\s?[x×]\s)/

/** The list behind a label: on its line, or as points on the lines below. */
export function listOf(pair: Pair, locale: Locale): readonly Piece[] {
  const below = pair.by === 'line' ? pointsBelow(pair.passage, pair.line) : []
  if (below.length > 0) return below
  const lines = pair.by === 'line' && pair.label.endsWith('?') && !/[,;]/.test(pair.value) ? answerLines(pair) : []
  return lines.length > 1 ? lines : itemsIn(pair.value, locale, pair.start)
}

/** The lines of an answer, one for each item, up to the next label. */
function answerLines({ passage, start }: Pair): readonly Piece[] {
  const at = passage.lines.findIndex((line) => line.start <= start && start < line.start + line.text.length)
  const items: Piece[] = []
  for (const [n, line] of passage.lines.slice(at, at + itemsMax).entries()) {
    if (n > 0 && (line.isFirst || passage.labelled.has(line.start))) break
    if (line.text.length > lineItemCharsMax || /[.,:;!?]$|\t/.test(line.text)) return []
    items.push({ value: line.text, start: line.start, end: line.start + line.text.length })
  }
  return items
}

/** A list of points and what stands above it. */
export type Points = { readonly heading: string; readonly items: readonly Piece[] }

/** The lists of points of a passage, each with the line that heads it. */
export function pointLists(passage: Passage): readonly Points[] {
  const { lines } = passage
  return lines.flatMap((line, n) => {
    const below = lines[n + 1]
    const isHeading = !point.test(line.text) && below !== undefined && point.test(below.text) && line.role === null
    const items = isHeading ? pointsBelow(passage, line) : []
    return items.length === 0 ? [] : [{ heading: line.text, items }]
  })
}

/** What stands below a heading on lines of its own, up to a blank line: short, and no labels. None of fewer than two. */
export function linesBelow(passage: Passage, heading: Line): readonly Piece[] {
  const at = passage.lines.indexOf(heading)
  const items: Piece[] = []
  for (const line of passage.lines.slice(at + 1, at + 1 + itemsMax)) {
    if (line.isFirst) break
    const isItem =
      line.text.length <= lineItemCharsMax && !/[.!?:@]$|:\s|\t| {2,}/.test(line.text) && line.role === null
    if (!isItem || passage.labelled.has(line.start)) return []
    items.push({ value: line.text, start: line.start, end: line.start + line.text.length })
  }
  return items.length > 1 ? items : []
}

const lineItemCharsMax = 50

/** The points right below a line; without their marks and prices. */
function pointsBelow(passage: Passage, heading: Line): readonly Piece[] {
  const at = passage.lines.indexOf(heading)
  const items: Piece[] = []
  for (const line of passage.lines.slice(at + 1, at + 1 + itemsMax)) {
    if (!point.test(line.text)) break
    const mark = bullet.exec(line.text)?.[0].length ?? 0
    items.push(withoutPrice(line.text.slice(mark), line.start + mark))
  }
  return items
}

/** `Desk lamp (€ 12.00 each)` and `Desk lamp   12,00 €` without the price. */
function withoutPrice(text: string, offset: number): Piece {
  const value = text
    .replace(/\s*\([^()]*\d[^()]*[€$£]?[^()]*\)\s*$/, (part) => (/[€$£]|\d[.,]\d\d/.test(part) ? '' : part))
    .replace(/(?:\s{2,}|\s[-–:@]\s|\t)\S*[\d€$£][^\p{L}]*(?:EUR|USD|GBP|CHF)?\s*$/u, '')
    .replace(/\s(?:[€$£]\s?)\d[\d.,]*\s*$|\s\d[\d.,]*\s?[€$£]\s*$/u, '')
    .replace(/[\s,;:–—-]+$/, '')
  const inner = /^\s*/.exec(value)?.[0].length ?? 0
  return { value: value.slice(inner), start: offset + inner, end: offset + value.length }
}

/** What is ticked in a form: `☑ Curtains`, `[x] Curtains`. None where nothing can be ticked. */
export function ticked({ lines }: Passage): readonly Piece[] {
  return lines.flatMap(({ text, start }) =>
    Array.from(text.matchAll(/(?:☑|☒|✓|✔|\[[xX]\])\s*([^☑☐☒✓✔[\]\t]{2,80}?)(?=\s*(?:[☑☐☒✓✔[\t]|$))/gu), (match) => {
      const value = match[1] as string
      const at = start + match.index + match[0].indexOf(value)
      return { value, start: at, end: at + value.length }
    }),
  )
}

/** The goods in the rows of a table, told by its head: `Item Qty Price`. None where rows follow one that is not understood. */
export function tableItems(passage: Passage): readonly Piece[] {
  const { lines } = passage
  for (const [at, line] of lines.entries()) {
    const heads = goodsColumns(line.text)
    if (heads === null) continue
    const found = heads.map((head) => rowsBelow(lines.slice(at + 1, at + 1 + itemsMax), line, head))
    // A column of numbers may be called after the goods too.
    const items = found.find((each) => !each.every(({ value }) => isCode(value))) ?? []
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
    if (cellCount(row, '\t') < cells || (row.isFirst && head.isWide && cellCount(row, wideGap) < wide)) break
    const item = columnItem(row, line, head) ?? rowItem(row, head)
    if (item === null) {
      const next = isSum(row.text) ? undefined : rows[n + 1]
      const isOpen = next !== undefined && !next.isFirst && cellCount(next, wideGap) > head.figures
      return isOpen && (columnItem(next, line, head) ?? rowItem(next, head)) !== null ? [] : items
    }
    cells = cellCount(row, '\t')
    wide = cellCount(row, wideGap)
    items.push(item)
  }
  return items
}

const cellCount = ({ text }: Line, gap: string | RegExp) => text.split(gap).length
const wideGap = /\t| {2,}/
/** A line that is drawn. */
const rule = /^[\s=_*·.–—-]+$/
const isCode = (text: string) => /\d/.test(text) && !/\s|\p{Ll}{3}/u.test(text)

/** A figure that all names of a table end in says how many. */
function withoutCounts(items: readonly Piece[]): readonly Piece[] {
  const counted = / \d{1,4}$/
  if (items.length < 2 || !items.every(({ value }) => counted.test(value))) return items
  return items.map(({ value, start }) => {
    const name = value.replace(counted, '')
    return { value: name, start, end: start + name.length }
  })
}

/** The cell of a row that begins where the column of the goods does. */
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
