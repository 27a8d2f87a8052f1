/**
 * Open cursors.
 *
 * Invariants
 * - A cursor holds a suspended generator, never an open statement: it costs memory, not a snapshot.
 * - Only the session that opened a cursor can read it, and only by its namespace.
 * - A cursor is closed when it is read to its end, killed, fails, or is idle for too long; or when its session expires or ends.
 * - A tailable cursor has no end: it continues from its position for as long as it is open.
 * - A client that waits at the end of a tailable cursor is answered at once if the cursor is killed or the engine stops.
 */
import { randomBytes } from 'node:crypto'
import { EngineError } from '../errors.ts'
import { limits } from '../limits.ts'
import type { Store } from '../store/store.ts'
import { readInSlices } from './slices.ts'
import { type Watch, Watches } from './watches.ts'

/** Encoded documents. `undefined` means that the search goes on. */
export type Rows = Iterator<Uint8Array | undefined>

export type CursorOwner = { readonly ns: string; readonly session: string | undefined; readonly timesOut: boolean }

/** The collection that a tailable cursor follows, and how. */
export type Tail = {
  readonly collection: number
  /** Whether its next batch waits for documents. */
  readonly awaits: boolean
}

/** The connection that requests a batch: whether it is closed, whether it may wait, and how to end its wait. */
export type Requester = { readonly gone: boolean; readonly mayWait: boolean; endWait: (() => void) | undefined }

export type Batch = { readonly documents: readonly Uint8Array[]; readonly id: bigint }

type Cursor = CursorOwner & {
  readonly id: bigint
  readonly rows: Rows
  /** A document that did not fit into the last batch. */
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

  /** Wakes the cursors that wait for documents in these capped collections. */
  stir(collections: readonly number[]): void {
    this.#watches.stir(collections)
  }

  /** Ends all waits, and lets none begin. */
  stop(): void {
    this.#stopping = true
    for (const { watch } of this.#open.values()) watch?.fail(stopping())
  }

  get count(): number {
    return this.#open.size
  }

  /**
   * Reads the first batch, and keeps the cursor open if there may be more.
   * @param batch `count` is the most documents of the batch; `single` closes the cursor after it; `whole` says that there can be
   *   no more than `count` documents
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
    // A held document did not fit into the batch, so the batch is not all of them.
    const isWhole = batch.whole === true && cursor.held === undefined
    if ((ended && tail === undefined) || batch.single || isWhole) return { documents, id: 0n }
    if (this.#open.size >= limits.cursors)
      throw new EngineError('OperationFailed', `too many open cursors: ${limits.cursors}`)
    const kept = { ...cursor, id: randomBytes(8).readBigInt64LE() & 0x7fff_ffff_ffff_ffffn }
    this.#open.set(kept.id, kept)
    return { documents, id: kept.id }
  }

  /**
   * Reads the next batch. `waitMs` is how long an awaitData cursor waits for documents.
   * @throws EngineError CursorNotFound; BadValue for a `waitMs` on any other cursor
   */
  async next(
    store: Store,
    id: bigint,
    requester: Omit<CursorOwner, 'timesOut'> & { readonly peer: Requester },
    batch: { readonly count: number; readonly waitMs: number | undefined },
  ): Promise<Batch> {
    const cursor = this.#open.get(id)
    if (cursor === undefined) throw new EngineError('CursorNotFound', `cursor id ${id} not found`)
    if (cursor.ns !== requester.ns)
      throw new EngineError(
        'Unauthorized',
        `Requested getMore on namespace '${requester.ns}', but cursor belongs to '${cursor.ns}'`,
      )
    if (cursor.session !== requester.session)
      throw new EngineError(50738, `Cannot run getMore on cursor ${id}: it was made in another session`)
    if (cursor.busy) throw new EngineError('CursorInUse', `cursor id ${id} is already in use`)
    const { tail } = cursor
    if (batch.waitMs !== undefined && tail?.awaits !== true)
      throw new EngineError('BadValue', 'cannot set maxTimeMS on getMore command for a non-awaitData cursor')
    cursor.busy = true
    try {
      if (tail !== undefined) {
        const waitMs = tail.awaits ? (batch.waitMs ?? limits.awaitMs) : 0
        const documents = await this.#followed(store, cursor, tail, { ...batch, waitMs, peer: requester.peer })
        // As in mongod, the cursor is closed if the connection that asked is closed.
        if (requester.peer.gone) this.#open.delete(id)
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

  /** The next documents of a tailable cursor. With a `waitMs`, resolves once there are any or the time is over. */
  async #followed(
    store: Store,
    cursor: Cursor,
    { collection }: Tail,
    { count, waitMs, peer }: { readonly count: number; readonly waitMs: number; readonly peer: Requester },
  ): Promise<readonly Uint8Array[]> {
    const until = performance.now() + waitMs
    // The watch is opened before the first read, so that a commit after the read still counts as news.
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

  /** Closes cursors that have been idle for too long. */
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
  const ended = await readInSlices(
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
