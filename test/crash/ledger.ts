/**
 * What writers did to the rows of an engine, so that it can be said exactly what must be there after a crash.
 *
 * Invariants
 * - Each writer makes its operations one after another, and operation n is always the same: the number of operations that
 *   were acknowledged says what its rows must be.
 * - At most one operation of a writer is under way. It has happened whole or not at all.
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

/** Per writer, how many of its operations were acknowledged. */
export type Ledger = { readonly acknowledged: number[] }

/** Versions by id. */
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

/** Writes as this writer until `stop.now`, and notes what is acknowledged. Rejects when an operation fails before that. */
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

/** A group of three, one more, a change of every index of it, a removal out of the group; and again. */
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

/** What the rows of a writer are after its first `done` operations. */
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
 * Compares what is stored with what was acknowledged. `later` is what was acknowledged when the last write that may have
 * survived was seen; without it, nothing was written after `ledger`.
 * @returns where each writer really stands, and a line for each writer whose rows are not what some number of operations
 *   makes them: at least those acknowledged, at most those of `later` and the one that was under way
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

/** Rows by writer, from whatever lists them. */
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
