/** Sections of a message (RFC 9051 6.4.5.1): reads how they are named, and returns their bytes. */
import type { Part } from '../../mail/message/structure.ts'
import { limits } from '../limits.ts'
import { Bad } from './answers.ts'
import type { Parser } from './parser.ts'
import { quoted } from './text.ts'

export type Section = {
  /** Part numbers; empty for the message itself. */
  readonly path: readonly number[]
  readonly text: 'all' | 'header' | 'fields' | 'otherFields' | 'text' | 'mime'
  /** Names of header fields, in lower case. */
  readonly fields: readonly string[]
  /** The section as it is named in the response. */
  readonly label: string
}

export type Partial = { readonly from: number; readonly count: number }

/** Reads `[...]`. */
export function readSection(parser: Parser): Section {
  parser.expect('[')
  const path = readPath(parser)
  const numbers = path.join('.')
  if (parser.take(']')) return { path, text: 'all', fields: [], label: `[${numbers}]` }
  if (path.length > 0) parser.expect('.')
  const prefix = path.length > 0 ? `${numbers}.` : ''
  const word = parser.word('The name of a section')
  const text = sectionTexts[word]
  if (text === undefined || (text === 'mime' && path.length === 0)) throw new Bad(`${word} is not a section here`)
  if (text !== 'fields' && text !== 'otherFields') {
    parser.expect(']')
    return { path, text, fields: [], label: `[${prefix}${word}]` }
  }
  parser.space()
  const names = parser.list(() => parser.astring())
  if (names.length === 0) throw new Bad('Name at least one header field')
  parser.expect(']')
  const told = names.map((name) => (/^[\x21-\x27\x2b-\x5b\x5e-\x7e]+$/.test(name) ? name : quoted(name))).join(' ')
  return { path, text, fields: names.map((name) => name.toLowerCase()), label: `[${prefix}${word} (${told})]` }
}

const sectionTexts: { readonly [word: string]: Section['text'] } = {
  HEADER: 'header',
  'HEADER.FIELDS': 'fields',
  'HEADER.FIELDS.NOT': 'otherFields',
  TEXT: 'text',
  MIME: 'mime',
}

/** Reads part numbers with dots between them. */
export function readPath(parser: Parser): number[] {
  const path: number[] = []
  while (/\d/.test(parser.peek())) {
    const number = parser.number()
    if (number === 0) throw new Bad('Parts are numbered from 1')
    path.push(number)
    if (path.length > limits.depth) throw new Bad('The part is nested too deep', 'TOOBIG')
    if (parser.follows('.') && !/^\.\d/.test(parser.ahead(2))) break
    if (!parser.take('.')) break
  }
  return path
}

/** Reads `<from.count>` if it follows. */
export function readPartial(parser: Parser): Partial | null {
  if (!parser.take('<')) return null
  const from = parser.number()
  parser.expect('.')
  const count = parser.number()
  if (count === 0) throw new Bad('Ask for at least one byte')
  parser.expect('>')
  return { from, count }
}

/** Returns the bytes of a section that a partial fetch asks for. */
export const cutOut = (bytes: Buffer, partial: Partial | null): Buffer =>
  partial === null ? bytes : bytes.subarray(partial.from, partial.from + partial.count)

/** Returns the bytes of a section, or null when there is no such part. `structure` returns the parsed message. */
export function sectionOf(shown: Buffer, { path, text, fields }: Section, structure: () => Part): Buffer | null {
  if (path.length === 0) {
    if (text === 'all') return shown
    const end = headerEnd(shown)
    return ofMessage(shown.subarray(0, end), shown.subarray(end), { text, fields })
  }
  const part = partAt(structure(), path)
  if (part === null) return null
  if (text === 'mime') return shown.subarray(part.headerStart, part.bodyStart)
  if (text === 'all') return shown.subarray(part.bodyStart, part.bodyEnd)
  const { embedded } = part
  if (embedded === null) return null
  const header = shown.subarray(embedded.headerStart, embedded.bodyStart)
  return ofMessage(header, shown.subarray(embedded.bodyStart, embedded.bodyEnd), { text, fields })
}

function ofMessage(header: Buffer, body: Buffer, { text, fields }: Pick<Section, 'text' | 'fields'>): Buffer {
  if (text === 'header') return header
  if (text === 'text') return body
  return headerFields(header, (name) => fields.includes(name) === (text === 'fields'))
}

/**
 * Returns the part with these numbers, or null. The message inside a message/rfc822 part is numbered like any message: its part
 * numbers follow the number of that part, and the only part of a message without multiparts is part 1.
 */
export function partAt(root: Part, path: readonly number[]): Part | null {
  let container: Part | null = root
  let part: Part | null = null
  for (const number of path) {
    if (container === null) return null
    const found: Part | undefined = container.children.length > 0 ? container.children[number - 1] : undefined
    part = found ?? (container.children.length === 0 && number === 1 ? container : null)
    if (part === null) return null
    // The next number counts within this multipart, or within the message embedded in this part.
    container = part.children.length > 0 ? part : part.embedded
  }
  return part
}

/** Returns where the header of a message ends: after its first empty line. */
export function headerEnd(bytes: Buffer): number {
  if (bytes[0] === 0x0a) return 1
  if (bytes[0] === 0x0d && bytes[1] === 0x0a) return 2
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) {
    if (bytes[at + 1] === 0x0a) return at + 2
    if (bytes[at + 1] === 0x0d && bytes[at + 2] === 0x0a) return at + 3
  }
  return bytes.length
}

/** Returns the header fields whose names (in lower case) are wanted, unchanged, followed by an empty line. */
function headerFields(header: Buffer, isWanted: (name: string) => boolean): Buffer {
  const found: Buffer[] = []
  let start = -1
  for (let at = 0; at < header.length; ) {
    const feed = header.indexOf(0x0a, at)
    const next = feed < 0 ? header.length : feed + 1
    const first = header[at]
    if (first !== 0x20 && first !== 0x09) {
      if (start >= 0) found.push(header.subarray(start, at))
      const colon = header.indexOf(0x3a, at)
      const name = colon >= at && colon < next ? header.toString('latin1', at, colon).trimEnd().toLowerCase() : null
      start = name !== null && isWanted(name) ? at : -1
    }
    at = next
  }
  if (start >= 0) found.push(header.subarray(start))
  return Buffer.concat([...found.map(withoutEmptyEnd), Buffer.from('\r\n')])
}

/** Returns a field without the empty line that ends the header. */
function withoutEmptyEnd(field: Buffer): Buffer {
  const text = field.toString('latin1', Math.max(0, field.length - 4))
  return text.endsWith('\n\r\n') ? field.subarray(0, -2) : text.endsWith('\n\n') ? field.subarray(0, -1) : field
}
