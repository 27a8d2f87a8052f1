/** The order of SORT (RFC 5256 2.2, 3). */
import type { SearchFields } from '../../core/imap/search-fields.ts'
import { splitAddress } from '../../mail/message/address.ts'
import { baseSubject } from '../../mail/message/threading.ts'
import type { Pace } from '../pace.ts'
import { Bad } from '../wire/answers.ts'
import type { Uid } from '../wire/numbers.ts'
import type { Parser } from '../wire/parser.ts'
import { folded } from './keys.ts'
import { sortedAtPace } from './paced-sort.ts'

const fields = ['ARRIVAL', 'CC', 'DATE', 'FROM', 'SIZE', 'SUBJECT', 'TO'] as const
type Field = (typeof fields)[number]
export type SortKey = { readonly field: Field; readonly isReverse: boolean }

/** A message to sort. */
export type Sortable = {
  readonly uid: Uid
  readonly sizeBytes: number
  readonly receivedAt: number
  readonly fields: SearchFields
  /** The sort text of the first address of each field where the document cannot supply it, such as the name of a group. */
  readonly firsts?: { readonly [F in AddressField]: string }
}

export type AddressField = 'from' | 'to' | 'cc'

/** Reads `(REVERSE DATE SUBJECT)`. */
export function readSortKeys(parser: Parser): readonly SortKey[] {
  const keys = parser.list((): SortKey => {
    const word = parser.word('A sort key')
    const isReverse = word === 'REVERSE'
    if (isReverse) parser.space()
    const name = isReverse ? parser.word('A sort key') : word
    const field = fields.find((each) => each === name)
    if (field === undefined) throw new Bad(`${name} is not a sort key`)
    return { field, isReverse }
  })
  if (keys.length === 0) throw new Bad('Name at least one sort key')
  return keys
}

/** Returns the UIDs of messages in order. Messages that are equal by all keys stay in the order of their UIDs. */
export async function sorted(
  messages: readonly Sortable[],
  keys: readonly SortKey[],
  pace: Pace,
): Promise<readonly Uid[]> {
  const rows: Row[] = []
  for (const message of messages) {
    rows.push({ uid: message.uid, values: keys.map(({ field }) => sortedBy[field](message)) })
    const rest = pace()
    if (rest !== null) await rest
  }
  const compareRows = (a: Row, b: Row) => {
    for (const [n, { isReverse }] of keys.entries()) {
      const order = compare(a.values[n]!, b.values[n]!)
      if (order !== 0) return isReverse ? -order : order
    }
    return a.uid - b.uid
  }
  return (await sortedAtPace(rows, compareRows, pace)).map(({ uid }) => uid)
}

type Row = { readonly uid: Uid; readonly values: readonly Value[] }

type Value = number | string
const compare = (a: Value, b: Value): number => (a < b ? -1 : a > b ? 1 : 0)

/** RFC 5051: upper case, so that `_` sorts after the letters. */
const collated = (text: string) => folded(text).toUpperCase()

function first({ fields, firsts }: Sortable, name: AddressField): string {
  const listed = name === 'from' ? fields.from : fields[name][0]
  return collated(firsts?.[name] ?? splitAddress(listed?.address ?? '').local)
}

const sortedBy: { readonly [F in Field]: (message: Sortable) => Value } = {
  ARRIVAL: ({ receivedAt }) => receivedAt,
  CC: (message) => first(message, 'cc'),
  DATE: sentAt,
  FROM: (message) => first(message, 'from'),
  SIZE: ({ sizeBytes }) => sizeBytes,
  SUBJECT: ({ fields: { subject } }) => collated(baseSubject(subject ?? '')),
  TO: (message) => first(message, 'to'),
}

/** Returns when a message was sent, or when it was received if it has no Date (RFC 5256 2.2). */
export function sentAt({ fields: { date }, receivedAt }: Pick<Sortable, 'fields' | 'receivedAt'>): number {
  return date === null ? receivedAt : date.getTime()
}
