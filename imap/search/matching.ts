/**
 * Whether a message matches search keys, as far as what is known of it tells: first what the table of its folder holds, then
 * what its document says, then its bytes. `undefined`: more has to be known.
 */
import { sameKeyword } from '../../core/imap/flags.ts'
import type { Uid } from '../wire/numbers.ts'
import type { Key } from './keys.ts'

/** What the table of the folder tells of a message. */
export type Row = {
  readonly uid: Uid
  readonly flags: number
  readonly labels: readonly string[]
  readonly isRecent: boolean
  readonly sizeBytes: number
  readonly receivedAt: number
  readonly modseq: number
}

/** What is known of a message beside its row. Texts are folded. */
export type Knowledge = {
  /** The values of header fields of that name that a text is looked for in; undefined: not known. */
  header?(name: string, text: string): readonly string[] | undefined
  /** The day of its Date field in the zone of its sender, as far as that is known; null: it has none. */
  sentOn?(): Days | null | undefined
  /** Its ids (RFC 8474), and when it came into its folder. */
  readonly ids?: { readonly email: string; readonly thread: string }
  readonly savedAt?: number
  /** Whether its text has a text in it; undefined: not known. */
  hasText?(where: 'body' | 'text', text: string): boolean | undefined
}

/** Midnights (UTC) between which the day lies; both are the same when it is known. */
export type Days = { readonly first: number; readonly last: number }

/** What a query is held against: the UIDs that its sets name, by set, and the time. */
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

/** Midnight before a time. */
export const dayOf = (at: number): number => Math.floor(at / dayMs) * dayMs

/** The day of a time. */
export const oneDay = (at: number): Days => ({ first: dayOf(at), last: dayOf(at) })

const negated = (is: boolean | undefined) => (is === undefined ? undefined : !is)

/** Whether all hold: one that does not settles it, whatever is not known of the others. */
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
