/** The keys of SEARCH (RFC 9051 6.4.4) as they are asked for. */
import { flagBit } from '../selected/message-table.ts'
import { Bad } from '../wire/answers.ts'
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
  | { readonly is: 'larger' | 'smaller'; readonly bytes: number }
  | { readonly is: 'before' | 'on' | 'since'; readonly date: 'received' | 'sent'; readonly day: Date }
  /** Texts are in lower case, NFC. */
  | { readonly is: 'header'; readonly name: string; readonly text: string }
  | { readonly is: 'body' | 'text'; readonly text: string }

const not = (key: Key): Key => ({ is: 'not', key })
const all: Key = { is: 'all' }
const recent: Key = { is: 'recent' }
const flag = (name: Parameters<typeof flagBit>[0]): Key => ({ is: 'flag', bit: flagBit(name) })

/** Keys without an argument. */
const plain: { readonly [name: string]: Key } = {
  ALL: all,
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
  FROM: header('from'),
  HEADER: (parser) => {
    const name = parser.astring().toLowerCase()
    parser.space()
    return { is: 'header', name, text: readText(parser) }
  },
  KEYWORD: (parser) => ({ is: 'keyword', label: readKeyword(parser) }),
  LARGER: (parser) => ({ is: 'larger', bytes: parser.number() }),
  NOT: (parser) => not(readKey(parser)),
  ON: date('on', 'received'),
  OR: (parser) => {
    const first = readKey(parser)
    parser.space()
    return { is: 'or', keys: [first, readKey(parser)] }
  },
  SENTBEFORE: date('before', 'sent'),
  SENTON: date('on', 'sent'),
  SENTSINCE: date('since', 'sent'),
  SINCE: date('since', 'received'),
  SMALLER: (parser) => ({ is: 'smaller', bytes: parser.number() }),
  SUBJECT: header('subject'),
  TEXT: (parser) => ({ is: 'text', text: readText(parser) }),
  TO: header('to'),
  UID: (parser) => ({ is: 'set', kind: 'uid', set: parser.set() }),
  UNKEYWORD: (parser) => not({ is: 'keyword', label: readKeyword(parser) }),
}

function header(name: string): (parser: Parser) => Key {
  return (parser) => ({ is: 'header', name, text: readText(parser) })
}

function date(is: 'before' | 'on' | 'since', which: 'received' | 'sent'): (parser: Parser) => Key {
  return (parser) => ({ is, date: which, day: parser.day() })
}

/** Reads keys up to the end of the command: all of them must hold. */
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
    if (read === undefined) throw new Bad(`${word} is no search key`)
    parser.space()
    return read(parser)
  })
}

const readText = (parser: Parser): string => folded(readUtf8(parser.astring()))

function readKeyword(parser: Parser): string {
  const { labels } = readFlags([parser.atom('A keyword')])
  return labels[0] ?? ''
}

/** As texts are compared: upper and lower case are the same. */
export const folded = (text: string): string => text.normalize('NFC').toLowerCase()
