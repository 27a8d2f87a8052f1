/** The parts of a mail: passages, their lines, and pairs of label and value. */
import type { Role } from '../body/quotation-words.ts'
import type { Meanings } from './lexicon.ts'
import type { LensPlace } from './source.ts'

export type Line = {
  readonly passage: Passage
  /** The text without white space at its ends. */
  readonly text: string
  /** The folded text (`fold`), of the same length. */
  readonly folded: string
  /** The offset at which it begins in the passage (UTF-16, as all offsets below). */
  readonly start: number
  /** The header field that the line is, in the copied header of a forwarded mail; otherwise null. */
  readonly role: Role | null
  /** Whether the line above is blank or does not exist. */
  readonly isFirst: boolean
}

/** One text of a mail with its lines and pairs of label and value. Quoted history is in none of these. */
export type Passage = {
  readonly place: LensPlace
  readonly text: string
  readonly lines: readonly Line[]
  readonly pairs: readonly Pair[]
  /** The offsets of the lines that have a label. */
  readonly labelled: ReadonlySet<number>
}

/** A value and the label before it. */
export type Pair = {
  readonly line: Line
  readonly passage: Passage
  readonly label: string
  readonly meanings: Meanings
  readonly value: string
  /** The offsets of label and value in the passage. */
  readonly labelStart: number
  readonly start: number
  /** What separates the two: a mark such as a colon, a wide gap, nothing but known label words, or a line break. */
  readonly by: 'mark' | 'gap' | 'words' | 'line'
}
