/** Lays out the text of an HTML document in lines, as a mail program shows it in plain text, or as Markdown. */
import { isCell } from './data-tables.ts'
import { isIndentation, type MailPart } from './mail-markup.ts'
import { asText, emphasis, enclose, noteStarts, type Start, start, target } from './markdown-layout.ts'

/** A document while it is laid out. `lines` are finished, `line` is being written, the rest is state for the next text. */
export type TextLayout = {
  readonly lines: string[]
  /** Pieces, so that a long line is not copied for each of them. */
  line: string[]
  /** Whether the line so far needs no blank before the next word. */
  endsInBlank: boolean
  /** The quotation depth of the line being written. */
  lineDepth: number
  /** The quotation depth of the next text. */
  depth: number
  /** For each open blockquote, whether it is a quotation. */
  readonly quotes: boolean[]
  /** Line ends requested before the next text. */
  breaksAsked: number
  /** The bullet or number of a list item, before its first text. */
  bullet: string
  readonly lists: List[]
  /** Characters written so far. */
  length: number
  /** Whether Markdown is written. */
  readonly isMarkdown: boolean
  /** Starts that are set when the next piece is written. */
  readonly starts: Start[]
  /** The starts of the open elements with marks, the innermost last. */
  readonly marked: Start[]
  /** The mail parts around the next text, the outermost first. */
  parts: readonly MailPart[]
  /** The mail parts in which each line with text begins, by the number of the line. */
  readonly partsOf: Map<number, readonly MailPart[]>
  /** The table that is being written in rows: cells of the current row, and rows so far. */
  table: { cells: number; rows: number } | null
}

type List = { readonly ordered: boolean; count: number }

/** An empty document. */
export function createLayout(isMarkdown = false): TextLayout {
  return {
    lines: [],
    line: [],
    endsInBlank: true,
    lineDepth: 0,
    depth: 0,
    quotes: [],
    breaksAsked: 0,
    bullet: '',
    lists: [],
    length: 0,
    isMarkdown,
    starts: [],
    marked: [],
    parts: [],
    partsOf: new Map(),
    table: null,
  }
}

/** Begins a visible element. `isData` says that it is a table that Markdown writes in rows. */
export function openElement(
  layout: TextLayout,
  name: string,
  attributes: Readonly<Record<string, string>>,
  isData = false,
): void {
  if (layout.isMarkdown) {
    if (emphasis.has(name)) layout.marked.push(start(layout))
    if (layout.table !== null) {
      openInTable(layout, layout.table, name)
      return
    }
    // Without an empty line between them, the line after a quotation, a list or a table would be part of it.
    if (isData || name === 'blockquote') askForBreaks(layout, 2)
    if (isData) layout.table = { cells: 0, rows: 0 }
    if (/^h[1-6]$/.test(name)) {
      askForBreaks(layout, 2)
      layout.bullet = `${'#'.repeat(Number(name[1]))} `
      return
    }
  }
  if (name === 'br') {
    layout.breaksAsked++
    return
  }
  askForBreaks(layout, breaksAround(name))
  if (name === 'blockquote') {
    layout.quotes.push(!isIndentation(attributes))
    if (layout.quotes.at(-1)) layout.depth++
  }
  if (name === 'ul' || name === 'ol')
    layout.lists.push({ ordered: name === 'ol', count: Number.parseInt(attributes.start ?? '1', 10) || 1 })
  if (name === 'li') layout.bullet = bulletOf(layout.lists, layout.isMarkdown ? markdownIndent : textIndent)
  if (name === 'hr') {
    write(layout, layout.isMarkdown ? markdownRule : rule)
    askForBreaks(layout, 1)
  }
}

/** Ends a visible element. */
export function closeElement(layout: TextLayout, name: string): void {
  const marks = layout.isMarkdown ? emphasis.get(name) : undefined
  const begun = marks === undefined ? undefined : layout.marked.pop()
  if (marks !== undefined && begun !== undefined) enclose(layout, begun, marks, marks)
  if (layout.table !== null && name !== 'table') {
    closeInTable(layout, layout.table, name)
    return
  }
  if (layout.isMarkdown && endsWithEmptyLine(layout, name)) askForBreaks(layout, 2)
  if (name === 'table') layout.table = null
  askForBreaks(layout, breaksAround(name))
  if (name === 'blockquote' && layout.quotes.pop()) layout.depth--
  if (name === 'ul' || name === 'ol') layout.lists.pop()
  if (isCell(name)) writeTab(layout)
}

const endsWithEmptyLine = ({ table, lists }: TextLayout, name: string) =>
  name === 'blockquote' ||
  (name === 'table' && table !== null) ||
  ((name === 'ul' || name === 'ol') && lists.length === 1)

/** Rows begin with a bar and each cell ends with one; nothing else in them breaks a line. */
function openInTable(layout: TextLayout, table: NonNullable<TextLayout['table']>, name: string): void {
  if (name === 'tr') {
    askForBreaks(layout, 1)
    write(layout, '|')
    table.cells = 0
  } else if (name === 'li' || name === 'br' || breaksAround(name) > 0 || isCell(name)) writeBlank(layout)
}

function closeInTable(layout: TextLayout, table: NonNullable<TextLayout['table']>, name: string): void {
  if (isCell(name)) {
    writeBlank(layout)
    write(layout, '|')
    table.cells++
  } else if (name === 'tr') {
    if (table.rows === 0 && table.cells > 0) {
      askForBreaks(layout, 1)
      write(layout, `|${' --- |'.repeat(table.cells)}`)
    }
    table.rows++
    askForBreaks(layout, 1)
  } else if (breaksAround(name) > 0) writeBlank(layout)
}

/** Adds text. White space is collapsed, unless the text is preformatted. */
export function addText(layout: TextLayout, text: string, preformatted: boolean): void {
  if (preformatted) addPreformatted(layout, text)
  else addCollapsed(layout, text)
}

/** Adds a piece of Markdown, such as a picture, without escaping it. */
export function addMark(layout: TextLayout, mark: string): void {
  write(layout, mark)
}

/** Writes a link in Markdown. A link over several lines gets its target after it, as in plain text. */
export function addMarkdownLink(
  layout: TextLayout,
  href: string,
  { from, begun }: { from: number; begun: Start },
): void {
  if (layout.length === from) return
  const isSame = isSameTarget(endOf(layout.line, layout.length - from).trim(), href)
  if (!isSame && !enclose(layout, begun, '[', `](${target(href)})`)) addLinkTarget(layout, href, from)
}

/** Adds the target of a link that began when `length` was `from`, unless its text is the same. */
export function addLinkTarget(layout: TextLayout, href: string, from: number): void {
  if (layout.length === from || isSameTarget(endOf(layout.line, layout.length - from).trim(), href)) return
  write(layout, layout.endsInBlank ? `<${href}>` : ` <${href}>`)
}

/** The finished text, without blanks at the end of its lines. */
export function finishedText(layout: TextLayout): string {
  if (layout.line.length > 0) endLine(layout)
  return layout.lines.join('\n')
}

/** Elements on lines of their own, and those with an empty line around them. */
const blocks: ReadonlySet<string> = new Set(
  'address article aside body center dd details div dl dt fieldset figcaption figure footer form header legend li main nav ol section summary table tbody thead tfoot tr ul caption blockquote hr'.split(
    ' ',
  ),
)
const spacedBlocks: ReadonlySet<string> = new Set('h1 h2 h3 h4 h5 h6 p pre'.split(' '))

function breaksAround(name: string): number {
  if (spacedBlocks.has(name)) return 2
  return blocks.has(name) ? 1 : 0
}

function askForBreaks(layout: TextLayout, count: number): void {
  layout.breaksAsked = Math.max(layout.breaksAsked, count)
}

/** What a horizontal rule becomes; mail programs write the same between a reply and the quoted message. */
const rule = '_'.repeat(32)
/** Not a line of hyphens, which makes a heading of the line above. */
const markdownRule = '***'
/** How far a nested list is indented; in Markdown, past the widest bullet. */
const textIndent = '  '
const markdownIndent = '    '
/** Deeper quotations get no more marks, and deeper lists no more indentation. */
const quoteMarksMax = 20
const indentsMax = 10
/** Most empty lines in a row, however many line ends are requested. */
const emptyLinesMax = 2

const quoteMarks = (depth: number) => (depth === 0 ? '' : `${'>'.repeat(Math.min(depth, quoteMarksMax))} `)

function endLine(layout: TextLayout): void {
  layout.lines.push((quoteMarks(layout.lineDepth) + layout.line.join('')).trimEnd())
  layout.line = []
  layout.endsInBlank = true
}

/** Begins a new line when one was requested or the quotation depth has changed. */
function startLine(layout: TextLayout): void {
  const { breaksAsked, lineDepth, depth, line, lines } = layout
  if (breaksAsked === 0 && lineDepth === depth) return
  if (line.length > 0 || lines.length > 0) {
    endLine(layout)
    const empty = quoteMarks(Math.min(lineDepth, depth)).trimEnd()
    for (let i = 0; i < Math.min(breaksAsked - 1, emptyLinesMax); i++) lines.push(empty)
  }
  layout.lineDepth = depth
  layout.breaksAsked = 0
}

function write(layout: TextLayout, text: string): void {
  startLine(layout)
  if (layout.parts.length > 0 && layout.line.length === 0) layout.partsOf.set(layout.lines.length, layout.parts)
  if (layout.bullet !== '') layout.line.push(layout.bullet)
  layout.bullet = ''
  noteStarts(layout)
  layout.line.push(text)
  layout.endsInBlank = text.endsWith(' ')
  layout.length += text.length
}

function writeBlank(layout: TextLayout): void {
  if (layout.breaksAsked > 0 || layout.endsInBlank) return
  layout.line.push(' ')
  layout.endsInBlank = true
}

/** Writes a tab between the cells of a row, like the `innerText` of browsers (HTML, 3.2.7). */
function writeTab(layout: TextLayout): void {
  if (layout.isMarkdown || layout.breaksAsked > 0 || layout.line.length === 0) {
    writeBlank(layout)
    return
  }
  layout.line.push('\t')
  layout.endsInBlank = true
}

function addPreformatted(layout: TextLayout, text: string): void {
  for (const [i, line] of text.replace(/\r\n?/g, '\n').split('\n').entries()) {
    if (i > 0 && layout.table === null) layout.breaksAsked++
    if (line !== '') write(layout, asWritten(layout, line, i > 0 || isNewLine(layout)))
  }
}

function addCollapsed(layout: TextLayout, text: string): void {
  const collapsed = text.replace(/[ \t\r\n\f\u00a0]+/g, ' ')
  if (collapsed === '') return
  if (collapsed === ' ') {
    writeBlank(layout)
    return
  }
  const words = isNewLine(layout) || layout.endsInBlank ? collapsed.trimStart() : collapsed
  write(layout, asWritten(layout, words, isNewLine(layout)))
}

/** Whether the next text begins a line. */
const isNewLine = ({ breaksAsked, lineDepth, depth, line }: TextLayout) =>
  breaksAsked > 0 || lineDepth !== depth || line.length === 0

function asWritten({ isMarkdown, table }: TextLayout, text: string, isAtStart: boolean): string {
  return isMarkdown ? asText(text, { isAtStart, isInCell: table !== null }) : text
}

/** At least the last `count` characters of a line, in whole pieces. */
function endOf(pieces: readonly string[], count: number): string {
  let start = pieces.length
  for (let left = count; left > 0 && start > 0; ) left -= (pieces[--start] as string).length
  return pieces.slice(start).join('')
}

function bulletOf(lists: readonly List[], step: string): string {
  const list = lists.at(-1)
  const indent = step.repeat(Math.max(0, Math.min(lists.length, indentsMax) - 1))
  return list?.ordered ? `${indent}${list.count++}. ` : `${indent}- `
}

function isSameTarget(words: string, href: string): boolean {
  const bare = (text: string) =>
    text
      .replace(/^https?:\/\//i, '')
      .replace(/\/$/, '')
      .toLowerCase()
  return bare(words) === bare(href)
}
