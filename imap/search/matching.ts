/**
 * Whether a message matches search keys, as far as it is known: first its row in the table of the folder, then its document, then
 * its bytes. `undefined` means that more has to be read.
 */
import { sameKeyword } from '../../core/imap/flags.ts'
import type { Uid } from '../wire/numbers.ts'
import type { Key } from './keys.ts'

/** What the table of the folder holds of a message. */
export type Row = {
  readonly uid: Uid
  readonly flags: number
  readonly labels: readonly string[]
  readonly isRecent: boolean
  readonly sizeBytes: number
  readonly receivedAt: number
  readonly modseq: number
}

/** What is known of a message beyond its row. Texts are folded. */
export type Knowledge = {
  /** The values of the header fields of that name, in which `text` is searched; undefined: not known. */
  header?(name: string, text: string): readonly string[] | undefined
  /** The day of its Date field in the sender's time zone; null: it has no date; undefined: not known. */
  sentOn?(): Days | null | undefined
  /** Its ids (RFC 8474), and when it was saved in its folder. */
  readonly ids?: { readonly email: string; readonly thread: string }
  readonly savedAt?: number
  /** Whether its body, or its header and body, contains a text; undefined: not known. */
  hasText?(where: 'body' | 'text', text: string): boolean | undefined
}

/** The first and last day that a date may be, as midnights in UTC; equal when the day is known. */
export type Days = { readonly first: number; readonly last: number }

/** What a query is evaluated with: the UIDs that each of its sets names, and the current time. */
export type Sets = { readonly of: ReadonlyMap<Key, ReadonlySet<Uid>>; readonly now: number }

export function matches(key: Key, row: Row, known: Knowledge, sets: Sets): boolean | undefined {
  switch (key.is) {
    case 'all':
      return true
    case 'and':
      return every(key.keys, row, known, sets)
    case 'or':
      return negated(
        every(
          key.keys.map((each) => ({ is: 'not', key: each }) as const),
          row,
          known,
          sets,
        ),
      )
    case 'not':
      return negated(matches(key.key, row, known, sets))
    case 'flag':
      return (row.flags & key.bit) !== 0
    case 'recent':
      return row.isRecent
    case 'keyword':
      return row.labels.some((label) => sameKeyword(label, key.label))
    case 'set':
      return sets.of.get(key)?.has(row.uid) ?? false
    case 'modseq':
      return row.modseq >= key.atLeast
    case 'younger':
      return row.receivedAt >= sets.now - key.seconds * 1_000
    case 'older':
      return row.receivedAt <= sets.now - key.seconds * 1_000
    case 'id':
      return known.ids === undefined ? undefined : known.ids[key.of] === key.id
    case 'savedBefore':
    case 'savedOn':
    case 'savedSince':
      return known.savedAt === undefined ? undefined : isInTime(savedKeys[key.is], key.day, oneDay(known.savedAt))
    case 'larger':
      return row.sizeBytes > key.bytes
    case 'smaller':
      return row.sizeBytes < key.bytes
    case 'before':
    case 'on':
    case 'since':
      return isInTime(key.is, key.day, key.date === 'received' ? oneDay(row.receivedAt) : known.sentOn?.())
    case 'header':
      return hasHeader(key, known)
    case 'body':
    case 'text':
      return known.hasText?.(key.is, key.text)
  }
}

const dayMs = 86_400_000

/** Returns the midnight (UTC) at or before a time. */
export const dayOf = (at: number): number => Math.floor(at / dayMs) * dayMs

/** Returns the day of a time, as a known day. */
export const oneDay = (at: number): Days => ({ first: dayOf(at), last: dayOf(at) })

const negated = (is: boolean | undefined) => (is === undefined ? undefined : !is)

/** Whether all keys match. One that does not match decides, even if others are unknown. */
function every(keys: readonly Key[], row: Row, known: Knowledge, sets: Sets): boolean | undefined {
  let all: boolean | undefined = true
  for (const key of keys) {
    const is = matches(key, row, known, sets)
    if (is === false) return false
    if (is === undefined) all = undefined
  }
  return all
}

const savedKeys = { savedBefore: 'before', savedOn: 'on', savedSince: 'since' } as const

function isInTime(is: 'before' | 'on' | 'since', day: Date, days: Days | null | undefined): boolean | undefined {
  if (days === undefined || days === null) return days === null ? false : undefined
  const { first, last } = days
  const wanted = day.getTime()
  const isBefore = last < wanted ? true : first >= wanted ? false : undefined
  if (is === 'before') return isBefore
  if (is === 'since') return negated(isBefore)
  if (wanted < first || wanted > last) return false
  return first === last ? true : undefined
}

function hasHeader({ name, text }: Extract<Key, { readonly is: 'header' }>, known: Knowledge): boolean | undefined {
  const values = known.header?.(name, text)
  return values?.some((value) => value.includes(text))
}
