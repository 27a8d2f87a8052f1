import { type Hidden, hiddenExcerpt, stripInvisible } from '../encoding/invisible-characters.ts'
import { feed, type Handlers } from '../hidden/markup.ts'
import { readSheets, type Sheets } from '../hidden/style-sheets.ts'
import { type Element, elementOf, hidingOfBox, hidingOfText, pageOf } from '../hidden/visibility.ts'
import { limits } from '../limits.ts'
import { dataTables } from './data-tables.ts'
import {
  addLinkTarget,
  addMark,
  addMarkdownLink,
  addText,
  closeElement,
  createLayout,
  finishedText,
  openElement,
  type TextLayout,
} from './layout.ts'
import { type MailPart, partKindOf } from './mail-markup.ts'
import { picture, type Start, start } from './markdown-layout.ts'

export type VisibleTextOptions = {
  /** Writes the target of a link after its text, when they differ (default true). */
  readonly links?: boolean
  /** Writes the alternative text of pictures, and the text of buttons and fields (default true). */
  readonly images?: boolean
  /** Writes Markdown (default false). */
  readonly markdown?: boolean
  /** Stops reading soon after this many visible characters (default: none). */
  readonly enough?: number
}

export type VisibleText = {
  /** Line ends are LF. */
  readonly text: string
  readonly hidden: readonly Hidden[]
  /** True when a limit left HTML unread; stopping at `enough` does not count. */
  readonly truncated: boolean
}

/** The lines of a document, with the mail parts in which each line begins. */
export type VisibleLines = {
  readonly lines: readonly string[]
  readonly parts: readonly (readonly MailPart[])[]
}

/**
 * The text of an HTML body that a person sees: blocks on lines of their own, quotations marked with `> `, links with their
 * target, pictures as their alternative text, `[image: alt]`. Hidden text (display none, no size, off-screen, covered,
 * transparent or coloured like its background, comments, zero-width characters) is left out and listed in `hidden`.
 * As Markdown it has headings, emphasis, links, lists, and those tables that hold data. HTML beyond `htmlCharsMax` or nested
 * deeper than `htmlDepthMax` is not read. Linear. Never throws.
 */
export function visibleText(source: string, options: VisibleTextOptions = {}): VisibleText {
  const { lines, hidden, truncated } = read(source, options)
  return { text: lines.join('\n'), hidden, truncated }
}

/** The lines of that text, with the mail parts that mail programs mark in the HTML. */
export function visibleLines(source: string): VisibleLines {
  const { lines, parts } = read(source, { marksParts: true })
  return { lines, parts }
}

type ReadOptions = VisibleTextOptions & { readonly marksParts?: boolean }
type Read = VisibleLines & Omit<VisibleText, 'text'>

function read(source: string, options: ReadOptions): Read {
  const html = source.length > limits.htmlCharsMax ? withoutData(source) : source
  const sheets = readSheets(html)
  const data = options.markdown ? dataTables(html) : noTables
  const first = readWith(html, { sheets, data }, options)
  // An element that covers another may come after it, so it is known only in a second reading.
  return sheets.rules.covers.size === 0 ? first : readWith(html, { sheets, data }, options)
}

const noTables: ReadonlySet<number> = new Set()

/** What is known of a document before it is read. */
type Known = { readonly sheets: Sheets; readonly data: ReadonlySet<number> }

function readWith(html: string, known: Known, options: ReadOptions): Read {
  const { sheets } = known
  const reading: Reading = {
    layout: createLayout(options.markdown),
    tables: 0,
    log: { found: [], lengthAtLast: 0 },
    stack: pageOf(sheets.rules, sheets.page),
    outer: [],
    link: null,
    bareLinks: [],
  }
  const isEnough = () => options.enough !== undefined && reading.layout.length >= options.enough
  const read = feed(html, { ...readerOf(reading, known, options), isEnough })
  const { text, hidden } = stripInvisible(finishedText(reading.layout))
  // `stripInvisible` removes no line ends.
  const { lines, numbers } = tidied(text.split('\n'))
  const parts = numbers.map((number) => reading.layout.partsOf.get(number) ?? noParts)
  const bareLinks = reading.bareLinks.map((href) => `[image] (${href})`)
  return {
    ...(lines.length > 0 ? { lines, parts } : { lines: bareLinks, parts: bareLinks.map(() => noParts) }),
    hidden: [...reportsOf(reading.log), ...hidden].slice(0, limits.hiddenMax),
    truncated: read < html.length && !isEnough(),
  }
}

const noParts: readonly MailPart[] = []

/** A document while it is read. */
type Reading = {
  readonly layout: TextLayout
  readonly log: HiddenLog
  readonly stack: Element[]
  /** The mail parts around each open element. */
  readonly outer: (readonly MailPart[])[]
  link: Link | null
  /** Tables opened so far. */
  tables: number
  /** The targets of linked pictures without words, shown when a document has no other text. */
  readonly bareLinks: string[]
}

/** An open link with a target; `from` is the length of the layout before it. */
type Link = { readonly href: string; readonly from: number; readonly begun: Start; hasText: boolean; hasImage: boolean }

/** The handlers of a document's tags, texts and comments: what is visible is laid out, what is hidden is noted. */
function readerOf(
  reading: Reading,
  { sheets: { rules }, data }: Known,
  { links = true, images = true, marksParts = false }: ReadOptions,
): Pick<Handlers, 'onopentag' | 'ontext' | 'oncomment' | 'onclosetag'> {
  const { layout, log, stack } = reading
  return {
    onopentag(name, attributes) {
      const element = elementOf(name, attributes, stack, rules)
      stack.push(element)
      const isData = name === 'table' && data.has(reading.tables++)
      if (marksParts) reading.outer.push(layout.parts)
      if (images) addPicture(reading, element, attributes, links)
      if (element.hiding) return
      if (marksParts) openPart(layout, name, attributes)
      const href = name === 'a' && links ? webAddress(attributes.href) : null
      if (name === 'a') reading.link = href === null ? null : openLink(layout, href)
      openElement(layout, name, attributes, isData)
      if (element.isTurned) addText(layout, '\u202e', false)
    },
    ontext(text) {
      const element = stack.at(-1) as Element
      const hiding = hidingOfText(element)
      if (hiding !== null) {
        if (hiding !== 'unread') note(log, layout, hiding, text)
      } else if (element.name === 'title') addStandIn(layout, imageMark(text))
      else {
        if (reading.link && !reading.link.hasText) reading.link.hasText = /\S/.test(text)
        addText(layout, text, element.pre)
      }
    },
    oncomment(text) {
      if (stack.at(-1)?.hiding || !hasWords(text)) return
      note(log, layout, 'comment', text.slice(0, commentCharsMax).replace(/<[^<>]*>/g, ' '))
    },
    onclosetag(name) {
      const element = stack.pop()
      const outer = reading.outer.pop()
      if (!element || element.hiding) return
      if (outer) closePart(reading.layout, outer)
      if (element.isTurned) addText(layout, '\u202c', false)
      if (name === 'a') closeLink(reading)
      if (element.isColumn) addText(layout, ' ', false)
      closeElement(layout, name)
    },
  }
}

/** Most mail parts inside each other; deeper ones are not told apart. */
const partsMax = 20

/** Begins a mail part, if the element is one. */
function openPart(layout: TextLayout, name: string, attributes: Attributes): void {
  const kind = layout.parts.length < partsMax ? partKindOf(name, attributes) : null
  if (kind !== null) layout.parts = [...layout.parts, { kind }]
}

/** Ends a mail part; outside quotations a `rest` continues to the end of the document. */
function closePart(layout: TextLayout, outer: readonly MailPart[]): void {
  const rest = layout.depth === 0 ? layout.parts.find(({ kind }) => kind === 'rest') : undefined
  layout.parts = rest === undefined || outer.includes(rest) ? outer : [...outer, rest]
}

/** Adds the words of a picture or a button, or notes them as hidden when nobody sees it. */
function addPicture(reading: Reading, element: Element, attributes: Attributes, links: boolean): void {
  const { layout, log, link } = reading
  const { name } = element
  if (name !== 'img' && name !== 'input' && name !== 'area') return
  const words = wordsOf(name, attributes)
  const hiding = hidingOfBox(element) ?? (element.isDot ? 'zero_size' : null)
  if (hiding !== null) {
    if (hiding !== 'unread' && /\p{L}{2,}\s+\p{L}{2,}/u.test(words)) note(log, layout, hiding, words)
    return
  }
  if (name === 'img' && link) link.hasImage = true
  if (words === '') return
  const target = name === 'area' && links ? webAddress(attributes.href) : null
  addStandIn(layout, words)
  if (target !== null) addText(layout, ` (${target}) `, false)
}

function openLink(layout: TextLayout, href: string): Link {
  return { href, from: layout.length, begun: start(layout), hasText: false, hasImage: false }
}

/** Adds the alternative text of a picture, or the text of a button. */
function addStandIn(layout: TextLayout, words: string): void {
  const image = layout.isMarkdown ? /^\[image: (.*)\]$/s.exec(words)?.[1] : undefined
  if (image === undefined) addText(layout, words, false)
  else addMark(layout, picture(image))
}

/** What programs show instead of a picture, on a button or in a field; '' when they show nothing. */
function wordsOf(name: string, attributes: Attributes): string {
  const { alt = '', title = '', value = '', placeholder = '' } = attributes
  const type = name === 'input' ? (attributes.type ?? 'text').toLowerCase() : 'image'
  if (type === 'image') {
    const words = shortened(alt.trim() || title)
    return isEmoji(words, attributes) ? words : imageMark(words)
  }
  if (/^(?:submit|button|reset)$/.test(type)) return shortened(value)
  return /^(?:text|email|search|tel|url|number|date)$/.test(type) ? shortened(value || placeholder) : ''
}

const shortened = (text: string) => text.slice(0, limits.imageWordsCharsMax).replace(/\s+/g, ' ').trim()
const imageMark = (text: string) => (isFileName.test(text) ? '' : `[image: ${shortened(text)}]`)
/** Programs write the file name where nobody wrote an alternative text. */
const isFileName = /^\s*(?:[\w@%()-]{1,100}(?:\.[\w@%()-]{1,100})*\.(?:png|jpe?g|gif|bmp|webp|svg|tiff?|heic))?\s*$/i

/** Whether a picture stands for a character: some programs show emoji as pictures. */
function isEmoji(words: string, attributes: Attributes): boolean {
  if (words === '') return false
  if (emoji.test(words)) return true
  const marks = `${attributes.class ?? ''} ${attributes.goomoji ?? ''} ${attributes['data-emoji'] ?? ''}`
  return words.length <= emojiCharsMax && /\b(?:emoji|goomoji|emoticon|smiley)\b/i.test(marks.slice(0, 500))
}

/** Characters that emoji are made of. */
const emoji =
  /^(?:[\d#*]\ufe0f?\u20e3|\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{RI}|\u200d|\ufe0f|[\u{e0020}-\u{e007f}])+$/u
const emojiCharsMax = 40

/** Writes the target of the link that ends, if it has text; the target of a picture in parentheses. */
function closeLink(reading: Reading): void {
  const { layout, link } = reading
  reading.link = null
  if (link === null) return
  const { href, from, hasText, hasImage } = link
  if (layout.length === from && hasImage && reading.bareLinks.length < bareLinksMax) reading.bareLinks.push(href)
  if (layout.isMarkdown) addMarkdownLink(layout, href, link)
  else if (hasImage && !hasText && layout.length > from) addText(layout, ` (${href})`, false)
  else addLinkTarget(layout, href, from)
}

const bareLinksMax = 20

/** Removes blanks at the end of lines, repeated empty lines, and those at both ends. `numbers` are those of the lines that are left. */
function tidied(all: readonly string[]): { readonly lines: readonly string[]; readonly numbers: readonly number[] } {
  const lines: string[] = []
  const numbers: number[] = []
  for (const [number, line] of all.entries()) {
    const tidy = lines.length === 0 ? line.trim() : line.trimEnd()
    if (tidy === '' && (lines.at(-1) ?? '') === '') continue
    lines.push(tidy)
    numbers.push(number)
  }
  if (lines.at(-1) === '') lines.pop()
  return { lines, numbers: numbers.slice(0, lines.length) }
}

/** Leaves out images that are embedded in the HTML: they say nothing and may be longer than all that is read. Style sheets stay. */
const withoutData = (html: string) => html.replace(/data:(?!\s*text\/css)[^"'\s<>()]{1000,}/gi, 'data:,')

/** How many characters of one report, and of one comment, are looked at. */
const reportCharsMax = 1000
const commentCharsMax = 4096

/** The hidden text found so far, and the length of the layout when the last of it was found. */
type HiddenLog = { readonly found: { readonly kind: Hidden['kind']; text: string }[]; lengthAtLast: number }

/** Notes hidden text. Pieces of one kind with nothing visible between them become one report. */
function note(log: HiddenLog, layout: TextLayout, kind: Hidden['kind'], text: string): void {
  const last = log.found.at(-1)
  if (last?.kind === kind && layout.length === log.lengthAtLast) {
    if (last.text.length < reportCharsMax) last.text += text.slice(0, reportCharsMax)
  } else if (text.trim() !== '' && log.found.length < limits.hiddenMax)
    log.found.push({ kind, text: text.slice(0, reportCharsMax) })
  log.lengthAtLast = layout.length
}

function reportsOf({ found }: HiddenLog): Hidden[] {
  return found
    .map(({ kind, text }) => ({ kind, excerpt: hiddenExcerpt(stripInvisible(text).text) }))
    .filter(({ excerpt }) => excerpt !== '')
}

/** Whether a comment has words. What an Outlook condition or the sender's template engine left in it does not count. */
function hasWords(comment: string): boolean {
  const words = comment
    .slice(0, commentCharsMax)
    .replace(/^\[if[^\]]*\]>?|<!\[endif\]$/g, '')
    .replace(/<[^<>]*>/g, ' ')
  return /\p{L}{2,}\s+\p{L}{2,}/u.test(words) && !/^\s*\[?(?:if|endif|begin|end|start)\b/i.test(words)
}

type Attributes = Readonly<Record<string, string>>

const hrefCharsMax = 2000

function webAddress(href = ''): string | null {
  const address = href.trim()
  return /^https?:\/\/\S+$/i.test(address) && address.length <= hrefCharsMax ? address : null
}
