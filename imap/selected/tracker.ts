/**
 * What one session has been told of its selected folder. The table of the view may be ahead of it. New messages that the client
 * was not told of have higher UIDs than all that it knows. Messages that left without the client being told are kept in `#ghosts`
 * and keep their sequence numbers until then. Invariant: client and tracker agree on the sequence number of every message.
 */
import { Bad } from '../wire/answers.ts'
import { orderedRanges, type Range, type SeqNumber, type Uid } from '../wire/numbers.ts'
import type { FolderView, ViewListener } from './folder-view.ts'

/** News for the client. Each sequence number is valid at the moment when its response is written, in this order. */
export type Untold = {
  /** Messages that left, the highest sequence number first. */
  readonly expunged: readonly { readonly seq: SeqNumber; readonly uid: Uid }[]
  /** The number of messages if new ones came; otherwise null. */
  readonly exists: number | null
  readonly changed: readonly Uid[]
}

export class Tracker implements ViewListener {
  readonly view: FolderView
  readonly #wake: () => void
  readonly #leave: () => void
  #lastTold: Uid
  /** Messages that left and are still numbered for the client, in the order of their UIDs. */
  #ghosts: Uid[] = []
  readonly #changed = new Set<Uid>()
  /** Whether changes of only the modseq are told too (RFC 7162 3.2). */
  tellsModseqs = false

  /** `wake` is called when there is news. */
  constructor(view: FolderView, wake: () => void) {
    this.view = view
    this.#wake = wake
    this.#lastTold = view.table.last
    this.#leave = view.listen(this)
  }

  close(): void {
    this.#leave()
  }

  /** The highest UID that the client was told of. */
  get lastTold(): Uid {
    return this.#lastTold
  }

  changed(uids: readonly Uid[], isVisible: boolean): void {
    if (!isVisible && !this.tellsModseqs) return
    for (const uid of uids) if (uid <= this.#lastTold) this.#changed.add(uid)
  }

  removed(uids: readonly Uid[]): void {
    const told = uids.filter((uid) => uid <= this.#lastTold)
    if (told.length > 0) this.#ghosts = [...this.#ghosts, ...told].sort((a, b) => a - b)
    for (const uid of told) this.#changed.delete(uid)
  }

  settled(): void {
    if (this.hasNews()) this.#wake()
  }

  gone(): void {
    this.#wake()
  }

  hasNews(): boolean {
    return this.#ghosts.length > 0 || this.hasMoreThanExpunged()
  }

  /** Whether there is news other than messages that left. */
  hasMoreThanExpunged(): boolean {
    return this.view.isGone || this.#changed.size > 0 || this.view.table.last > this.#lastTold
  }

  /** The number of messages that the client knows of. */
  get count(): number {
    return this.#toldInTable() + this.#ghosts.length
  }

  /** Returns the sequence number of a message, or null when the client does not know the message. */
  seqOf(uid: Uid): SeqNumber | null {
    if (uid > this.#lastTold) return null
    const { table } = this.view
    const index = table.indexAbove(uid)
    const isInTable = index < table.size && table.uidAt(index) === uid
    if (!isInTable && !this.#ghosts.includes(uid)) return null
    return (index + this.#ghostsBelow(uid) + 1) as SeqNumber
  }

  /** As `seqOf`, for a message whose index in the table is known. */
  seqAt(index: number, uid: Uid): SeqNumber | null {
    return uid > this.#lastTold ? null : ((index + 1 + this.#ghostsBelow(uid)) as SeqNumber)
  }

  #ghostsBelow(uid: Uid): number {
    return this.#ghosts.length === 0 ? 0 : countBelow(this.#ghosts, uid)
  }

  /** Returns the UIDs that a set of UIDs or sequence numbers names, in order, including ghosts. */
  uidsIn(set: readonly Range[], kind: 'uid' | 'seq'): Uid[] {
    return kind === 'uid' ? this.#uidsInUids(set) : this.#uidsInNumbers(set)
  }

  /** Returns those of the messages whose changes the client was not told of. */
  untoldOf(uids: readonly Uid[]): readonly Uid[] {
    return uids.filter((uid) => this.#changed.has(uid))
  }

  /** Forgets that these messages changed, because the client is told in another way. */
  forget(uids: Iterable<Uid>): void {
    for (const uid of uids) this.#changed.delete(uid)
  }

  /** As `forget`, for one message. */
  forgetOne(uid: Uid): void {
    this.#changed.delete(uid)
  }

  /** Returns the news and marks it as told; messages that left only with `withExpunged`. */
  take({ withExpunged }: { readonly withExpunged: boolean }): Untold {
    const expunged = withExpunged ? this.#takeGhosts() : []
    const { table } = this.view
    const exists = table.last > this.#lastTold
    if (exists) this.#lastTold = table.last
    const changed = [...this.#changed].sort((a, b) => a - b)
    this.#changed.clear()
    return { expunged, exists: exists ? this.count : null, changed }
  }

  #takeGhosts(): Untold['expunged'] {
    const { table } = this.view
    const told = this.#ghosts.map((uid, n) => ({ uid, seq: (table.indexAbove(uid) + n + 1) as SeqNumber })).reverse()
    this.#ghosts = []
    return told
  }

  #toldInTable(): number {
    const { table } = this.view
    return table.last <= this.#lastTold ? table.size : table.indexAbove(this.#lastTold + 1)
  }

  /** RFC 9051 6.4.9: UIDs without a message are silently left out. */
  #uidsInUids(set: readonly Range[]): Uid[] {
    const last = Math.max(this.#ghosts.at(-1) ?? 0, this.#toldInTable() === 0 ? 0 : this.#lastInTable())
    const all = this.#all()
    const found: Uid[] = []
    for (const { from, to } of orderedRanges(set, last))
      for (let n = lowerBound(all, from); n < all.length && all.at(n)! <= to; n++) found.push(all.at(n)!)
    return found
  }

  #lastInTable(): number {
    return this.view.table.uidAt(this.#toldInTable() - 1)
  }

  #uidsInNumbers(set: readonly Range[]): Uid[] {
    const { count } = this
    // Clients ask an empty folder for 1:*.
    if (count === 0 && set.some(({ from, to }) => !Number.isFinite(from) || !Number.isFinite(to))) return []
    const ranges = orderedRanges(set, count)
    const highest = ranges.at(-1)?.to ?? 0
    if (highest > count) throw new Bad(`There is no message ${highest}: the folder has ${count}`)
    const all = this.#all()
    return ranges.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, n) => all.at(from - 1 + n)!))
  }

  /** All UIDs that the client knows of, in order. */
  #all(): { readonly length: number; at(n: number): Uid | undefined } {
    const { table } = this.view
    const length = this.#toldInTable()
    if (this.#ghosts.length === 0) return { length, at: (n) => (n < length ? table.uidAt(n) : undefined) }
    const all: Uid[] = [...this.#ghosts]
    for (let n = 0; n < length; n++) all.push(table.uidAt(n))
    return all.sort((a, b) => a - b)
  }
}

function lowerBound(all: { readonly length: number; at(n: number): Uid | undefined }, from: number): number {
  let [low, high] = [0, all.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (all.at(middle)! < from) low = middle + 1
    else high = middle
  }
  return low
}

const countBelow = (sorted: readonly Uid[], uid: Uid): number => sorted.filter((each) => each < uid).length
