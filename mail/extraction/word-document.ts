/** Word documents (.docx; ECMA-376 part 1, 17). */
import type { FileText } from './file-type.ts'
import { type Relation, relationsOf } from './office-parts.ts'
import type { Package } from './package.ts'
import { createPage, type HiddenKind, type Page } from './page.ts'
import { type Format, hidingOf, readStyles, type Styles, setFormat } from './word-styles.ts'
import { type Attributes, readXml } from './xml.ts'

/**
 * The text of a document: header, body, notes, footer. Results of fields are text, their codes are not; deleted, hidden and white text
 * and comments are reported as hidden. Throws when the file is broken.
 */
export async function readWordDocument(parts: Package, main: string): Promise<FileText> {
  const relations = await relationsOf(parts, main)
  const readKind = async (kind: string) => readAll(parts, relations, kind)
  const [stylesPart = null] = await readKind('styles')
  const styles = readStyles(stylesPart)
  const page = createPage()
  const bodies = [
    ...unique(await readKind('header')),
    await parts.read(main),
    ...(await readKind('footnotes')),
    ...(await readKind('endnotes')),
    ...unique(await readKind('footer')),
  ]
  for (const body of bodies) if (body !== null) writeBody(page, body, styles)
  for (const comments of await readKind('comments'))
    readXml(comments, { text: (text) => page.hide('comment', `${text} `) })
  return page.finished()
}

async function readAll(parts: Package, relations: readonly Relation[], wanted: string): Promise<Buffer[]> {
  const targets = relations.filter(({ kind }) => kind === wanted).slice(0, partsOfKindMax)
  const sources = await Promise.all(targets.map(({ target }) => parts.read(target)))
  return sources.filter((source) => source !== null)
}

/** Most parts of one kind: headers of first, even and other pages, and of several sections. */
const partsOfKindMax = 12

const unique = (sources: readonly Buffer[]) =>
  sources.filter((source, at) => sources.findIndex((other) => other.equals(source)) === at)

/** The state of reading a body. */
type Reading = {
  readonly page: Page
  readonly styles: Styles
  /** The formats of the open cells, paragraphs and runs. */
  readonly formats: Format[]
  /** The format whose properties are being read; null when they belong to something else. */
  setting: Format | null
  /** The open elements that hide or leave out their content. */
  readonly hiding: { readonly name: string; readonly kind: HiddenKind | 'unread' }[]
  isText: boolean
}

/** Elements that open a format, and the ones that hold its properties. */
const formatted: ReadonlySet<string> = new Set(['w:tbl', 'w:tc', 'w:p', 'w:r', 'w:txbxContent', 'w:background'])
const properties: ReadonlySet<string> = new Set(['w:tblPr', 'w:tcPr', 'w:pPr', 'w:rPr'])

/** `mc:Fallback` repeats what precedes it, for programs that do not know that. */
const hidingElements: ReadonlyMap<string, HiddenKind | 'unread'> = new Map([
  ['w:del', 'display_none'],
  ['w:moveFrom', 'display_none'],
  ['mc:Fallback', 'unread'],
])

const texts: ReadonlySet<string> = new Set(['w:t', 'w:delText', 'm:t'])

/** Elements that stand for characters. */
const characters: ReadonlyMap<string, string> = new Map([
  ['w:tab', '\t'],
  ['w:ptab', '\t'],
  ['w:br', '\n'],
  ['w:cr', '\n'],
  ['w:noBreakHyphen', '\u2011'],
])

function writeBody(page: Page, source: Buffer, styles: Styles): void {
  const reading: Reading = { page, styles, formats: [], setting: null, hiding: [], isText: false }
  page.line()
  readXml(source, {
    open: (name, attributes) => openElement(reading, name, attributes),
    close: (name) => closeElement(reading, name),
    text: (text) => {
      if (reading.isText) write(reading, text)
    },
    isEnough: () => page.isFull(),
  })
  page.line()
}

function openElement(reading: Reading, name: string, attributes: Attributes): void {
  const { page, formats, hiding, setting } = reading
  if (hidingElements.has(name)) hiding.push({ name, kind: hidingElements.get(name) ?? 'unread' })
  if (formatted.has(name)) formats.push(ownFormat(name))
  if (name === 'w:p') page.line()
  else if (name === 'w:tr') page.openRow()
  else if (name === 'w:tc') page.openCell()
  else if (properties.has(name))
    reading.setting = name === 'w:rPr' && setting !== null ? null : (formats.at(-1) ?? null)
  else if (setting !== null) setProperty(setting, reading.styles, name, attributes)
  else if (texts.has(name)) reading.isText = true
  else if (characters.has(name)) write(reading, characters.get(name) ?? '')
}

/** The text in a box may have a background of any colour. */
function ownFormat(name: string): Format {
  return name === 'w:txbxContent' || name === 'w:background' ? { fill: 'unknown' } : {}
}

function setProperty(format: Format, styles: Styles, name: string, attributes: Attributes): void {
  const style = attributes['w:val'] ?? ''
  if (name === 'w:pStyle' || name === 'w:rStyle') Object.assign(format, styles.get(style))
  // Such a style gives rows and columns backgrounds by rules of its own.
  else if (name === 'w:tblStyle') format.fill = /^(?:TableGrid|TableNormal)$/.test(style) ? undefined : 'unknown'
  else setFormat(format, name, attributes)
}

function closeElement(reading: Reading, name: string): void {
  const { page, formats, hiding } = reading
  if (hiding.at(-1)?.name === name) hiding.pop()
  if (formatted.has(name) && name !== 'w:background') formats.pop()
  if (properties.has(name)) reading.setting = null
  else if (name === 'w:p') page.line()
  else if (name === 'w:tc') page.closeCell()
  else if (name === 'w:tr') page.closeRow()
  else if (texts.has(name)) reading.isText = false
}

function write({ page, formats, hiding }: Reading, text: string): void {
  const around = hiding.some(({ kind }) => kind === 'unread') ? 'unread' : hiding.at(-1)?.kind
  const kind = around ?? hidingOf(formats)
  if (kind === null) page.text(text)
  else if (kind !== 'unread') page.hide(kind, text)
}
