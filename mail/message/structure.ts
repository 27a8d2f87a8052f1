import { isEightBit } from '../encoding/charset.ts'
import { guessCharset } from '../encoding/charset-guess.ts'
import { type Parameterised, parseParameters } from '../encoding/parameters.ts'
import { limits } from '../limits.ts'
import { firstHeader, type HeaderBlock, type HeaderField, readHeaders } from './headers.ts'

/**
 * One entity of a message (RFC 2045 2.4). All offsets are bytes in the raw message: the header is
 * headerStart..bodyStart (blank line included), the content bodyStart..bodyEnd (the line end before a boundary is not
 * part of it).
 */
export type Part = {
  /** IMAP section (RFC 9051 6.4.5): `1`, `2.1`; a multipart that is the whole body of a message has `TEXT` or `2.TEXT`. */
  readonly id: string
  /** Lower-case media type. A missing one is the default for its place, a malformed one `text/plain` or `application/octet-stream`. */
  readonly contentType: string
  readonly params: ReadonlyMap<string, string>
  /** Lower-case: `inline`, `attachment`, another word, or null. */
  readonly disposition: string | null
  readonly dispositionParams: ReadonlyMap<string, string>
  /** Lower-case Content-Transfer-Encoding; `7bit` when missing. */
  readonly encoding: string
  /** Without angle brackets. */
  readonly contentId: string | null
  readonly charset: string | null
  readonly fields: readonly HeaderField[]
  readonly headerStart: number
  readonly bodyStart: number
  readonly bodyEnd: number
  /** Number of line ends in the body of a text/* or message/rfc822 part, else 0. */
  readonly lines: number
  readonly children: readonly Part[]
  /** The message inside a message/rfc822 part: its own fields and body. */
  readonly embedded: Part | null
}

/**
 * Finds every part of a message in one pass over the bytes. A multipart without a boundary, or whose boundary never occurs, is
 * a plain text leaf, so that its words are still read; so is the text before the closing boundary of a multipart without parts.
 * A part without a closing boundary extends to the end. `depth` is that of the deepest entity; `truncated` tells that a limit
 * left out parts or fields. Linear. Never throws.
 */
export function readStructure(raw: Buffer): {
  readonly root: Part
  readonly depth: number
  readonly truncated: boolean
} {
  const scan: Scan = {
    raw,
    boundaries: new Map(),
    parts: 0,
    depth: 0,
    truncated: false,
    charset: null,
    isGuessed: false,
    guessedOfLines: null,
    guessedOfWords: null,
  }
  const { part } = readEntity(scan, {
    start: 0,
    prefix: '',
    ordinal: null,
    depth: 0,
    embeddedDepth: 0,
    fallback: 'text/plain',
  })
  // The header of a multipart declares no charset: the charset of its text is the best guess.
  const { charset, isGuessed } = scan
  const root = isGuessed
    ? { ...part, fields: readHeaders(raw, { charset, guess: (words) => guessed(scan, words) }).fields }
    : part
  return { root, depth: scan.depth, truncated: scan.truncated }
}

type Scan = {
  readonly raw: Buffer
  /** Boundaries of the open multiparts and their depth. */
  readonly boundaries: Map<string, number>
  parts: number
  depth: number
  truncated: boolean
  /** The first charset that a part names and that 8-bit header bytes can be in. */
  charset: string | null
  /** Whether the header of the message has 8-bit bytes in an unknown charset. */
  isGuessed: boolean
  /** Guessed charsets of the 8-bit lines of the message and of the first encoded words without one; null until needed. */
  guessedOfLines: string | null
  guessedOfWords: string | null
}

/** The charset of 8-bit header fields (`words` is null) or of encoded words: guessed once for the whole message. */
function guessed(scan: Scan, words: Buffer | null): string {
  if (words !== null) {
    scan.guessedOfWords ??= guessCharset(words)
    return scan.guessedOfWords
  }
  scan.guessedOfLines ??= guessCharset(scan.raw)
  return scan.guessedOfLines
}

/** A boundary line: from its first `-` to after its line end. */
type Delimiter = { readonly depth: number; readonly closes: boolean; readonly start: number; readonly end: number }

type Place = {
  readonly start: number
  /** Section number of the enclosing part or message. */
  readonly prefix: string
  /** Number among its siblings; null for the body of a message. */
  readonly ordinal: number | null
  readonly depth: number
  readonly embeddedDepth: number
  /** Media type of a part that declares none (RFC 2046 5.1.5: message/rfc822 in a digest). */
  readonly fallback: string
}

type Read = { readonly part: Part; readonly stop: Delimiter | null }

function readEntity(scan: Scan, place: Place): Read {
  scan.parts++
  scan.depth = Math.max(scan.depth, place.depth)
  const { raw } = scan
  const bounds =
    place.ordinal === null
      ? { bytesMax: limits.headerBytesMax, countMax: limits.headerCountMax }
      : { bytesMax: limits.partHeaderBytesMax, countMax: limits.partHeaderCountMax }
  const block = readHeaders(raw, {
    bounds,
    start: place.start,
    isDelimiter: (from, to) => delimiterAt(scan, from, to) !== null,
    isPart: place.ordinal !== null,
    charset: scan.charset,
    // The header of the message is decoded again once the charset of its text is known.
    guess: (words) => (words === null && place.depth === 0 ? 'windows-1252' : guessed(scan, words)),
  })
  if (block.truncated) scan.truncated = true
  if (place.depth === 0) scan.isGuessed = block.isGuessed
  const type = typeOf(block, place.fallback)
  const charset = type.params.get('charset') ?? null
  if (scan.charset === null && isEightBit(charset)) scan.charset = charset
  const section = join(place.prefix, place.ordinal)
  if (type.value.startsWith('multipart/')) {
    const boundary = boundaryOf(scan, (type.params.get('boundary') ?? '').trimEnd(), block.bodyStart)
    const tooDeep = place.depth >= limits.depthMax
    if (tooDeep) scan.truncated = true
    if (boundary !== '' && boundary.length <= limits.boundaryCharsMax && !tooDeep) {
      return readMultipart(scan, place, block, type, boundary)
    }
    return readLeaf(scan, place, block, { value: 'text/plain', params: new Map() })
  }
  const encoding = encodingOf(block)
  const isMessage = type.value === 'message/rfc822' || type.value === 'message/global'
  if (!isMessage || encoding === 'base64' || encoding === 'quoted-printable') return readLeaf(scan, place, block, type)
  if (place.embeddedDepth >= limits.embeddedDepthMax || scan.parts >= limits.partsMax) {
    scan.truncated = true
    return readLeaf(scan, place, block, type)
  }
  const id = place.ordinal === null ? join(place.prefix, 1) : section
  const inner = readEntity(scan, {
    start: block.bodyStart,
    prefix: id,
    ordinal: null,
    depth: place.depth + 1,
    embeddedDepth: place.embeddedDepth + 1,
    fallback: 'text/plain',
  })
  const bodyEnd = contentEnd(raw, block.bodyStart, inner.stop)
  return { part: build(scan, place, block, type, { id, bodyEnd, embedded: inner.part }), stop: inner.stop }
}

/**
 * The boundary of a multipart: the one it names, unless that does not occur near the start of the body and the body has another
 * boundary line there, followed by a header field.
 */
function boundaryOf({ raw, boundaries }: Scan, named: string, bodyStart: number): string {
  const preamble = raw.subarray(bodyStart, bodyStart + preambleBytesMax)
  if (named !== '' && preamble.includes(`--${named}`, 0, 'latin1')) return named
  const other = firstDelimiter.exec(preamble.toString('latin1'))?.[1]
  return other === undefined || boundaries.has(other) ? named : other
}

const firstDelimiter = /(?:^|\n)--(\S(?:[^\r\n]{0,68}\S)?)[ \t]*\r?\n(?=content-[a-z-]{1,40}:)/i
/** Length of the text for old mail programs that may precede the first part. */
const preambleBytesMax = 8 * 1024

function readLeaf(scan: Scan, place: Place, block: HeaderBlock, type: Parameterised): Read {
  const stop = nextDelimiter(scan, block.bodyStart)
  const bodyEnd = contentEnd(scan.raw, block.bodyStart, stop)
  const id = place.ordinal === null ? join(place.prefix, 1) : join(place.prefix, place.ordinal)
  return { part: build(scan, place, block, type, { id, bodyEnd }), stop }
}

function readMultipart(scan: Scan, place: Place, block: HeaderBlock, type: Parameterised, boundary: string): Read {
  const outer = scan.boundaries.get(boundary)
  const depth = place.depth + 1
  scan.boundaries.set(boundary, depth)
  const fallback = type.value === 'multipart/digest' ? 'message/rfc822' : 'text/plain'
  const prefix = join(place.prefix, place.ordinal)
  const children: Part[] = []
  const first = nextDelimiter(scan, block.bodyStart)
  let stop = first
  while (stop && stop.depth === depth && !stop.closes) {
    if (scan.parts >= limits.partsMax) {
      scan.truncated = true
      break
    }
    const ordinal = children.length + 1
    const read = readEntity(scan, {
      start: stop.end,
      prefix,
      ordinal,
      depth,
      embeddedDepth: place.embeddedDepth,
      fallback,
    })
    children.push(read.part)
    stop = read.stop
  }
  if (outer === undefined) scan.boundaries.delete(boundary)
  else scan.boundaries.set(boundary, outer)
  if (stop && stop.depth === depth) {
    // The epilogue belongs to no part; after the limit of parts, neither does the rest of the message.
    stop = scan.parts >= limits.partsMax && !stop.closes ? null : nextDelimiter(scan, stop.end)
  }
  if (children.length === 0) {
    const id = place.ordinal === null ? join(place.prefix, 1) : prefix
    const bodyEnd = contentEnd(scan.raw, block.bodyStart, first?.closes ? first : stop)
    return { part: build(scan, place, block, { value: 'text/plain', params: new Map() }, { id, bodyEnd }), stop }
  }
  const id = place.ordinal === null ? `${place.prefix === '' ? '' : `${place.prefix}.`}TEXT` : prefix
  const bodyEnd = contentEnd(scan.raw, block.bodyStart, stop)
  return { part: build(scan, place, block, type, { id, bodyEnd, children }), stop }
}

type Built = {
  readonly id: string
  readonly bodyEnd: number
  readonly children?: readonly Part[]
  readonly embedded?: Part
}

function build({ raw }: Scan, place: Place, block: HeaderBlock, type: Parameterised, built: Built): Part {
  const dispositionField = firstHeader(block.fields, 'content-disposition')
  const disposition = dispositionField ? parseParameters(dispositionField.rawValue) : null
  const counted = type.value.startsWith('text/') || built.embedded !== undefined
  return {
    id: built.id,
    contentType: type.value,
    params: type.params,
    disposition: disposition?.value || null,
    dispositionParams: disposition?.params ?? none,
    encoding: encodingOf(block),
    contentId: contentIdOf(block),
    charset: type.params.get('charset') ?? null,
    fields: block.fields,
    headerStart: place.start,
    bodyStart: block.bodyStart,
    bodyEnd: built.bodyEnd,
    lines: counted ? countLines(raw, block.bodyStart, built.bodyEnd) : 0,
    children: built.children ?? [],
    embedded: built.embedded ?? null,
  }
}

const none: ReadonlyMap<string, string> = new Map()

function typeOf({ fields }: HeaderBlock, fallback: string): Parameterised {
  const field = firstHeader(fields, 'content-type')
  if (!field) return { value: fallback, params: none }
  const type = parseParameters(field.rawValue)
  const isType = mediaType.test(type.value)
  if (isType && type.value.length <= limits.mediaTypeCharsMax) return type
  const isTooLong = type.value.length > limits.mediaTypeCharsMax
  const meant = isTooLong ? '' : type.value.replaceAll('\\', '/').replace(/["'\s]/g, '')
  if (mediaType.test(meant)) return { value: meant, params: type.params }
  // RFC 2045 5.2 allows plain text as the default, but a malformed type beside a file name is that of a file. `text` alone is
  // common in old mail.
  const isNamed = type.params.has('name') || type.params.has('filename')
  const isFile = isType || (isNamed && type.value !== '')
  const isOther = isFile || (/^[a-z]+$/.test(type.value) && type.value !== 'text')
  return { value: isOther ? 'application/octet-stream' : 'text/plain', params: type.params }
}

const mediaType = /^[^\s/()<>@,;:\\"[\]?=]+\/[^\s/()<>@,;:\\"[\]?=]+$/

function encodingOf({ fields }: HeaderBlock): string {
  const field = firstHeader(fields, 'content-transfer-encoding')
  return field ? field.rawValue.replace(/[\s;(].*$/s, '').toLowerCase() || '7bit' : '7bit'
}

function contentIdOf({ fields }: HeaderBlock): string | null {
  const field = firstHeader(fields, 'content-id')
  const id = field?.value.replace(/^<|>$/g, '').trim() ?? ''
  return id === '' || id.length > limits.contentIdCharsMax ? null : id
}

function join(prefix: string, ordinal: number | null): string {
  if (ordinal === null) return prefix
  return prefix === '' ? String(ordinal) : `${prefix}.${ordinal}`
}

/** The first boundary line of an open multipart at or after `from`, which must be the start of a line. */
function nextDelimiter(scan: Scan, from: number): Delimiter | null {
  if (scan.boundaries.size === 0) return null
  const { raw } = scan
  let at = from
  if (!(raw[at] === 0x2d && raw[at + 1] === 0x2d)) {
    at = raw.indexOf('\n--', from, 'latin1') + 1
    if (at === 0) return null
  }
  while (true) {
    const found = delimiterAt(scan, at, raw.length)
    if (found) return found
    at = raw.indexOf('\n--', at, 'latin1') + 1
    if (at === 0) return null
  }
}

/** Reads the line at `from` as a boundary of an open multipart (RFC 2046 5.1.1: blanks may follow it); null when it is none. */
function delimiterAt({ raw, boundaries }: Scan, from: number, to: number): Delimiter | null {
  if (boundaries.size === 0 || raw[from] !== 0x2d || raw[from + 1] !== 0x2d) return null
  const window = Math.min(to, from + limits.boundaryCharsMax + 80)
  let end = from + 2
  while (end < window && raw[end] !== 0x0a) end++
  if (end === window && end < raw.length && raw[end - 1] !== 0x0a) return null
  const next = raw[end] === 0x0a ? end + 1 : end
  while (end > from + 2 && isBlank(raw[end - 1])) end--
  const label = raw.toString('latin1', from + 2, end)
  const opened = boundaries.get(label)
  if (opened !== undefined) return { depth: opened, closes: false, start: from, end: next }
  const closed = label.endsWith('--') ? boundaries.get(label.slice(0, -2)) : undefined
  return closed === undefined ? null : { depth: closed, closes: true, start: from, end: next }
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d
}

/** The line end before a boundary belongs to the boundary (RFC 2046 5.1.1). */
function contentEnd(raw: Buffer, bodyStart: number, stop: Delimiter | null): number {
  if (!stop) return raw.length
  let end = stop.start
  if (end > bodyStart && raw[end - 1] === 0x0a) end--
  if (end > bodyStart && raw[end - 1] === 0x0d) end--
  return Math.max(end, bodyStart)
}

function countLines(raw: Buffer, from: number, to: number): number {
  let count = 0
  for (let i = from; i < to; i++) if (raw[i] === 0x0a) count++
  return count
}
