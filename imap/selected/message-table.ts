/**
 * The messages of a folder in memory, in the order of their UIDs: about 35 bytes for each, so that thousands of folders fit.
 * Keywords are rare and are kept in a map of their own.
 */
import { type FlaggedMessage, type SystemFlag, systemFlags } from '../../core/imap/flags.ts'
import type { Entry } from '../../core/imap/folder-state.ts'
import type { Uid } from '../wire/numbers.ts'

/** The bits of the flags that a change sets, and of those that it clears. */
export type FlagBits = { readonly set: number; readonly clear: number }

export class MessageTable {
  #size = 0
  #uids = new Uint32Array(16)
  #modseqs = new Float64Array(16)
  #dates = new Float64Array(16)
  #sizes = new Float64Array(16)
  #flags = new Uint8Array(16)
  readonly #labels = new Map<number, readonly string[]>()

  get size(): number {
    return this.#size
  }

  /** The highest UID; 0 when the table is empty. */
  get last(): Uid {
    return (this.#size === 0 ? 0 : this.#uids[this.#size - 1]) as Uid
  }

  uidAt(index: number): Uid {
    return this.#uids[index] as Uid
  }

  modseqAt(index: number): number {
    return this.#modseqs[index]!
  }

  /** When the message was received, in milliseconds. */
  dateAt(index: number): number {
    return this.#dates[index]!
  }

  sizeAt(index: number): number {
    return this.#sizes[index]!
  }

  /** A bit for each of `systemFlags`. */
  flagsAt(index: number): number {
    return this.#flags[index]!
  }

  labelsAt(index: number): readonly string[] {
    return this.#labels.get(this.#uids[index]!) ?? none
  }

  /** All keywords that any message has. */
  allLabels(): ReadonlySet<string> {
    return new Set([...this.#labels.values()].flat())
  }

  /** Returns the index of the first UID that is at least `uid`, which is the number of lower UIDs. */
  indexAbove(uid: number): number {
    let [low, high] = [0, this.#size]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#uids[middle]! < uid) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Returns the index of a UID, or -1 when it is not in the table. */
  indexOf(uid: number): number {
    const index = this.indexAbove(uid)
    return index < this.#size && this.#uids[index] === uid ? index : -1
  }

  /** Adds a message, whose UID must be the highest. */
  append(entry: Entry): void {
    if (this.#size === this.#uids.length) this.#grow()
    this.#uids[this.#size] = entry.uid
    this.#size += 1
    this.update(this.#size - 1, entry)
  }

  /** Updates a message. Returns whether its flags or keywords changed. */
  update(index: number, entry: Entry): boolean {
    this.#dates[index] = entry.receivedAt.getTime()
    this.#sizes[index] = entry.shownBytes
    return this.reflag(index, entry)
  }

  /** Sets the flags, keywords and modseq of a message. Returns whether its flags or keywords changed. */
  reflag(index: number, { modseq, labels = none, ...flags }: FlaggedMessage): boolean {
    const [flagsBefore, labelsBefore] = [this.flagsAt(index), this.labelsAt(index)]
    const uid = this.#uids[index]!
    this.#modseqs[index] = modseq
    this.#flags[index] = bitsOf(flags)
    if (labels.length === 0) this.#labels.delete(uid)
    else this.#labels.set(uid, labels)
    return flagsBefore !== this.flagsAt(index) || !sameLabels(labelsBefore, labels)
  }

  /** Whether a message already has its flags as a change would leave them. */
  hasFlags(index: number, { set, clear }: FlagBits): boolean {
    return (this.#flags[index]! & (set | clear)) === set
  }

  /** Applies the change of flags that has this modseq. */
  setFlags(index: number, { set, clear }: FlagBits, modseq: number): void {
    this.#flags[index] = (this.#flags[index]! | set) & ~clear
    this.#modseqs[index] = modseq
  }

  /** Removes messages; `uids` is in ascending order. */
  remove(uids: readonly Uid[]): void {
    let next = 0
    let to = 0
    for (let from = 0; from < this.#size; from++) {
      while (next < uids.length && uids[next]! < this.#uids[from]!) next += 1
      if (uids[next] === this.#uids[from]) {
        this.#labels.delete(this.#uids[from]!)
        continue
      }
      for (const column of this.#columns()) column[to] = column[from]!
      to += 1
    }
    this.#size = to
  }

  #columns() {
    return [this.#uids, this.#modseqs, this.#dates, this.#sizes, this.#flags]
  }

  #grow(): void {
    const length = Math.ceil(this.#size * 1.5)
    const grown = <T extends Uint32Array | Float64Array | Uint8Array>(to: T, from: T): T => {
      to.set(from)
      return to
    }
    this.#uids = grown(new Uint32Array(length), this.#uids)
    this.#modseqs = grown(new Float64Array(length), this.#modseqs)
    this.#dates = grown(new Float64Array(length), this.#dates)
    this.#sizes = grown(new Float64Array(length), this.#sizes)
    this.#flags = grown(new Uint8Array(length), this.#flags)
  }
}

const none: readonly string[] = []

/** The system flags as bits. */
export const bitsOf = (flags: { readonly [F in SystemFlag]?: boolean | undefined }): number =>
  systemFlags.reduce((bits, flag, n) => (flags[flag] === true ? bits | (1 << n) : bits), 0)

export const flagBit = (flag: SystemFlag): number => 1 << systemFlags.indexOf(flag)

export const sameLabels = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((label, n) => label === b[n])
