/**
 * Records what writers did to the rows of an engine, so that the exact rows after a crash are known.
 *
 * Invariants
 * - Each writer makes its operations one after another, and its operation n is always the same. So the number of acknowledged
 *   operations determines its rows.
 * - At most one operation of a writer is in progress. After a crash it has happened as a whole or not at all.
 */
import type { Collection } from 'mongodb'

export type Row = {
  readonly _id: string
  readonly writer: number
  readonly n: number
  readonly version: number
  readonly tags: readonly string[]
  readonly hot?: number
  readonly body: string
}

/** For each writer, how many of its operations were acknowledged. */
export type Ledger = { readonly acknowledged: number[] }

/** The version of each row, by id. */
export type Versions = ReadonlyMap<string, number>

export const indexes = [
  { key: { writer: 1, n: 1 }, unique: true },
  { key: { tags: 1, version: -1 } },
  { key: { hot: 1 }, sparse: true },
] as const

const cycle = 4
const bodySizes = [200, 900, 3_000, 90, 12_000]

export function openLedger(writers: number): Ledger {
  return { acknowledged: new Array<number>(writers).fill(0) }
}

/**
 * Makes the operations of one writer until `stop.now`, and counts the acknowledged ones. Rejects when one fails before that.
 */
export async function writeOn(
  rows: Collection<Row>,
  writer: number,
  { acknowledged }: Ledger,
  stop: { readonly now: boolean; readonly pause?: Promise<void> },
): Promise<void> {
  while (!stop.now) {
    await stop.pause
    try {
      await operate(rows, writer, acknowledged[writer]!)
      acknowledged[writer]!++
    } catch (error) {
      if (!stop.now) throw error
    }
  }
}

/**
 * The cycle of operations: insert three rows together, insert one more, change all its indexed fields, delete one of the
 * three.
 */
async function operate(rows: Collection<Row>, writer: number, n: number): Promise<void> {
  switch (n % cycle) {
    case 0:
      await rows.insertMany(group(writer, n))
      return
    case 1:
      await rows.insertOne(row(writer, n, 'd'))
      return
    case 2: {
      const change = { $inc: { version: 1 }, $set: { tags: ['changed', `w${writer}`, `n${n}`], hot: n } }
      const found = await rows.findOneAndUpdate({ writer, n: (n - 1) * cycle + 3 }, change)
      if (found === null) throw new Error(`row ${writer}-${n - 1}-d is not found by its index`)
      return
    }
    default: {
      const { deletedCount } = await rows.deleteOne({ _id: group(writer, n - 3)[1]!._id })
      if (deletedCount !== 1) throw new Error(`row ${writer}-${n - 3}-b is not there`)
    }
  }
}

/** The rows of a writer after its first `done` operations. */
export function rowsAfter(writer: number, done: number): Versions {
  const versions = new Map<string, number>()
  for (let n = 0; n < done; n++) {
    if (n % cycle === 0) for (const { _id } of group(writer, n)) versions.set(_id, 0)
    else if (n % cycle === 1) versions.set(row(writer, n, 'd')._id, 0)
    else if (n % cycle === 2) versions.set(idOf(writer, n - 1, 'd'), 1)
    else versions.delete(idOf(writer, n - 3, 'b'))
  }
  return versions
}

/**
 * Compares the stored rows with the acknowledged operations. `later` is what was acknowledged when the last write that may
 * have survived was seen; without it, nothing was written after `ledger`. Returns how many operations each writer really made
 * (`standing`), and a line for each writer whose rows match no possible number of operations: at least the acknowledged ones, at
 * most those of `later` and the one in progress.
 */
export function reconcile(
  ledger: Ledger,
  stored: ReadonlyMap<number, Versions>,
  later: Ledger = ledger,
): { readonly standing: Ledger; readonly unacknowledged: number; readonly wrong: readonly string[] } {
  const wrong: string[] = []
  let unacknowledged = 0
  const standing = ledger.acknowledged.map((least, writer) => {
    const found = stored.get(writer) ?? new Map<string, number>()
    for (let done = least; done <= later.acknowledged[writer]! + 1; done++) {
      if (!same(found, rowsAfter(writer, done))) continue
      unacknowledged += done - least
      return done
    }
    wrong.push(`writer ${writer}, ${least} acknowledged: ${difference(rowsAfter(writer, least), found)}`)
    return least
  })
  return { standing: { acknowledged: standing }, unacknowledged, wrong }
}

/** Groups rows by their writer. */
export function byWriter(rows: Iterable<Pick<Row, '_id' | 'version'>>): ReadonlyMap<number, Versions> {
  const found = new Map<number, Map<string, number>>()
  for (const { _id, version } of rows) {
    const writer = Number(_id.slice(0, _id.indexOf('-')))
    const own = found.get(writer) ?? new Map<string, number>()
    own.set(_id, version)
    found.set(writer, own)
  }
  return found
}

function same(a: Versions, b: Versions): boolean {
  return a.size === b.size && [...a].every(([id, version]) => b.get(id) === version)
}

function difference(expected: Versions, found: Versions): string {
  const lost = [...expected].filter(([id, version]) => found.get(id) !== version).map(([id]) => id)
  const more = [...found.keys()].filter((id) => !expected.has(id))
  return `lost or old: ${lost.slice(-5).join(' ')} (${lost.length}); too many: ${more.slice(-5).join(' ')} (${more.length})`
}

const idOf = (writer: number, n: number, part: string) => `${writer}-${n}-${part}`

function group(writer: number, n: number): Row[] {
  return ['a', 'b', 'c'].map((part) => row(writer, n, part))
}

function row(writer: number, n: number, part: string): Row {
  const place = 'abcd'.indexOf(part)
  return {
    _id: idOf(writer, n, part),
    writer,
    n: n * cycle + place,
    version: 0,
    tags: ['all', `w${writer}`],
    body: part.repeat(bodySizes[(n + place) % bodySizes.length]!),
  }
}
