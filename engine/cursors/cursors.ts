/**
 * Open cursors.
 *
 * Invariants
 * - A cursor holds a generator at rest, never an open statement: it costs memory, not a snapshot.
 * - A cursor answers only to the namespace and the session that opened it.
 * - It is gone once read to its end, killed, failed, or idle for too long; or when its session has expired.
 * - A tailable one has no end: it reads on where it was, for as long as it lives.
 * - Whoever waits at the end of a tailable one is told at once that it was killed, or that the engine stops.
 */
import { randomBytes } from 'node:crypto'
import { EngineError } from '../errors.ts'
import { limits } from '../limits.ts'
import type { Store } from '../store/store.ts'
import { pull } from './slices.ts'
import { type Watch, Watches } from './watches.ts'

/** Documents as stored or encoded, with `undefined` while the search goes on. */
export type Rows = Iterator<Uint8Array | undefined>

export type CursorOwner = { readonly ns: string; readonly session: string | undefined; readonly timesOut: boolean }

/** What makes a cursor tailable. */
export type Tail = {
  readonly collection: number
  /** Whether its next batch waits for documents. */
  readonly awaits: boolean
}

/** Whoever asks for a batch, as far as it may wait for one. */
export type Asker = { readonly gone: boolean; readonly mayWait: boolean; endWait: (() => void) | undefined }

export type Batch = { readonly documents: readonly Uint8Array[]; readonly id: bigint }

type Cursor = CursorOwner & {
  readonly id: bigint
  readonly rows: Rows
  /** A row that did not fit into the last batch. */
  held: Uint8Array | undefined
  usedAt: number
  busy: boolean
  readonly tail: Tail | undefined
  watch: Watch | undefined
}

export class Cursors {
  readonly #open = new Map<bigint, Cursor>()
  readonly #watches = new Watches()
  readonly #idleMs: number
  #stopping = false

  constructor(idleMs: number) {
    this.#idleMs = idleMs
  }

  /** Capped collections have news: those who wait there look again. */
  stir(collections: readonly number[]): void {
    this.#watches.stir(collections)
  }

  /** Nobody waits any more. */
  stop(): void {
    this.#stopping = true
    for (const { watch } of this.#open.values()) watch?.fail(stopping())
  }

  get count(): number {
    return this.#open.size
  }

  /**
   * Reads the first batch, and keeps the cursor if there may be more.
   * @param count most documents of the batch; `single` closes the cursor after it, `whole` when so many are all there may be
   */
  async first(
    store: Store,
    owner: CursorOwner,
    rows: Rows,
    batch: {
      readonly count: number
      readonly single: boolean
      readonly whole?: boolean
      readonly deadline: number | undefined
    },
    tail?: Tail,
  ): Promise<Batch> {
    const state = { held: undefined, usedAt: Date.now(), busy: false, tail, watch: undefined }
    const cursor: Cursor = { ...owner, id: 0n, rows, ...state }
    const { documents, ended } = await fill(store, cursor, batch.count, batch.deadline)
    // A batch that became too large for one more document has not shown them all.
    const isWhole = batch.whole === true && cursor.held === undefined
    if ((ended && tail === undefined) || batch.single || isWhole) return { documents, id: 0n }
    if (this.#open.size >= limits.cursors)
      throw new EngineError('OperationFailed', `too many open cursors: ${limits.cursors}`)
    const kept = { ...cursor, id: randomBytes(8).readBigInt64LE() & 0x7fff_ffff_ffff_ffffn }
    this.#open.set(kept.id, kept)
    return { documents, id: kept.id }
  }

  /**
   * Reads the next batch. `waitMs` is how long one that awaits its documents may take.
   * @throws EngineError CursorNotFound; BadValue for a time that no cursor but an awaiting one may have
   */
  async next(
    store: Store,
    id: bigint,
    asker: Omit<CursorOwner, 'timesOut'> & { readonly peer: Asker },
    batch: { readonly count: number; readonly waitMs: number | undefined },
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
    const { tail } = cursor
    if (batch.waitMs !== undefined && tail?.awaits !== true)
      throw new EngineError('BadValue', 'cannot set maxTimeMS on getMore command for a non-awaitData cursor')
    cursor.busy = true
    try {
      if (tail !== undefined) {
        const waitMs = tail.awaits ? (batch.waitMs ?? limits.awaitMs) : 0
        const documents = await this.#followed(store, cursor, tail, { ...batch, waitMs, peer: asker.peer })
        // As in mongod, it goes with the connection that was asking.
        if (asker.peer.gone) this.#open.delete(id)
        return { documents, id }
      }
      const { documents, ended } = await fill(store, cursor, batch.count, undefined)
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

  /** The next documents of a tailable cursor; of an awaiting one, once there are any or the time is over. */
  async #followed(
    store: Store,
    cursor: Cursor,
    { collection }: Tail,
    { count, waitMs, peer }: { readonly count: number; readonly waitMs: number; readonly peer: Asker },
  ): Promise<readonly Uint8Array[]> {
    const until = performance.now() + waitMs
    // It watches before it looks: what is committed in between is news.
    const watch = this.#watches.open(collection)
    cursor.watch = watch
    peer.endWait = () => watch.end()
    try {
      for (;;) {
        const { documents } = await fill(store, cursor, count, undefined)
        if (documents.length > 0 || waitMs === 0 || !peer.mayWait) return documents
        if (this.#stopping) throw stopping()
        if (!(await watch.news(until - performance.now()))) return documents
      }
    } finally {
      peer.endWait = undefined
      cursor.watch = undefined
      this.#watches.close(watch)
    }
  }

  /** @returns whether the cursor was open */
  kill(id: bigint, ns?: string): boolean {
    const cursor = this.#open.get(id)
    if (cursor === undefined || (ns !== undefined && cursor.ns !== ns)) return false
    cursor.watch?.fail(new EngineError('CursorKilled', 'the cursor was killed while its next documents were awaited'))
    return this.#open.delete(id)
  }

  killSession(session: string): void {
    for (const cursor of this.#open.values()) if (cursor.session === session) this.kill(cursor.id)
  }

  /** Closes what nobody has used for long. */
  sweep(now: number): void {
    for (const cursor of this.#open.values()) {
      if (cursor.timesOut && !cursor.busy && now - cursor.usedAt > this.#idleMs) this.#open.delete(cursor.id)
    }
  }
}

function stopping(): EngineError {
  return new EngineError('InterruptedAtShutdown', 'interrupted at shutdown')
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
