/** Lists: behind a label, as points below one, as rows of a table, and in sentences. */

import { isSum } from './goods.ts'
import type { Line, Pair, Passage } from './lines.ts'
import type { Locale } from './locale.ts'
import type { Piece } from './shapes.ts'
import { type Columns, goodsColumns } from './table-heads.ts'

/** Items of one list at most, and characters of one. */
const itemsMax = 100
const itemCharsMax = 160

const bullet = /^(?:[-*•·–▪●]|\d{1,2}[.)])\s+(?=\S)/
const point = /^(?:[-*•·–▪●]\s*|\d{1,2}[.)]\s+|\d{1,4}\s?[x×]\s)/

/** The items in a text, with its offset: by semicolons, else by commas and "and". */
export function itemsIn(text: string, { language }: Locale, offset = 0): readonly Piece[] {
  const inner = /^[\s:]*/.exec(text)?.[0].length ?? 0
  const separator = text.includes(';') ? /\s*;\s*/g : separators[language]
  const items: Piece[] = []
  let start = inner
  const add = (end: number) => {
    const item = itemIn(text.slice(start, end), start + offset)
    if (item !== null && items.length < itemsMax) items.push(item)
  }
  for (const match of text.slice(0, 4_000).matchAll(separator)) {
    if (match.index < start || isInBrackets(text, match.index)) continue
    add(match.index)
    start = match.index + match[0].length
  }
  add(text.length)
  return items
}

const joining: { readonly [language in Locale['language']]: string } = {
  en: 'and also|and|as well as|plus|along with|together with|&',
  de: 'und auch|und|sowie|samt|plus|&',
  fr: 'et|ainsi que|plus|&',
  es: 'y también|y|e|así como|más|&',
  it: 'e anche|e|ed|nonché|più|oltre a|&',
  nl: 'en ook|en|evenals|plus|&',
  pt: 'e|&',
}
const separators = Object.fromEntries(
  Object.entries(joining).map(([language, and]) => [
    language,
    new RegExp(`\\s*(?:,(?!\\d)|\\s/|\\s[|·•]|\\s\\+)\\s+(?:(?:${and})\\s+)?|\\s+(?:${and})\\s+|,(?=\\p{L})`, 'gu'),
  ]),
) as { readonly [language in Locale['language']]: RegExp }

function isInBrackets(text: string, at: number): boolean {
  const open = text.lastIndexOf('(', at)
  return open >= 0 && at - open < itemCharsMax && !text.slice(open, at).includes(')')
}

const article =
  /^(?:also|auch|aussi|tambien|también|anche|ook|un peu de|any|a few|a couple of|several|qualche|alcun[ei]|algun[oa]s?|quelques|einige|ein paar|enkele|ons|onze|mein[e]?|my|mijn|un po.? di|dei|degli|delle|della|dello|del|ein bisschen|un poco de|an?|the|our|your|some|also|einen?|eine[mrn]?|der|die|das|den|dem|unsere?|ein|une?|des|les?|la|l['’]|du|de l['’]|los|las|el|un|una|unos|unas|il|lo|gli|i|uno|un['’]|het|de|een|neue[nrs]?|new|nieuwe?|nouve(?:au|lle)|nuev[oa]|nuov[oa])(?:\s+|(?<=['’]))/iu

/** An item without an article before it, nor an end of the sentence and a price behind it. */
function itemIn(text: string, offset: number): Piece | null {
  const trimmed = text.trimStart()
  let start = text.length - trimmed.length
  const first = article.exec(trimmed)?.[0].length ?? 0
  const lead = first + (article.exec(trimmed.slice(first))?.[0].length ?? 0)
  start += lead
  const value = text.slice(start).replace(/[\s.,;:!]+$/, '')
  return value === '' || value.length > itemCharsMax || !/[\p{L}\p{N}]/u.test(value)
    ? null
    : { value, start: start + offset, end: start + offset + value.length }
}

/** The list behind a label: on its line, or as points on the lines below. */
export function listOf(pair: Pair, locale: Locale): readonly Piece[] {
  const below = pair.by === 'line' ? pointsBelow(pair.passage, pair.line) : []
  return below.length > 0 ? below : itemsIn(pair.value, locale, pair.start)
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

/** The goods in the rows of a table, told by its head: `Item Qty Price`. */
export function tableItems(passage: Passage): readonly Piece[] {
  const { lines } = passage
  for (const [at, line] of lines.entries()) {
    const head = goodsColumns(line.text)
    if (head === null) continue
    const items: Piece[] = []
    for (const row of lines.slice(at + 1, at + 1 + itemsMax)) {
      const item = columnItem(row, line, head) ?? rowItem(row, head)
      if (item === null) break
      items.push(item)
    }
    if (items.length > 0) return items
  }
  return []
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
