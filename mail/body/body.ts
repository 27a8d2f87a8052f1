import type { TnefBody } from '../containers/tnef.ts'
import { decodeCharset } from '../encoding/charset.ts'
import { guessCharset } from '../encoding/charset-guess.ts'
import { closeDirections } from '../encoding/directions.ts'
import { cleanLine, firstChars, firstOfLine } from '../encoding/header-words.ts'
import { type Hidden, hiddenExcerpt, stripInvisible } from '../encoding/invisible-characters.ts'
import { lookAlikeDomains } from '../encoding/look-alikes.ts'
import { decodeTransfer } from '../encoding/transfer.ts'
import { limits } from '../limits.ts'
import { splitAddress } from '../message/address.ts'
import type { ParsedMessage } from '../message/parse.ts'
import { isTnef, openText, openTnef } from '../message/part-contents.ts'
import type { Part } from '../message/structure.ts'
import { differenceOf, isWithin } from './alternatives.ts'
import { visibleText } from './html-text.ts'
import { decodeText } from './part-text.ts'

export type MessageBody = {
  /**
   * What a person reads: the plain text parts, or the visible text of the HTML when there are none or when they say more than the
   * HTML shows. Line ends are LF.
   */
  readonly text: string
  /** The HTML as sent, NOT made safe (that is `sanitiseHtml`), or null when there is none. */
  readonly html: string | null
  /** What a person sees, as Markdown, when it is asked for: made from the HTML, or the plain text unchanged. */
  readonly markdown?: string
  /** Text in the message that a reader does not see. */
  readonly hidden: readonly Hidden[]
  readonly truncated: boolean
}

export type MessageBodyOptions = {
  /** Cuts `text` and `html` to at most this many characters (code points). */
  readonly maxChars?: number
  /** False: the HTML is not returned (default true). */
  readonly html?: boolean
  /** True: `markdown` is returned (default false). */
  readonly markdown?: boolean
}

/** Decodes the body of a message. Parts are cut after `textBytesMax` bytes. Linear. Never throws. */
export function readBody(
  raw: Buffer,
  parsed: ParsedMessage,
  { maxChars, html: wantsHtml = true, markdown: wantsMarkdown = false }: MessageBodyOptions = {},
): MessageBody {
  if (parsed.signedContent) {
    const { raw: inside, parsed: content } = parsed.signedContent
    return readBody(inside, content, { maxChars, html: wantsHtml, markdown: wantsMarkdown })
  }
  const decode = decoder(raw)
  const seen: Seen = { hidden: [], truncated: false }
  const known = new Map(
    [...new Set([...parsed.textParts, ...parsed.htmlParts])].map((part) => [part, readText(decode(part), part, seen)]),
  )
  const read = (parts: readonly Part[]) =>
    parts.map((part) => known.get(part) ?? '').filter((text) => text.trim() !== '')
  const plain = read(parsed.textParts)
  const showsHtml = plain.length === 0 || hasMoreThanHtml(parsed, read, decode, seen)
  let texts = showsHtml ? read(parsed.htmlParts) : plain
  const rich = parsed.hasHtml ? null : tnefBody(raw, parsed.root, limits.rtfBytesMax)
  if (rich?.truncated) seen.truncated = true
  if (texts.length === 0 && rich) texts = [tnefText(rich, seen)]
  const htmlOfParts = () => parsed.htmlParts.map((part) => htmlOf(decode(part).text, part)).join('\n')
  const html = wantsHtml ? (parsed.hasHtml ? htmlOfParts() : (rich?.html ?? null)) : null
  for (const domain of lookAlikeDomains(texts.join('\n')))
    seen.hidden.push({ kind: 'lookalike_domain', excerpt: hiddenExcerpt(domain) })
  const text = cut(texts.join('\n\n'), maxChars)
  const markdownOf = (part: Part) =>
    part.contentType === 'text/html' ? visibleText(decode(part).text, { markdown: true }).text : (known.get(part) ?? '')
  const markdown = () =>
    parsed.hasHtml ? parsed.htmlParts.map(markdownOf).filter((each) => each.trim() !== '') : texts
  const cutHtml = html === null ? null : cut(html, maxChars)
  return {
    text: text.text,
    html: cutHtml?.text ?? null,
    ...(wantsMarkdown && { markdown: markdown().join('\n\n') }),
    hidden: seen.hidden.slice(0, limits.hiddenMax),
    truncated: text.truncated || cutHtml?.truncated === true || decode.truncated() || seen.truncated,
  }
}

/** The message as its reader sees it: the HTML replaces plain text parts that say what it shows nowhere. Never throws. */
export function asSeen(raw: Buffer, parsed: ParsedMessage): ParsedMessage {
  if (parsed.signedContent) {
    const inside = asSeen(parsed.signedContent.raw, parsed.signedContent.parsed)
    const isSame = inside === parsed.signedContent.parsed
    return isSame ? parsed : { ...parsed, signedContent: { raw: parsed.signedContent.raw, parsed: inside } }
  }
  const { plain, rich } = alternativesOf(parsed)
  if (plain.length === 0 || rich.length === 0) return parsed
  const decode = decoder(raw)
  const [text, html] = [plain, rich].map((parts) => parts.map((part) => decode(part).text).join('\n\n'))
  if (isWithin(text as string, html as string)) return parsed
  const { hidden } = readBody(raw, parsed, { html: false })
  return hidden.some(({ kind }) => kind === 'alternative') ? { ...parsed, textParts: parsed.htmlParts } : parsed
}

/** The parts that only readers of plain text are shown, and those that only readers of HTML are. */
function alternativesOf({ textParts, htmlParts }: ParsedMessage): Record<'plain' | 'rich', readonly Part[]> {
  return {
    plain: textParts.filter((part) => !htmlParts.includes(part)),
    rich: htmlParts.filter((part) => part.contentType === 'text/html' && !textParts.includes(part)),
  }
}

/** Returns one line of at most `snippetCharsMax` characters for a list, without quoted lines and invisible characters. */
export function snippetOf(text: string): string {
  const head = stripInvisible(text.slice(0, limits.snippetSourceBytesMax * 2)).text
  const lines = head.split(/\r\n|\r|\n/).map((line) => line.trim())
  const own = lines.filter(
    (line, i) =>
      !line.startsWith('>') &&
      !/^[_=*-]{3,}$/.test(line) &&
      !(line.endsWith(':') && nextText(lines, i)?.startsWith('>')),
  )
  const line = cleanLine((own.some((each) => each !== '') ? own : lines).join(' '))
  return firstOfLine(closeDirections(line.replace(/\s+/g, ' ').trim()), limits.snippetCharsMax)
}

/**
 * The snippet of a message that has just arrived, from the first `snippetSourceBytesMax` bytes of its first part with
 * words in it (four times that for HTML, counted from its body element). Cheap. What a reader does not see is left out.
 */
export function quickSnippet(raw: Buffer, parsed: ParsedMessage): string {
  if (parsed.signedContent) return quickSnippet(parsed.signedContent.raw, parsed.signedContent.parsed)
  // Some senders leave the plain alternative empty.
  const parts = [...new Set([...parsed.textParts, ...parsed.htmlParts])].slice(0, limits.snippetPartsMax)
  for (const part of parts) {
    const snippet = snippetOfPart(raw, part)
    if (snippet !== '') return snippet
  }
  return snippetOf(tnefText(tnefBody(raw, parsed.root, snippetRtfBytes), { hidden: [], truncated: false }))
}

function snippetOfPart(raw: Buffer, part: Part): string {
  const opened = openText(raw, part)
  if (opened) {
    const head = opened.text.subarray(0, limits.snippetSourceBytesMax)
    return snippetOf(decodeCharset(head, part.charset, guessCharset))
  }
  const isHtml = part.contentType === 'text/html'
  const wanted = limits.snippetSourceBytesMax * (isHtml ? 4 : 1)
  const end = Math.min(part.bodyEnd, (isHtml ? htmlBodyStart(raw, part) : part.bodyStart) + wanted)
  const bytes = decodeTransfer(raw, part.bodyStart, end, part.encoding)
  const text = decodeText(raw, part, bytes, { cut: end < part.bodyEnd })
  if (!isHtml) return snippetOf(unwrapped(text, part))
  const seen = (images: boolean) =>
    snippetOf(visibleText(text, { links: false, images, enough: limits.snippetCharsMax * 2 }).text)
  // A logo says nothing worth showing where there are words.
  return seen(false) || seen(true)
}

type Decoded = { readonly text: string; readonly truncated: boolean }

/** Returns a function that decodes each part once, and all of them together up to `bodyBytesMax` bytes. */
function decoder(raw: Buffer): ((part: Part) => Decoded) & { truncated: () => boolean } {
  const done = new Map<Part, Decoded>()
  let left: number = limits.bodyBytesMax
  const decode = (part: Part) => {
    const known = done.get(part)
    if (known) return known
    const { bytes, truncated } = contentOf(raw, part, Math.min(left, limits.textBytesMax))
    left -= bytes.length
    const decoded = { text: decodeText(raw, part, bytes, { cut: truncated }), truncated }
    done.set(part, decoded)
    return decoded
  }
  return Object.assign(decode, { truncated: () => [...done.values()].some((each) => each.truncated) })
}

/** The bytes of a text part, without the files embedded in it. */
function contentOf(raw: Buffer, part: Part, bytesMax: number): { bytes: Buffer; truncated: boolean } {
  const opened = openText(raw, part)
  if (opened) return { bytes: opened.text.subarray(0, bytesMax), truncated: opened.text.length > bytesMax }
  const end = Math.min(part.bodyEnd, part.bodyStart + bytesMax)
  return { bytes: decodeTransfer(raw, part.bodyStart, end, part.encoding), truncated: end < part.bodyEnd }
}

/** How much RTF is read for a snippet: its fonts and styles come before its text. */
const snippetRtfBytes = 64 * 1024

type Rich = TnefBody & { readonly truncated: boolean }

/** The body in the first TNEF part of a message that has no HTML of its own. */
function tnefBody(raw: Buffer, part: Part, bytesMax: number): Rich | null {
  if (part.children.length === 0) {
    const opened = isTnef(part) ? openTnef(raw, part) : null
    return opened && { ...opened.body(bytesMax), truncated: opened.truncated }
  }
  for (const child of part.children) {
    const found = tnefBody(raw, child, bytesMax)
    if (found) return found
  }
  return null
}

function tnefText(rich: Rich | null, seen: Seen): string {
  if (rich === null) return ''
  const text = recorded(rich.text === null ? visibleText(rich.html ?? '') : stripInvisible(rich.text), seen)
  return text.replace(/\r\n?/g, '\n').trim()
}

/** What is found while the parts are read. */
type Seen = { readonly hidden: Hidden[]; truncated: boolean }

/** Records what was hidden or left out, and returns the text. */
function recorded(
  { text, hidden, truncated = false }: { text: string; hidden: readonly Hidden[]; truncated?: boolean },
  seen: Seen,
): string {
  seen.hidden.push(...hidden)
  seen.truncated ||= truncated
  return text
}

function readText({ text }: Decoded, part: Part, seen: Seen): string {
  if (part.contentType === 'text/html') return recorded(visibleText(text), seen)
  return recorded(stripInvisible(unwrapped(text, part)), seen)
    .replace(/^\s*\n/, '')
    .trimEnd()
}

/** The lines of a plain text as they were written, before format=flowed wrapped them. */
function unwrapped(text: string, { params }: Part): string {
  const lines = text.replaceAll('\0', '').replace(/\r\n?/g, '\n')
  const isFlowed = params.get('format')?.toLowerCase() === 'flowed'
  return isFlowed ? unwrapFlowed(lines, params.get('delsp')?.toLowerCase() === 'yes') : lines
}

// RFC 3676 4: a blank at the end of a line joins it to the next of the same quote depth; `-- ` never joins.
function unwrapFlowed(text: string, delSp: boolean): string {
  const out: string[] = []
  let open = -1 // quote depth of a paragraph that continues, or -1
  for (const line of text.split('\n')) {
    const depth = /^>*/.exec(line)?.[0].length ?? 0
    const content = line.slice(depth).replace(/^ /, '') // space-stuffing, 4.4
    const isSeparator = content === '-- '
    const flows = content.endsWith(' ') && !isSeparator
    const body = flows && delSp ? content.slice(0, -1) : content
    if (open === depth && !isSeparator) out[out.length - 1] += body
    else out.push(depth > 0 ? `${'>'.repeat(depth)} ${body}` : body)
    open = flows ? depth : -1
  }
  return out.join('\n')
}

/** Whether the plain parts say more than the HTML beside them shows. If so, the difference is recorded in `seen`. */
function hasMoreThanHtml(
  parsed: ParsedMessage,
  read: (parts: readonly Part[]) => readonly string[],
  decode: (part: Part) => Decoded,
  seen: Seen,
): boolean {
  const { plain, rich } = alternativesOf(parsed)
  if (plain.length === 0 || rich.length === 0) return false
  const difference = differenceOf(read(plain).join('\n\n'), {
    text: read(rich).join('\n\n'),
    html: rich.map((part) => decode(part).text).join('\n'),
    domain: splitAddress(parsed.from?.address ?? '').domain,
  })
  if (difference?.excerpt) seen.hidden.unshift({ kind: 'alternative', excerpt: difference.excerpt })
  return difference !== null
}

function htmlOf(text: string, part: Part): string {
  if (part.contentType === 'text/html') return text
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return `<div style="white-space: pre-wrap">${escaped.trimEnd()}</div>`
}

function cut(text: string, maxChars: number | undefined): Decoded {
  if (maxChars === undefined || text.length <= maxChars) return { text, truncated: false }
  const kept = firstChars(text, maxChars)
  return { text: kept, truncated: kept.length < text.length }
}

function nextText(lines: readonly string[], index: number): string | undefined {
  for (let i = index + 1; i < Math.min(lines.length, index + 4); i++) if (lines[i] !== '') return lines[i]
  return undefined
}

/** Where the HTML's body element begins. The style sheets before it decide what is visible, and may be longer than what a snippet reads. */
function htmlBodyStart(raw: Buffer, { bodyStart, bodyEnd, encoding }: Part): number {
  const end = Math.min(bodyEnd, bodyStart + 128 * 1024)
  const head = encoding === 'base64' ? decodeTransfer(raw, bodyStart, end, encoding) : raw.subarray(bodyStart, end)
  const at = Math.max(head.indexOf('<body', 0, 'latin1'), head.indexOf('<BODY', 0, 'latin1'))
  // In base64 the share is the same, because all its lines have one length.
  return at < 0 ? bodyStart : bodyStart + Math.round((at / head.length) * (end - bodyStart))
}
