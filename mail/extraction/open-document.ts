/** OpenDocument texts and spreadsheets (.odt, .ods; OpenDocument 1.3 part 3). */
import { isNear } from './colours.ts'
import type { FileText } from './file-type.ts'
import type { Package } from './package.ts'
import { createPage, type HiddenKind, type Page } from './page.ts'
import { type Attributes, readXml } from './xml.ts'

/**
 * The text of a document, or of all tables of a spreadsheet, cells as they are shown. Hidden text, sheets, rows and columns, deleted text
 * and comments are reported as hidden. Null for other kinds of documents, and encrypted ones. Throws when the file is broken.
 */
export async function readOpenDocument(parts: Package): Promise<FileText | null> {
  const content = await parts.read('content.xml')
  if (content === null) return null
  const common = await parts.read('styles.xml')
  const styles: Styles = { byName: new Map(), sheets: 0 }
  for (const source of [common, content]) if (source !== null) readStyles(styles, source)
  const page = createPage()
  if (common !== null) writeParts(page, common, styles, ['style:header'])
  const isRead = writeParts(page, content, styles, ['office:text', 'office:spreadsheet'])
  if (common !== null) writeParts(page, common, styles, ['style:footer'])
  return isRead ? page.finished() : null
}

/** What a style says about hiding text, and the name of the style that it is based on. */
type Style = { base: string; isHidden?: boolean; colour?: string; ground?: string; isTiny?: boolean }

type Styles = {
  readonly byName: Map<string, Style>
  /** How many sheets a spreadsheet has. */
  sheets: number
}

function readStyles(styles: Styles, source: Buffer): void {
  let style: Style | null = null
  let isSpreadsheet = false
  readXml(source, {
    open(name, attributes) {
      if (name === 'style:style') {
        style = { base: attributes['style:parent-style-name'] ?? '' }
        styles.byName.set(attributes['style:name'] ?? '', style)
      } else if (name === 'office:spreadsheet') isSpreadsheet = true
      else if (isSpreadsheet && name === 'table:table') styles.sheets++
      else if (style !== null) setStyle(style, attributes)
    },
    close(name) {
      if (name === 'style:style') style = null
    },
  })
}

function setStyle(style: Style, attributes: Attributes): void {
  if (attributes['text:display'] === 'none' || attributes['table:display'] === 'false') style.isHidden = true
  const { 'fo:color': colour, 'fo:background-color': ground } = attributes
  if (colour !== undefined) style.colour = colour.slice(1)
  if (ground !== undefined && ground !== 'transparent') style.ground = ground.slice(1)
  const points = /^([\d.]+)pt$/.exec(attributes['fo:font-size'] ?? '')?.[1]
  if (points !== undefined) style.isTiny = Number(points) <= tinyPoints
}

/** Largest font size in points that nobody can read. */
const tinyPoints = 1.5

function styleOf({ byName }: Styles, name: string | undefined, levels = basesMax): Style {
  const style = byName.get(name ?? '') ?? { base: '' }
  return style.base === '' || levels === 0
    ? style
    : { ...styleOf({ byName, sheets: 0 }, style.base, levels - 1), ...style }
}

const basesMax = 10

/** An open element: how it hides its content, if it does, what its style says, and how often it is repeated. */
type Around = {
  readonly name: string
  readonly hiding: HiddenKind | 'unread' | null
  readonly style: Style | null
  readonly count: number
}

/** The columns of a table, each range with the number of the first column after it, and the number of the next cell. */
type Table = { readonly columns: { readonly end: number; readonly isHidden: boolean }[]; next: number }

type Reading = {
  readonly page: Page
  readonly styles: Styles
  /** Open elements, outermost first; empty outside the parts that are read. */
  readonly around: Around[]
  readonly tables: Table[]
  /** How many paragraphs are open: only they contain text. */
  paragraphs: number
  /** The date that the open cell of a sheet holds; null when it holds something else. */
  date: string | null
}

/** Reads the named elements with everything in them. Returns whether there was one. */
function writeParts(page: Page, source: Buffer, styles: Styles, wanted: readonly string[]): boolean {
  const reading: Reading = { page, styles, around: [], tables: [], paragraphs: 0, date: null }
  let isRead = false
  readXml(source, {
    open(name, attributes) {
      if (reading.around.length === 0 && !wanted.includes(name)) return
      isRead = true
      openElement(reading, name, attributes)
    },
    close(name) {
      if (reading.around.length > 0) closeElement(reading, name)
    },
    text(text) {
      // 6.1.2: blanks in a row count as one.
      if (reading.paragraphs > 0)
        write(reading, reading.date === null ? text.replace(/\s+/g, ' ') : unmistakable(text, reading.date))
    },
    isEnough: () => page.isFull(),
  })
  page.line()
  return isRead
}

function openElement(reading: Reading, name: string, attributes: Attributes): void {
  const { page, around, tables, styles } = reading
  const styleName = attributes['text:style-name'] ?? attributes['table:style-name']
  const style = styleName === undefined ? null : styleOf(styles, styleName)
  const count = countOf(attributes['table:number-columns-repeated'] ?? attributes['table:number-rows-repeated'])
  const table = tables.at(-1)
  const isHidden = isCell(name) && isInHiddenColumn(table, count)
  around.push({ name, hiding: isHidden ? 'display_none' : hidingBy(name, attributes, style), style, count })
  if (isParagraph(name)) {
    page.line()
    reading.paragraphs++
  } else if (name === 'table:table') {
    page.line()
    tables.push({ columns: [], next: 0 })
    if (styles.sheets > 1) writeLine(reading, attributes['table:name'] ?? '')
  } else if (name === 'table:table-row') {
    if (table !== undefined) table.next = 0
    page.openRow()
  } else if (name === 'table:table-column' && table !== undefined) addColumns(table, count, attributes)
  else if (isCell(name)) {
    reading.date = attributes['office:date-value'] ?? null
    page.openCell()
  } else if (name === 'text:note-body') page.openNote()
  else if (characters.has(name)) write(reading, (characters.get(name) ?? '').repeat(countOf(attributes['text:c'])))
}

function closeElement(reading: Reading, name: string): void {
  const { page, around, tables } = reading
  const count = around.pop()?.count ?? 1
  if (isParagraph(name)) {
    page.line()
    reading.paragraphs--
  } else if (name === 'table:table') tables.pop()
  else if (name === 'table:table-row') page.closeRow(count)
  else if (isCell(name)) page.closeCell(count)
  else if (name === 'text:note-body') page.closeNote()
}

function writeLine(reading: Reading, text: string): void {
  write(reading, text)
  reading.page.line()
}

/** How an element hides everything in it; null when it does not. */
function hidingBy(name: string, attributes: Attributes, style: Style | null): Around['hiding'] {
  if (unread.has(name)) return 'unread'
  if (name === 'office:annotation') return 'comment'
  if (name === 'text:tracked-changes' || name === 'table:tracked-changes') return 'display_none'
  if (name === 'text:hidden-text' || name === 'text:hidden-paragraph')
    return attributes['text:is-hidden'] === 'false' ? null : 'display_none'
  if (style?.isHidden || attributes['text:display'] === 'none') return 'display_none'
  const { 'table:visibility': visibility = 'visible' } = attributes
  return name === 'table:table-row' && visibility !== 'visible' ? 'display_none' : null
}

/** Whether the next cell of a table is in a hidden column; advances past the cell. */
function isInHiddenColumn(table: Table | undefined, count: number): boolean {
  if (table === undefined) return false
  const column = table.columns.find(({ end }) => end > table.next)
  table.next += count
  return column?.isHidden ?? false
}

function addColumns(
  { columns }: Table,
  count: number,
  { 'table:visibility': visibility = 'visible' }: Attributes,
): void {
  columns.push({ end: (columns.at(-1)?.end ?? 0) + count, isHidden: visibility !== 'visible' })
}

function write({ page, around }: Reading, text: string): void {
  const hiding = around.some((each) => each.hiding === 'unread')
    ? 'unread'
    : (around.findLast((each) => each.hiding)?.hiding ?? null)
  if (hiding === 'unread') return
  const kind = hiding ?? hidingByStyle(around)
  if (kind === null) page.text(text)
  else page.hide(kind, text)
}

/** Whether text is tiny, or has the colour of its background. The background of a shape is unknown. */
function hidingByStyle(around: readonly Around[]): HiddenKind | null {
  if (around.findLast((each) => each.style?.isTiny !== undefined)?.style?.isTiny) return 'zero_size'
  const colour = around.findLast((each) => each.style?.colour !== undefined)?.style?.colour
  if (colour === undefined) return null
  const ground = around.findLast((each) => each.style?.ground !== undefined || each.name.startsWith('draw:'))
  return isNear(colour, ground === undefined ? 'ffffff' : (ground.style?.ground ?? '')) ? 'same_colour' : null
}

/** With slashes, the order of day and month depends on the writer's country, so such a date is written as ISO 8601. */
const unmistakable = (text: string, date: string) => text.replace(/^\d{1,2}\/\d{1,2}\/\d{2,4}/, date.slice(0, 10))

const isParagraph = (name: string) => name === 'text:p' || name === 'text:h'
const isCell = (name: string) => name === 'table:table-cell' || name === 'table:covered-table-cell'

/** The count in an attribute; 1 without one. */
const countOf = (value = '1') => Math.min(Math.max(Number.parseInt(value, 10) || 1, 1), columnsMax)
/** More columns than any program has, and more blanks in a row than any text. */
const columnsMax = 20_000

/** Elements that stand for characters. */
const characters: ReadonlyMap<string, string> = new Map([
  ['text:s', ' '],
  ['text:tab', '\t'],
  ['text:line-break', '\n'],
])

/** Elements whose text is for programs, or is not shown in the document. */
const unread: ReadonlySet<string> = new Set([
  'dc:creator',
  'dc:date',
  'office:event-listeners',
  'office:forms',
  'office:scripts',
  'svg:desc',
  'svg:title',
  'table:calculation-settings',
  'table:content-validations',
  'table:database-ranges',
  'table:named-expressions',
  'text:index-title-template',
  'text:note-citation',
  'text:ruby-text',
  'text:sequence-decls',
])
