/**
 * The text of a mail that is searched for codes and links. It costs less than the text for a reader (`body/`), because it is made
 * of every mail that arrives. Blocks of HTML become lines; a link is written as its words, then its target between `linkOpen` and
 * `linkClose`.
 */
import { visibleText } from '../body/html-text.ts'
import { decodeText } from '../body/part-text.ts'
import { withAsciiDigits } from '../encoding/digits.ts'
import { decodeTransfer } from '../encoding/transfer.ts'
import { limits } from '../limits.ts'
import type { ParsedMessage, Part } from '../message/parse.ts'

/** The marks before and after a link target in a line. They are private use characters, which are removed from the mail itself first. */
export const linkOpen = '\ue000'
export const linkClose = '\ue001'

export type ScannedText = {
  /** At most `verifiedLinesMax`, each as `plainLine` returns it, none empty. */
  readonly lines: readonly string[]
  /** Returns the letters and digits that a reader sees, if these may be fewer (HTML may hide text); else null. */
  readonly seen: (() => string) | null
}

/** The texts of a message: of its first plain part, then of its first HTML part. Bounded; never throws. */
export function* scannedTextsOf(raw: Buffer, parsed: ParsedMessage): Generator<ScannedText> {
  const plain = parsed.textParts.find(({ contentType }) => contentType === 'text/plain')
  const html = parsed.htmlParts.find(({ contentType }) => contentType === 'text/html')
  if (plain !== undefined) yield { lines: linesOf(beginning(raw, plain, limits.verifiedTextBytesMax)), seen: null }
  if (html === undefined) return
  const markup = beginning(raw, html, limits.verifiedHtmlBytesMax)
  yield { lines: linesOf(lightText(markup)), seen: () => lettersOf(plainLine(visibleText(markup).text)) }
}

/** The letters and digits of a text. */
export const lettersOf = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, '')

/** One line of a mail in the form that is searched: full-width forms made ordinary, single blanks, nothing invisible. */
export function plainLine(text: string): string {
  if (isPlain.test(text)) return text
  const line = text.replace(/[\t-\r \u00a0]+/g, ' ').trim()
  if (line === '' || isPlain.test(line)) return line
  return withAsciiDigits(text)
    .replace(/，/g, ', ')
    .normalize('NFKC')
    .replace(/[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]/g, '')
    .replace(/[’‘]/g, "'")
    .replace(/(\*{1,2})([\p{L}\p{N} -]{4,12})\1/gu, '$2')
    .replace(/\s+/g, ' ')
    .trim()
}

/** Visible ASCII without asterisks, and single blanks. */
const isPlain = /^[!-)+-~\ue000\ue001]+(?: [!-)+-~\ue000\ue001]+)*$/

function linesOf(text: string): readonly string[] {
  const lines: string[] = []
  for (const line of text.split(/[\r\n\u0085\u2028\u2029]+/)) {
    if (lines.length >= limits.verifiedLinesMax) break
    const plain = plainLine(line.slice(0, limits.verifiedLineCharsMax))
    if (plain !== '') lines.push(plain)
  }
  return lines
}

function beginning(raw: Buffer, part: Part, bytesMax: number): string {
  const end = Math.min(part.bodyEnd, part.bodyStart + bytesMax)
  const bytes = decodeTransfer(raw, part.bodyStart, end, part.encoding)
  const text = decodeText(raw, part, bytes, { cut: end < part.bodyEnd })
  return text.replace(/[\ue000\ue001]/g, '')
}

/** Elements that do not begin a new line. */
const inline =
  /^(?:a|abbr|b|bdi|bdo|big|cite|code|data|del|em|font|i|ins|kbd|mark|q|s|samp|small|span|strike|strong|sub|sup|time|tt|u|var|wbr|o:p)$/
/** Elements whose content is not shown. */
const unread = /^(?:style|script|head|title|template)$/

/** HTML without its tags, blocks on lines of their own. One pass: a tag or element that is not closed ends the text. */
function lightText(html: string): string {
  // The one capital whose lower-case form is longer would shift all offsets after it.
  const lower = html.replaceAll('\u0130', 'I').toLowerCase()
  const tag = /<[a-z/!?]/g
  const pieces: string[] = []
  let href: string | null = null
  for (let at = 0; at < html.length; ) {
    tag.lastIndex = at
    const start = tag.exec(lower)?.index ?? -1
    pieces.push(decodeEntities(html.slice(at, start < 0 ? html.length : start).replace(/[\r\n]+/g, ' ')))
    if (start < 0) break
    if (html.startsWith('<!--', start)) {
      at = past(lower, '-->', start + 4)
      continue
    }
    const name = /^\/?[a-z][a-z0-9:]{0,15}/.exec(lower.slice(start + 1, start + 18))?.[0]
    if (name === undefined) {
      at = past(html, '>', start)
      continue
    }
    const end = tagEnd(html, start)
    at = end
    if (unread.test(name)) at = past(lower, '>', past(lower, `</${name}`, end))
    else if (name === 'a' || name === '/a') {
      if (href !== null) pieces.push(closing(href))
      href = name === 'a' ? hrefOf(html.slice(start, end)) : null
    } else if (!inline.test(name.replace('/', ''))) pieces.push(/^\/?t[dh]$/.test(name) ? ' ' : '\n')
  }
  return pieces.join('')
}

/** The offset after the next `mark`, or the end of the text when there is none. */
function past(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from)
  return at < 0 ? text.length : at + mark.length
}

/** The offset after the tag that begins at `start`; a `>` in a quoted value does not end it. */
function tagEnd(html: string, start: number): number {
  for (let at = start; ; ) {
    tagMark.lastIndex = at
    const found = tagMark.exec(html)
    if (found === null) return html.length
    if (found[0] === '>') return tagMark.lastIndex
    at = found[1] === undefined ? tagMark.lastIndex : past(html, found[1], tagMark.lastIndex)
  }
}

/** The end of a tag, or the beginning of a quoted value, or a whole value without quotes. */
const tagMark = />|=\s*(?:(["'])|[^\s>]*)/g

function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{2,8}));/gi,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (decimal !== undefined) return character(Number.parseInt(decimal, 10))
      if (hex !== undefined) return character(Number.parseInt(hex, 16))
      return entities.get((name ?? '').toLowerCase()) ?? whole
    },
  )
}

const closing = (href: string) => ` ${linkOpen}${href}${linkClose} `

/** An attribute of a tag: its name, then its value in double quotes, in single quotes or without quotes. */
const attribute = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+)))?/g

/** The address in the first `href`, which is the one that browsers use; null when it is not that of a web page. */
function hrefOf(tag: string): string | null {
  const match = tag.matchAll(attribute).find(([, name]) => name?.toLowerCase() === 'href')
  const href = decodeEntities(match?.[2] ?? match?.[3] ?? match?.[4] ?? '').trim()
  return /^https?:\/\//i.test(href) && href.length <= limits.verifiedLinkCharsMax ? href.replace(/\s/g, '') : null
}

const entities: ReadonlyMap<string, string> = new Map(
  Object.entries({
    nbsp: ' ',
    ensp: ' ',
    emsp: ' ',
    thinsp: ' ',
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    shy: '',
    zwnj: '',
    zwj: '',
    copy: '©',
    euro: '€',
    pound: '£',
    yen: '¥',
    ndash: '–',
    mdash: '—',
    middot: '·',
    rsquo: "'",
    lsquo: "'",
    rdquo: '"',
    ldquo: '"',
    laquo: '«',
    raquo: '»',
    bull: '•',
    hellip: '…',
    auml: 'ä',
    ouml: 'ö',
    uuml: 'ü',
    szlig: 'ß',
    eacute: 'é',
    egrave: 'è',
    agrave: 'à',
    ccedil: 'ç',
    aacute: 'á',
    iacute: 'í',
    oacute: 'ó',
    uacute: 'ú',
    ntilde: 'ñ',
    atilde: 'ã',
    otilde: 'õ',
    ecirc: 'ê',
  }),
)

function character(point: number): string {
  return point >= 0x20 && point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff) ? String.fromCodePoint(point) : ' '
}
