/** Reads the keys of a SEARCH command (RFC 9051 6.4.4). */
import { flagBit } from '../selected/message-table.ts'
import { Bad, No } from '../wire/answers.ts'
import { readFlags } from '../wire/keywords.ts'
import type { SequenceSet } from '../wire/numbers.ts'
import type { Parser } from '../wire/parser.ts'
import { readUtf8 } from '../wire/text.ts'

export type Key =
  | { readonly is: 'all' }
  | { readonly is: 'and'; readonly keys: readonly Key[] }
  | { readonly is: 'or'; readonly keys: readonly Key[] }
  | { readonly is: 'not'; readonly key: Key }
  | { readonly is: 'flag'; readonly bit: number }
  | { readonly is: 'recent' }
  | { readonly is: 'keyword'; readonly label: string }
  | { readonly is: 'set'; readonly kind: 'uid' | 'seq'; readonly set: SequenceSet }
  | { readonly is: 'modseq'; readonly atLeast: number }
  | { readonly is: 'younger' | 'older'; readonly seconds: number }
  | { readonly is: 'id'; readonly of: 'email' | 'thread'; readonly id: string }
  | { readonly is: 'savedBefore' | 'savedOn' | 'savedSince'; readonly day: Date }
  | { readonly is: 'larger' | 'smaller'; readonly bytes: number }
  | { readonly is: 'before' | 'on' | 'since'; readonly date: 'received' | 'sent'; readonly day: Date }
  /** Texts are folded (`folded`). */
  | { readonly is: 'header'; readonly name: string; readonly text: string }
  | { readonly is: 'body' | 'text'; readonly text: string }

const not = (key: Key): Key => ({ is: 'not', key })
const all: Key = { is: 'all' }
const recent: Key = { is: 'recent' }
const flag = (name: Parameters<typeof flagBit>[0]): Key => ({ is: 'flag', bit: flagBit(name) })

/** Keys without an argument. */
const plain: { readonly [name: string]: Key } = {
  ALL: all,
  // RFC 8514 4.3: true for every message, because every folder keeps save dates.
  SAVEDATESUPPORTED: all,
  ANSWERED: flag('answered'),
  DELETED: flag('deleted'),
  DRAFT: flag('draft'),
  FLAGGED: flag('flagged'),
  SEEN: flag('seen'),
  UNANSWERED: not(flag('answered')),
  UNDELETED: not(flag('deleted')),
  UNDRAFT: not(flag('draft')),
  UNFLAGGED: not(flag('flagged')),
  UNSEEN: not(flag('seen')),
  RECENT: recent,
  OLD: not(recent),
  NEW: { is: 'and', keys: [recent, not(flag('seen'))] },
}

/** Keys with an argument. */
const withArgument: { readonly [name: string]: (parser: Parser) => Key } = {
  BCC: header('bcc'),
  BEFORE: date('before', 'received'),
  BODY: (parser) => ({ is: 'body', text: readText(parser) }),
  CC: header('cc'),
  EMAILID: (parser) => ({ is: 'id', of: 'email', id: parser.atom('An id') }),
  FROM: header('from'),
  HEADER: (parser) => {
    const name = parser.astring().toLowerCase()
    parser.space()
    return { is: 'header', name, text: readText(parser) }
  },
  KEYWORD: (parser) => ({ is: 'keyword', label: readKeyword(parser) }),
  LARGER: (parser) => ({ is: 'larger', bytes: parser.bytes() }),
  MODSEQ(parser) {
    // RFC 7162 3.1.5: an entry name and type are read and ignored, because modseqs are kept per message, not per flag.
    if (parser.peek() === '"') {
      parser.string()
      parser.space()
      parser.word('The type of an entry')
      parser.space()
    }
    return { is: 'modseq', atLeast: parser.modseq() }
  },
  NOT: (parser) => not(readKey(parser)),
  OLDER: (parser) => ({ is: 'older', seconds: parser.number() }),
  ON: date('on', 'received'),
  OR: (parser) => {
    const first = readKey(parser)
    parser.space()
    return { is: 'or', keys: [first, readKey(parser)] }
  },
  SAVEDBEFORE: (parser) => ({ is: 'savedBefore', day: parser.day() }),
  SAVEDON: (parser) => ({ is: 'savedOn', day: parser.day() }),
  SAVEDSINCE: (parser) => ({ is: 'savedSince', day: parser.day() }),
  SENTBEFORE: date('before', 'sent'),
  SENTON: date('on', 'sent'),
  SENTSINCE: date('since', 'sent'),
  SINCE: date('since', 'received'),
  SMALLER: (parser) => ({ is: 'smaller', bytes: parser.bytes() }),
  SUBJECT: header('subject'),
  TEXT: (parser) => ({ is: 'text', text: readText(parser) }),
  THREADID: (parser) => ({ is: 'id', of: 'thread', id: parser.atom('An id') }),
  TO: header('to'),
  UID: (parser) => ({ is: 'set', kind: 'uid', set: parser.set() }),
  UNKEYWORD: (parser) => not({ is: 'keyword', label: readKeyword(parser) }),
  YOUNGER: (parser) => ({ is: 'younger', seconds: parser.number() }),
}

function header(name: string): (parser: Parser) => Key {
  return (parser) => ({ is: 'header', name, text: readText(parser) })
}

function date(is: 'before' | 'on' | 'since', which: 'received' | 'sent'): (parser: Parser) => Key {
  return (parser) => ({ is, date: which, day: parser.day() })
}

/** Reads the name of a charset. Fails with BADCHARSET unless it is supported. */
export function readCharset(parser: Parser): void {
  const charset = parser.astring().toUpperCase()
  if (charset !== 'UTF-8' && charset !== 'US-ASCII')
    throw new No('BADCHARSET (US-ASCII UTF-8)', 'Only US-ASCII and UTF-8 are supported')
}

/** Reads keys as long as a space follows; a message must match all of them. */
export function readKeys(parser: Parser): Key {
  const keys = [readKey(parser)]
  while (parser.takeSpace()) keys.push(readKey(parser))
  return keys.length === 1 ? keys[0]! : { is: 'and', keys }
}

function readKey(parser: Parser): Key {
  return parser.nested(() => {
    if (parser.take('(')) {
      const key = readKeys(parser)
      parser.expect(')')
      return key
    }
    if (parser.isSet()) return { is: 'set', kind: 'seq', set: parser.set() }
    const word = parser.word('A search key')
    const key = plain[word]
    if (key !== undefined) return key
    const read = withArgument[word]
    if (read === undefined) throw new Bad(`${word} is not a search key`)
    parser.space()
    return read(parser)
  })
}

const readText = (parser: Parser): string => folded(readUtf8(parser.astring()))

function readKeyword(parser: Parser): string {
  const { labels } = readFlags([parser.atom('A keyword')])
  return labels[0] ?? ''
}

/** Returns a text in the form in which texts are compared: NFC, lower case. */
export const folded = (text: string): string => text.normalize('NFC').toLowerCase()
