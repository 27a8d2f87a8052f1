/**
 * Finds the messages of a segment that may match a query. Words, sizes, times and attachments are known from the
 * segment; folders, labels and flags change and are read from the message. So for each part of the query there is a set
 * of messages that must match and a set of those that may.
 */
import { leavesOf, type ParsedQuery, type Words } from '../../mail/search/query.ts'
import type { WantedToken } from '../../mail/search/tokens.ts'
import { eachMessage, eachPosition, fieldBits, findEntries, type WordEntry } from '../../store/postings.ts'
import { allBits, type Bits, bothBits, eitherBits, hasBit, isEmpty, noBits, setBit, withoutBits } from './bitset.ts'
import { attachmentMark } from './indexing.ts'

/** What matching reads of a segment. */
export type SegmentSource = {
  readonly count: number
  /** The blocks that may contain a word, or with `prefix` words that begin with it. */
  blocksOf(word: string, prefix: boolean): readonly Buffer[]
  receivedAt(n: number): number
  sizeBytes(n: number): number
}

/** The properties of a message that change and are not in the segment. */
export type MessageProperties = {
  isIn(folder: string): boolean
  hasLabel(label: string): boolean
  readonly seen: boolean
  readonly flagged: boolean
  readonly answered: boolean
}

export type Matched = {
  /** The messages that may match. */
  readonly may: Bits
  /** Whether message `n` matches, given its properties. */
  matches(n: number, message: MessageProperties): boolean
}

/** The words that a query looks up in the index, including the word for attachments. */
export function lookupsOf(query: ParsedQuery): readonly Pick<WantedToken, 'text' | 'prefix'>[] {
  return leavesOf(query).flatMap((leaf): readonly Pick<WantedToken, 'text' | 'prefix'>[] => {
    if (leaf.kind === 'words') return leaf.tokens
    return leaf.kind === 'attachment' ? [{ text: attachmentMark, prefix: false }] : []
  })
}

/** Whether a query needs times or sizes, which are in the table of messages. */
export function needsTable(query: ParsedQuery): boolean {
  return leavesOf(query).some(({ kind }) => ['before', 'after', 'larger', 'smaller'].includes(kind))
}

/** Matches a query against a segment. */
export function matchSegment(query: ParsedQuery, source: SegmentSource): Matched {
  const known = new Map<ParsedQuery, Bits>()
  for (const leaf of leavesOf(query)) {
    const bits = bitsOf(leaf, source)
    if (bits !== null) known.set(leaf, bits)
  }
  const { may } = boundsOf(query, known, source.count)
  return { may, matches: (n, message) => isTrue(query, { known, n, message }) }
}

type Bounds = { readonly must: Bits; readonly may: Bits }

function boundsOf(query: ParsedQuery, known: ReadonlyMap<ParsedQuery, Bits>, count: number): Bounds {
  if (query.kind === 'not') {
    const { must, may } = boundsOf(query.part, known, count)
    const all = allBits(count)
    return { must: withoutBits(all, may), may: withoutBits(all, must) }
  }
  if (query.kind === 'and' || query.kind === 'or') {
    const join = query.kind === 'and' ? bothBits : eitherBits
    return query.parts
      .map((part) => boundsOf(part, known, count))
      .reduce((a, b) => ({ must: join(a.must, b.must), may: join(a.may, b.may) }))
  }
  const bits = known.get(query)
  return bits === undefined ? { must: noBits(count), may: allBits(count) } : { must: bits, may: bits }
}

function isTrue(
  query: ParsedQuery,
  at: { known: ReadonlyMap<ParsedQuery, Bits>; n: number; message: MessageProperties },
): boolean {
  const { known, n, message } = at
  switch (query.kind) {
    case 'and':
      return query.parts.every((part) => isTrue(part, at))
    case 'or':
      return query.parts.some((part) => isTrue(part, at))
    case 'not':
      return !isTrue(query.part, at)
    case 'in':
      return message.isIn(query.name)
    case 'label':
      return message.hasLabel(query.name)
    case 'is':
      if (query.flag === 'unread') return !message.seen
      return message[query.flag === 'read' ? 'seen' : query.flag]
    default: {
      const bits = known.get(query)
      return bits !== undefined && hasBit(bits, n)
    }
  }
}

/** The messages that match one condition of the query; null when the segment cannot tell. */
function bitsOf(leaf: ParsedQuery, source: SegmentSource): Bits | null {
  switch (leaf.kind) {
    case 'words':
      return wordBits(leaf, source)
    case 'attachment':
      return entryBits(entriesOf(source, { text: attachmentMark, prefix: false }), 0xff, source.count)
    case 'before':
      return rowBits(source, (n) => source.receivedAt(n) < leaf.at.getTime())
    case 'after':
      return rowBits(source, (n) => source.receivedAt(n) >= leaf.at.getTime())
    case 'larger':
      return rowBits(source, (n) => source.sizeBytes(n) > leaf.bytes)
    case 'smaller':
      return rowBits(source, (n) => source.sizeBytes(n) < leaf.bytes)
    default:
      return null
  }
}

function rowBits({ count }: SegmentSource, isWanted: (n: number) => boolean): Bits {
  const bits = noBits(count)
  for (let n = 0; n < count; n++) if (isWanted(n)) setBit(bits, n)
  return bits
}

type Occurrences = Omit<WordEntry, 'word'>

const anyField = Object.values(fieldBits).reduce((all, bit) => all | bit, 0)

function wordBits({ tokens, field }: Words, source: SegmentSource): Bits {
  const fields = field === null ? anyField : fieldBits[field] | (field === 'to' ? fieldBits.bcc : 0)
  const found = tokens.map((token) => ({ token, entries: entriesOf(source, token) }))
  const bits = found.map(({ entries }) => entryBits(entries, fields, source.count)).reduce(bothBits)
  return tokens.length === 1 || isEmpty(bits) ? bits : phraseBits(found, { candidates: bits, fields, source })
}

function entriesOf(
  source: SegmentSource,
  { text, prefix }: Pick<WantedToken, 'text' | 'prefix'>,
): readonly Occurrences[] {
  return source.blocksOf(text, prefix).flatMap((block) => findEntries(block, text, { prefix }))
}

function entryBits(entries: readonly Occurrences[], fields: number, count: number): Bits {
  const bits = noBits(count)
  for (const entry of entries) {
    eachMessage(entry, (number, its) => {
      if ((its & fields) !== 0) setBit(bits, number)
    })
  }
  return bits
}

/** Combines message number and field to one number: keys are `number * fieldsMax + field`. */
const fieldsMax = anyField + 1

/** Those of the candidates in which the tokens follow each other in one field. */
function phraseBits(
  found: readonly { readonly token: WantedToken; readonly entries: readonly Occurrences[] }[],
  { candidates, fields, source }: { candidates: Bits; fields: number; source: SegmentSource },
): Bits {
  const occurrenceCount = (entries: readonly Occurrences[]) => entries.reduce((sum, { count }) => sum + count, 0)
  let starts: Map<number, Set<number>> | null = null
  for (const { token, entries } of found.toSorted((a, b) => occurrenceCount(a.entries) - occurrenceCount(b.entries))) {
    const before: Map<number, Set<number>> | null = starts
    const next = new Map<number, Set<number>>()
    const wants = (number: number) => hasBit(candidates, number)
    for (const entry of entries) {
      eachPosition(entry, wants, (number, field, position) => {
        if ((field & fields) === 0) return
        const key = number * fieldsMax + field
        const start = position - token.at
        if (before !== null && before.get(key)?.has(start) !== true) return
        const known = next.get(key)
        if (known === undefined) next.set(key, new Set([start]))
        else known.add(start)
      })
    }
    starts = next
  }
  const bits = noBits(source.count)
  for (const key of starts?.keys() ?? []) setBit(bits, Math.floor(key / fieldsMax))
  return bits
}
