/**
 * A folder as this process knows it, shared by all sessions that have selected it, so that a change is read once for all of them.
 * Invariants: a message is shown only when every lower UID is shown or will never be; every message that a client was told of is
 * in the table, or every tracker was notified of its removal; `modseq` never exceeds what has been read.
 */
import type { FlaggedMessage } from '../../core/imap/flags.ts'
import { claimRecentInBackground } from '../../core/imap/folder-list.ts'
import {
  type Entry,
  entriesSince,
  type FolderRef,
  type FolderState,
  folderState,
  settledModseq,
  uidsIn,
} from '../../core/imap/folder-state.ts'
import type { UidRange } from '../../core/imap/known-flags.ts'
import type { Context } from '../../core/process/context.ts'
import type { Uid } from '../wire/numbers.ts'
import { type FlagBits, MessageTable } from './message-table.ts'

/** Is notified of changes in a view. */
export type ViewListener = {
  /** Messages whose flags or keywords changed, or, if not `isVisible`, only their modseq. */
  changed(uids: readonly Uid[], isVisible: boolean): void
  /** Messages that left the folder, in the order of their UIDs. */
  removed(uids: readonly Uid[]): void
  /** Called after all changes of one read. */
  settled(): void
  /** The folder was deleted. */
  gone(): void
}

/** While a UID is reserved and its message is not written, the folder is read again after this time. */
const openMs = 40
/** When the folder could not be read, it is read again after this time. */
const unreadMs = 1_000
/** How long `recentFrom` is gathered before it is written for other processes. */
const recentMs = 1_000
/** For this long after others have written to the folder, they are expected to write again. */
const othersMs = 1_000

export class FolderView {
  readonly folder: FolderRef
  readonly table = new MessageTable()
  readonly #ctx: Context
  readonly #listeners = new Set<ViewListener>()
  readonly #left = new Set<number>()
  #state: FolderState | null = null
  #modseq = 0
  #uidNext = 1
  #isGone = false
  #hasTaken = false
  #othersUntil = 0
  #reading: Promise<void> | null = null
  #next: Promise<void> | null = null
  #retry: NodeJS.Timeout | undefined
  #recentFrom = 1
  #telling: NodeJS.Timeout | undefined

  constructor(ctx: Context, folder: FolderRef) {
    this.#ctx = ctx
    this.folder = folder
  }

  get uidValidity(): number {
    return this.#state?.uidValidity ?? 0
  }

  /** Every message that is not shown yet has this UID or a higher one. */
  get uidNext(): number {
    return this.#uidNext
  }

  /** Every change with this modseq or a lower one is in the table. */
  get modseq(): number {
    return Math.max(1, this.#modseq)
  }

  /** Whether the folder likely has writes beyond `modseq`: others wrote a moment ago, or entries were taken in without a read. */
  get isBehind(): boolean {
    return this.#hasTaken || this.#ctx.clock.now().getTime() < this.#othersUntil
  }

  /** Notes that others write to the folder. */
  noteOthers(): void {
    this.#othersUntil = this.#ctx.clock.now().getTime() + othersMs
  }

  /** No session was told of a message with this UID or a higher one. */
  get recentFrom(): number {
    return Math.max(this.#recentFrom, this.#state?.recentFrom ?? 1)
  }

  /** Notes that a session was told of all messages below a UID. Other processes learn of it within `recentMs`. */
  raiseRecentFrom(uid: number): void {
    if (uid <= this.recentFrom) return
    this.#recentFrom = uid
    this.#telling ??= setTimeout(() => this.writeRecentFrom(), recentMs).unref()
  }

  /** Writes `recentFrom` for other processes now, if that is due. */
  writeRecentFrom(): void {
    if (this.#telling === undefined) return
    clearTimeout(this.#telling)
    this.#telling = undefined
    void claimRecentInBackground(this.#ctx, this.folder, this.#recentFrom)
  }

  /**
   * Takes in messages that this process has just written, in order, so that the folder need not be read for them. Returns false if
   * other messages may come before them or the folder is being read; the caller then has to refresh.
   */
  take(entries: readonly Entry[]): boolean {
    const isNext = entries.every(({ uid }, n) => uid === this.#uidNext + n)
    if (this.#state === null || this.#reading !== null || !isNext) return false
    for (const entry of entries) this.table.append(entry)
    this.#uidNext += entries.length
    this.#hasTaken = true
    for (const listener of [...this.#listeners]) listener.settled()
    return true
  }

  /**
   * Takes in flags that this process has just set on the messages in ranges of UIDs, so that the folder need not be read for them.
   * `modseq` is that of the change, which directly followed `known`. A message that was read with a later modseq stays unchanged.
   */
  takeFlags(
    ranges: readonly UidRange[],
    flags: FlagBits,
    { known, modseq }: { readonly known: number; readonly modseq: number },
  ): void {
    const { table } = this
    const changed: Uid[] = []
    for (const { first, last } of ranges) {
      for (let index = table.indexAbove(first); index < table.size && table.uidAt(index) <= last; index++) {
        if (table.modseqAt(index) >= modseq) continue
        table.setFlags(index, flags, modseq)
        changed.push(table.uidAt(index))
      }
    }
    if (this.#modseq === known) this.#modseq = modseq
    for (const listener of [...this.#listeners]) {
      if (changed.length > 0) listener.changed(changed, true)
      listener.settled()
    }
  }

  /**
   * Takes in the flags that this process has just set on a message; the change directly followed `known`. Returns false if the
   * message is not in the table; the caller then has to refresh.
   */
  takeMessage(message: FlaggedMessage, known: number): boolean {
    const index = this.table.indexOf(message.uid)
    if (index < 0) return false
    if (this.table.modseqAt(index) < message.modseq) {
      const isVisible = this.table.reflag(index, message)
      for (const listener of [...this.#listeners]) listener.changed([message.uid as Uid], isVisible)
    }
    if (this.#modseq === known) this.#modseq = Math.max(known, message.modseq)
    for (const listener of [...this.#listeners]) listener.settled()
    return true
  }

  get isGone(): boolean {
    return this.#isGone
  }

  get isInUse(): boolean {
    return this.#listeners.size > 0
  }

  listen(listener: ViewListener): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) clearTimeout(this.#retry)
    }
  }

  /** Notes that messages with these UIDs may have left; the next read checks them. */
  mayHaveLeft(uids: readonly number[]): void {
    for (const uid of uids) this.#left.add(uid)
  }

  /** Reads what has changed. When it resolves, the table includes everything that was written before the call. */
  refresh(): Promise<void> {
    if (this.#reading === null) {
      this.#reading = this.#read().finally(() => {
        this.#reading = null
      })
      return this.#reading
    }
    this.#next ??= this.#reading
      .catch(() => undefined)
      .then(() => {
        this.#next = null
        return this.refresh()
      })
    return this.#next
  }

  /** Reads what has changed for the sessions that have the folder selected. If that fails, it tries again later. */
  follow(): void {
    this.refresh().catch((error: unknown) => {
      this.#ctx.log.warn({ err: error }, 'a folder could not be read')
      if (this.isInUse) this.#followIn(unreadMs)
    })
  }

  #followIn(ms: number): void {
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => this.follow(), ms).unref()
  }

  async #read(): Promise<void> {
    const state = await folderState(this.#ctx, this.folder)
    if (state === null) {
      this.#isGone = true
      for (const listener of [...this.#listeners]) listener.gone()
      return
    }
    const left = [...this.#left]
    this.#left.clear()
    const isSettled = state.open.length === 0 && state.highestModseq === this.#modseq && this.#state !== null
    try {
      const entries = isSettled ? [] : await entriesSince(this.#ctx, this.folder, this.#modseq)
      const present = new Set(entries.map(({ uid }) => uid))
      const inDoubt = left.filter((uid) => !present.has(uid) && this.table.indexOf(uid) >= 0)
      const limit = this.#uidLimit(state, present)
      const changed: Uid[] = []
      const touched: Uid[] = []
      let hidden = Number.POSITIVE_INFINITY
      for (const entry of entries.toSorted((a, b) => a.uid - b.uid)) {
        const index = this.table.indexOf(entry.uid)
        if (index >= 0) {
          // This process wrote a newer change while the folder was being read.
          if (this.table.modseqAt(index) >= entry.modseq) continue
          ;(this.table.update(index, entry) ? changed : touched).push(entry.uid as Uid)
        } else if (entry.uid >= limit) hidden = Math.min(hidden, entry.modseq - 1)
        else if (entry.uid > this.table.last) this.table.append(entry)
      }
      this.#state = state
      this.#hasTaken = false
      const settled = settledModseq(state, (uid) => this.table.indexOf(uid) >= 0)
      this.#modseq = Math.max(this.#modseq, Math.min(settled, hidden))
      this.#uidNext = Math.max(this.table.last + 1, Math.min(state.uidNext, limit))
      await this.#takeOut(state, inDoubt)
      for (const listener of [...this.#listeners]) {
        if (changed.length > 0) listener.changed(changed, true)
        if (touched.length > 0) listener.changed(touched, false)
        listener.settled()
      }
      clearTimeout(this.#retry)
      if (limit < state.uidNext && this.isInUse) this.#followIn(openMs)
    } catch (error) {
      for (const uid of left) this.#left.add(uid)
      throw error
    }
  }

  /** The lowest UID that may not be shown: it is reserved and its message is not written (store/folders.ts), or it is `uidNext`. */
  #uidLimit({ open, uidNext }: FolderState, present: ReadonlySet<number>): number {
    for (const { first, end } of open) {
      for (let uid = first; uid < end; uid++) {
        if (!present.has(uid) && this.table.indexOf(uid) < 0) return uid
      }
    }
    return uidNext
  }

  /** Removes the messages that have left. If the folder's count shows that others than those in doubt are missing, it checks all. */
  async #takeOut(state: FolderState, inDoubt: readonly number[]): Promise<void> {
    let present = inDoubt.length === 0 ? [] : await uidsIn(this.#ctx, this.folder, inDoubt)
    let asked = inDoubt
    const leaving = inDoubt.length - present.length
    if (state.open.length === 0 && this.table.size - leaving > state.total) {
      asked = Array.from({ length: this.table.size }, (_, n) => this.table.uidAt(n))
      present = await uidsIn(this.#ctx, this.folder)
    }
    const stays = new Set(present)
    const removed = asked.filter((uid) => !stays.has(uid)).sort((a, b) => a - b) as Uid[]
    if (removed.length === 0) return
    this.table.remove(removed)
    for (const listener of [...this.#listeners]) listener.removed(removed)
  }
}
