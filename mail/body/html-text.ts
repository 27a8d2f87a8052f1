import { type Hidden, hiddenExcerpt, stripInvisible } from '../encoding/invisible-characters.ts'
import { feed, type Handlers } from '../hidden/markup.ts'
import { readSheets } from '../hidden/style-sheets.ts'
import { type Element, elementOf, hidingOfText, pageOf } from '../hidden/visibility.ts'
import { limits } from '../limits.ts'
import {
  addLinkTarget,
  addText,
  closeElement,
  createLayout,
  finishedText,
  openElement,
  type TextLayout,
} from './layout.ts'

export type VisibleTextOptions = {
  /** Writes the target of a link after its words, when they differ (default true). */
  readonly links?: boolean
  /** Keeps what mail programs mark as the sender's signature (default true). */
  readonly signatures?: boolean
  /** Stops reading some time after so many visible characters (default: none). */
  readonly enough?: number
}

export type VisibleText = {
  /** Line ends are LF. */
  readonly text: string
  readonly hidden: readonly Hidden[]
  /** True when a limit left HTML unread; not when `enough` was read. */
  readonly truncated: boolean
}

/**
 * The text a person sees of an HTML body: blocks on lines of their own, quotations marked with `> `, links with their
 * target. Hidden text (display none, no size, off-screen, transparent or coloured like its background, comments,
 * characters without width) is left out and listed in `hidden`. HTML beyond `htmlCharsMax` or nested deeper than
 * `htmlDepthMax` is not read. Linear. Never throws.
 */
export function visibleText(source: string, options: VisibleTextOptions = {}): VisibleText {
  const html = source.length > limits.htmlCharsMax ? withoutData(source) : source
  const layout = createLayout()
  const log: HiddenLog = { found: [], lengthAtLast: 0 }
  const isEnough = () => options.enough !== undefined && layout.length >= options.enough
  const read = feed(html, { ...readerOf(html, layout, log, options), isEnough })
  const { text, hidden } = stripInvisible(finishedText(layout))
  return {
    text: tidied(text),
    hidden: [...reportsOf(log), ...hidden].slice(0, limits.hiddenMax),
    truncated: read < html.length && !isEnough(),
  }
}

/** What is done with each tag, text and comment of a document: the seen is laid out, the hidden noted. */
function readerOf(
  html: string,
  layout: TextLayout,
  log: HiddenLog,
  { links = true, signatures = true }: VisibleTextOptions,
): Pick<Handlers, 'onopentag' | 'ontext' | 'oncomment' | 'onclosetag'> {
  const { rules, page } = readSheets(html)
  const stack = pageOf(rules, page)
  let link: { readonly href: string; readonly from: number } | null = null
  return {
    onopentag(name, attributes) {
      const element = elementOf(name, attributes, stack, rules, signatures)
      stack.push(element)
      if (element.hiding) return
      const href = name === 'a' && links ? webAddress(attributes.href) : null
      if (name === 'a') link = href === null ? null : { href, from: layout.length }
      openElement(layout, name, attributes)
    },
    ontext(text) {
      const element = stack.at(-1) as Element
      const hiding = hidingOfText(element)
      if (hiding === null) addText(layout, text, element.pre)
      else if (hiding !== 'unread') note(log, layout, hiding, text)
    },
    oncomment(text) {
      if (stack.at(-1)?.hiding || !hasWords(text)) return
      note(log, layout, 'comment', text.slice(0, commentCharsMax).replace(/<[^<>]*>/g, ' '))
    },
    onclosetag(name) {
      const element = stack.pop()
      if (!element || element.hiding) return
      if (name === 'a' && link) addLinkTarget(layout, link.href, link.from)
      if (name === 'a') link = null
      closeElement(layout, name)
    },
  }
}

/** No blanks at the end of lines, one empty line at most, none at the ends. */
function tidied(text: string): string {
  const lines = text.split('\n').map((line) => line.trimEnd())
  return lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** Images that are written into the HTML say nothing and may be longer than all that is read. */
const withoutData = (html: string) => html.replace(/data:[^"'\s<>()]{1000,}/gi, 'data:,')

/** So much of one report, or of one comment, is looked at, in characters. */
const reportCharsMax = 1000
const commentCharsMax = 4096

/** The hidden text found so far, and how much had been seen when the last of it was. */
type HiddenLog = { readonly found: { readonly kind: Hidden['kind']; text: string }[]; lengthAtLast: number }

/** Notes hidden text; of pieces with nothing seen between them one report is made. */
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

/** What an Outlook condition or the sender's template engine left in a comment is no news; words are. */
function hasWords(comment: string): boolean {
  const words = comment
    .slice(0, commentCharsMax)
    .replace(/^\[if[^\]]*\]>?|<!\[endif\]$/g, '')
    .replace(/<[^<>]*>/g, ' ')
  return /\p{L}{2,}\s+\p{L}{2,}/u.test(words) && !/^\s*\[?(?:if|endif|begin|end|start)\b/i.test(words)
}

const hrefCharsMax = 2000

function webAddress(href = ''): string | null {
  const address = href.trim()
  return /^https?:\/\/\S+$/i.test(address) && address.length <= hrefCharsMax ? address : null
}
