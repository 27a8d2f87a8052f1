/** Reads the items of a FETCH command (RFC 9051 6.4.5). */
import { Bad } from '../wire/answers.ts'
import type { Parser } from '../wire/parser.ts'
import { type Partial, readPartial, readPath, readSection, type Section } from '../wire/sections.ts'

/** Items without arguments: from the table, the document or the structure of a message. */
export type PlainItem =
  | 'FLAGS'
  | 'INTERNALDATE'
  | 'RFC822.SIZE'
  | 'UID'
  | 'ENVELOPE'
  | 'BODY'
  | 'BODYSTRUCTURE'
  | 'MODSEQ'
  | 'EMAILID'
  | 'THREADID'
  | 'SAVEDATE'
  | 'PREVIEW'

export type SectionItem = {
  readonly section: Section
  readonly partial: Partial | null
  /** Whether fetching it leaves the message unread. */
  readonly isPeek: boolean
  /** The name of the item in the response. */
  readonly label: string
}

/** A part without its transfer encoding (RFC 3516). */
export type BinaryItem = {
  readonly binary: readonly number[]
  readonly partial: Partial | null
  readonly isPeek: boolean
  readonly isSize: boolean
  readonly label: string
}

export type Item = PlainItem | SectionItem | BinaryItem

const plainItems: ReadonlySet<string> = new Set<PlainItem>([
  'FLAGS',
  'INTERNALDATE',
  'RFC822.SIZE',
  'UID',
  'ENVELOPE',
  'BODY',
  'BODYSTRUCTURE',
  'MODSEQ',
  'EMAILID',
  'THREADID',
  'SAVEDATE',
  'PREVIEW',
])

const macros: { readonly [name: string]: readonly Item[] } = {
  ALL: ['FLAGS', 'INTERNALDATE', 'RFC822.SIZE', 'ENVELOPE'],
  FAST: ['FLAGS', 'INTERNALDATE', 'RFC822.SIZE'],
  FULL: ['FLAGS', 'INTERNALDATE', 'RFC822.SIZE', 'ENVELOPE', 'BODY'],
}

/** Reads a macro, an item or a list of items. */
export function readItems(parser: Parser): readonly Item[] {
  if (parser.peek() === '(') {
    const items = parser.list(() => readItem(parser))
    if (items.length === 0) throw new Bad('Ask for at least one item')
    return items
  }
  for (const [name, items] of Object.entries(macros)) if (parser.take(name)) return items
  return [readItem(parser)]
}

function readItem(parser: Parser): Item {
  const word = parser.word('The name of an item')
  if (word === 'BODY' && parser.peek() === '[') return sectionItem(parser, false)
  if (word === 'BODY.PEEK') return sectionItem(parser, true)
  if (word === 'BINARY' || word === 'BINARY.PEEK' || word === 'BINARY.SIZE') return binaryItem(parser, word)
  const old = oldItems[word]
  if (old !== undefined) return old
  if (!plainItems.has(word)) throw new Bad(`${word} is not a FETCH item`)
  // RFC 8970 3.1: LAZY changes nothing, because previews are stored.
  if (word === 'PREVIEW') parser.take(' (LAZY)')
  return word as PlainItem
}

function sectionItem(parser: Parser, isPeek: boolean): SectionItem {
  const section = readSection(parser)
  const partial = readPartial(parser)
  const label = `BODY${section.label}${partial === null ? '' : `<${partial.from}>`}`
  return { section, partial, isPeek, label }
}

function binaryItem(parser: Parser, word: string): BinaryItem {
  parser.expect('[')
  const binary = readPath(parser)
  parser.expect(']')
  const isSize = word === 'BINARY.SIZE'
  const partial = isSize ? null : readPartial(parser)
  const label = `${isSize ? word : 'BINARY'}[${binary.join('.')}]${partial === null ? '' : `<${partial.from}>`}`
  return { binary, partial, isPeek: word !== 'BINARY', isSize, label }
}

const old = (text: Section['text'], label: string, isPeek: boolean): SectionItem => ({
  section: { path: [], text, fields: [], label: '' },
  partial: null,
  isPeek,
  label,
})

/** The items of RFC 3501 6.4.5 that IMAP4rev2 dropped. */
const oldItems: { readonly [word: string]: SectionItem } = {
  RFC822: old('all', 'RFC822', false),
  'RFC822.HEADER': old('header', 'RFC822.HEADER', true),
  'RFC822.TEXT': old('text', 'RFC822.TEXT', false),
}
