/** What the lines of a mail are: passages, their lines, and pairs of label and value. */
import type { Role } from '../body/quotation-words.ts'
import type { Meanings } from './lexicon.ts'
import type { LensPlace } from './source.ts'

export type Line = {
  readonly passage: Passage
  /** Without blanks at its ends. */
  readonly text: string
  /** The same with small letters and without diacritics, of the same length. */
  readonly folded: string
  /** Where it begins in the passage (UTF-16 offsets here and below). */
  readonly start: number
  /** Of which header it is, in the copied header of a forwarded mail. */
  readonly role: Role | null
  /** Whether a blank line, or none, stands above. */
  readonly isFirst: boolean
}

/** One of the texts: its lines, and pairs of label and value. What is quoted is in none. */
export type Passage = {
  readonly place: LensPlace
  readonly text: string
  readonly lines: readonly Line[]
  readonly pairs: readonly Pair[]
  /** Where the lines begin that have a label. */
  readonly labelled: ReadonlySet<number>
}

/** A value and the label before it. */
export type Pair = {
  readonly line: Line
  readonly passage: Passage
  readonly label: string
  readonly meanings: Meanings
  readonly value: string
  /** Where label and value begin in the passage. */
  readonly labelStart: number
  readonly start: number
  /** How the two are told apart: a colon and the like, a wide gap, the words of the label alone, or a line of its own. */
  readonly by: 'mark' | 'gap' | 'words' | 'line'
}
