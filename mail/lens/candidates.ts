/** Candidates for the value of a field: values with their places in the mail and a score. */
import type { Amount } from './amounts.ts'
import type { Asked } from './concepts.ts'
import type { Direction, FoundDate } from './dates.ts'
import type { Line, Passage } from './lines.ts'
import type { Locale } from './locale.ts'
import type { FoundNumber } from './numbers.ts'
import type { Sentence } from './sentences.ts'
import type { Signed } from './signatures.ts'
import type { LensValue } from './source.ts'
import type { Zone } from './zones.ts'

/** A mail prepared for reading all of its fields. */
export type OpenMail = {
  readonly passages: readonly Passage[]
  readonly sentences: readonly Sentence[]
  readonly locale: Locale
  /** Returns the dates of a line, value or sentence. Each text is read once for all fields. */
  readonly dates: (text: string, direction: Direction) => readonly FoundDate[]
  /** Returns the numbers of a line, value or sentence. */
  readonly numbers: (text: string) => readonly FoundNumber[]
  /** When the mail was written. */
  readonly date: Date
  readonly signed: () => Signed
  /** The folded text of a passage, with the same offsets: wrapped lines are joined, and text outside of lines is line ends. */
  readonly flow: (passage: Passage) => string
  readonly zones: (passage: Passage) => ReadonlyMap<Line, Zone>
  /** The offsets at which the turns of a chat begin in a passage. */
  readonly turns: (passage: Passage) => ReadonlySet<number>
  /** Whether the mail is written by the seller or by support. */
  readonly isSeller: () => boolean
  /** Whether the writer introduces another person. */
  readonly isIntroduction: () => boolean
  /** Parts of the names of people that labels and the signature give, folded. */
  readonly people: () => readonly string[]
  readonly amounts: (passage: Passage) => readonly Amount[]
}

export type Candidate = {
  readonly value: LensValue
  readonly passage: Passage
  /** In the passage (UTF-16 offsets). */
  readonly start: number
  readonly end: number
  readonly items?: readonly { readonly start: number; readonly end: number }[]
  /** Up to 110; a candidate below `scoreMin` is dropped. */
  readonly score: number
}

export type Finder = (asked: Asked, mail: OpenMail) => readonly Candidate[]

/** Returns how much lower candidates of a place score than those of the text. */
export function placeLoss({ place }: Passage): number {
  return place === 'text' ? 0 : place === 'subject' ? 6 : 2
}

/** Makes a candidate from a piece of a passage. */
export function at(
  passage: Passage,
  offset: number,
  piece: { readonly value: LensValue; readonly start: number; readonly end: number },
  score: number,
): Candidate {
  return {
    value: piece.value,
    passage,
    start: offset + piece.start,
    end: offset + piece.end,
    score: score - placeLoss(passage),
  }
}

/** Makes a candidate from the items of a list, whose offsets are in the passage. Returns null if no item has a letter or digit. */
export function listAt(
  passage: Passage,
  all: readonly { readonly value: string; readonly start: number; readonly end: number }[],
  score: number,
): Candidate | null {
  const items = all.filter(({ value }) => /[\p{L}\p{N}]/u.test(value))
  const [first] = items
  const last = items.at(-1)
  if (first === undefined || last === undefined) return null
  return {
    value: items.map(({ value }) => value.replace(/\s+/g, ' ')),
    passage,
    start: first.start,
    end: last.end,
    items: items.map(({ start, end }) => ({ start, end })),
    score: score - placeLoss(passage),
  }
}
