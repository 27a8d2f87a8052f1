/** What a mail offers for a field: values with their places, and how sure each is. */
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

/** A mail that was opened for all its fields. */
export type OpenMail = {
  readonly passages: readonly Passage[]
  readonly sentences: readonly Sentence[]
  readonly locale: Locale
  /** The dates of a line, value or sentence; each text is read once for all fields. */
  readonly dates: (text: string, direction: Direction) => readonly FoundDate[]
  /** The numbers of one. */
  readonly numbers: (text: string) => readonly FoundNumber[]
  /** When it was written. */
  readonly date: Date
  readonly signed: () => Signed
  /** What a passage says, folded, in offsets of its text: wrapped lines as one, all else but lines as line ends. */
  readonly flow: (passage: Passage) => string
  readonly zones: (passage: Passage) => ReadonlyMap<Line, Zone>
  /** Where the turns of a chat begin in a passage. */
  readonly turns: (passage: Passage) => ReadonlySet<number>
  /** Whether the mail speaks as the one who sells or helps. */
  readonly isSeller: () => boolean
  /** Whether somebody makes somebody else known. */
  readonly isIntroduction: () => boolean
  /** Parts of the names of people whom labels and the signature name, folded. */
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
  /** Up to 110; below `scoreMin` it is not believed. */
  readonly score: number
}

export type Finder = (asked: Asked, mail: OpenMail) => readonly Candidate[]

/** How much each place is believed less than the text. */
export function placeLoss({ place }: Passage): number {
  return place === 'text' ? 0 : place === 'subject' ? 6 : 2
}

/** The candidate of a piece of a passage. */
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

/** The candidate of a list: `items` have offsets in the passage. Null without items. */
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
