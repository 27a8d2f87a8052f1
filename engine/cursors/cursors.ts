/**
 * Open cursors.
 *
 * Invariants
 * - A cursor holds a generator at rest, never an open statement: it costs memory, not a snapshot.
 * - A cursor answers only to the namespace and the session that opened it.
 * - It is gone once read to its end, killed, failed, or idle for too long; or when its session has expired.
 */
import { randomBytes } from 'node:crypto'
import { EngineError } from '../errors.ts'
import { limits } from '../limits.ts'
import type { Store } from '../store/store.ts'
import { pull } from './slices.ts'

/** Documents as stored or encoded, with `undefined` while the search goes on. */
export type Rows = Iterator<Uint8Array | undefined>

export type CursorOwner = { readonly ns: string; readonly session: string | undefined; readonly timesOut: boolean }

export type Batch = { readonly documents: readonly Uint8Array[]; readonly id: bigint }

type Cursor = CursorOwner & {
  readonly id: bigint
  readonly rows: Rows
  /** A row that did not fit into the last batch. */
  held: Uint8Array | undefined
  usedAt: number
  busy: boolean
}

export class Cursors {
  readonly #open = new Map<bigint, Cursor>()
  readonly #idleMs: number

  constructor(idleMs: number) {
    this.#idleMs = idleMs
  }

  get count(): number {
    return this.#open.size
  }

  /**
   * Reads the first batch, and keeps the cursor if there may be more.
   * @param count most documents of the batch; `single` closes the cursor after it
   */
  async first(
    store: Store,
    owner: CursorOwner,
    rows: Rows,
    batch: { readonly count: number; readonly single: boolean; readonly deadline: number | undefined },
  ): Promise<Batch> {
    const cursor: Cursor = { ...owner, id: 0n, rows, held: undefined, usedAt: Date.now(), busy: false }
    const { documents, ended } = await fill(store, cursor, batch.count, batch.deadline)
    if (ended || batch.single) return { documents, id: 0n }
    if (this.#open.size >= limits.cursors)
      throw new EngineError('OperationFailed', `too many open cursors: ${limits.cursors}`)
    const kept = { ...cursor, id: randomBytes(8).readBigInt64LE() & 0x7fff_ffff_ffff_ffffn }
    this.#open.set(kept.id, kept)
    return { documents, id: kept.id }
  }

  /** Reads the next batch. @throws EngineError CursorNotFound */
  async next(
    store: Store,
    id: bigint,
    asker: Omit<CursorOwner, 'timesOut'>,
    batch: { readonly count: number; readonly deadline: number | undefined },
  ): Promise<Batch> {
    const cursor = this.#open.get(id)
    if (cursor === undefined) throw new EngineError('CursorNotFound', `cursor id ${id} not found`)
    if (cursor.ns !== asker.ns)
      throw new EngineError(
        'Unauthorized',
        `Requested getMore on namespace '${asker.ns}', but cursor belongs to '${cursor.ns}'`,
      )
    if (cursor.session !== asker.session)
      throw new EngineError(50738, `Cannot run getMore on cursor ${id}: it was made in another session`)
    if (cursor.busy) throw new EngineError('CursorInUse', `cursor id ${id} is already in use`)
    cursor.busy = true
    try {
      const { documents, ended } = await fill(store, cursor, batch.count, batch.deadline)
      if (ended) this.#open.delete(id)
      return { documents, id: ended ? 0n : id }
    } catch (error) {
      this.#open.delete(id)
      throw error
    } finally {
      cursor.busy = false
      cursor.usedAt = Date.now()
    }
  }

  /** @returns whether the cursor was open */
  kill(id: bigint, ns?: string): boolean {
    const cursor = this.#open.get(id)
    if (cursor === undefined || (ns !== undefined && cursor.ns !== ns)) return false
    return this.#open.delete(id)
  }

  killSession(session: string): void {
    for (const cursor of this.#open.values()) if (cursor.session === session) this.#open.delete(cursor.id)
  }

  /** Closes what nobody has used for long. */
  sweep(now: number): void {
    for (const cursor of this.#open.values()) {
      if (cursor.timesOut && !cursor.busy && now - cursor.usedAt > this.#idleMs) this.#open.delete(cursor.id)
    }
  }
}

async function fill(
  store: Store,
  cursor: Cursor,
  count: number,
  deadline: number | undefined,
): Promise<{ readonly documents: Uint8Array[]; readonly ended: boolean }> {
  const documents: Uint8Array[] = []
  if (count === 0) return { documents, ended: false }
  let bytes = 0
  if (cursor.held !== undefined) {
    documents.push(cursor.held)
    bytes += cursor.held.length
    cursor.held = undefined
    if (documents.length >= count) return { documents, ended: false }
  }
  const ended = await pull(
    store,
    cursor.rows,
    (row) => {
      if (documents.length > 0 && bytes + row.length > limits.batchBytes) {
        cursor.held = row
        return false
      }
      documents.push(row)
      bytes += row.length
      return documents.length < count
    },
    deadline,
  )
  return { documents, ended }
}
