/** The type of the rules for codes. The rules themselves are two tables: `sentence-rules.ts` and `own-line-rules.ts`. */

import type { CodeCandidate } from './candidates.ts'
import type { Cue } from './cues.ts'
import { sentenceEnd } from './phrases.ts'
import type { CandidatePlace } from './places.ts'
import type { Line } from './prepared-mail.ts'

/** A way in which mails announce a code. Pure: the same place gives the same result. */
export type CodeRule<Where extends CandidatePlace> = {
  /** What announces the code, in a few words; the tests of the rule refer to it by this name. */
  readonly name: string
  /** How certain a code is that is announced like this, from 0 to 1. */
  readonly confidence: number
  /** Whether there are cues where the rule needs them; cheap. */
  readonly applies: (place: Where) => boolean
  /** The words that announce the candidate as a code; null when there are none or when something speaks against it. */
  readonly announcement: (place: Where) => Announcement | null
}

export type Announcement = {
  /** The words as a person reads them; null when the subject alone announces the code. */
  readonly label: string | null
  /** A cue after the candidate that belongs to it, and so announces no later number. */
  readonly owns: Cue | null
}

/** The first rule of a table that finds an announcement, with what it found; null when none does. */
export function firstToAnnounce<Where extends CandidatePlace>(
  rules: readonly CodeRule<Where>[],
  place: Where,
): { readonly rule: CodeRule<Where>; readonly announcement: Announcement } | null {
  for (const rule of rules) {
    const announcement = rule.applies(place) ? rule.announcement(place) : null
    if (announcement !== null) return { rule, announcement }
  }
  return null
}

/** Announced by the subject alone. */
export const bySubject: Announcement = { label: null, owns: null }

/** Announced by a cue in a line. `candidate` is given when it is in the same sentence: the label does not extend past it. */
export function byCue(line: Line, cue: Cue, candidate: CodeCandidate | null): Announcement {
  return { label: labelOf(line.masked, cue, candidate), owns: null }
}

const labelCharsMax = 100

/** The sentence with the cue, up to the candidate. */
function labelOf(line: string, cue: Cue, candidate: CodeCandidate | null): string | null {
  const head = line.slice(candidate !== null && candidate.end <= cue.start ? candidate.end : 0, cue.start)
  const tail = line.slice(cue.end, candidate !== null && candidate.start >= cue.end ? candidate.start : undefined)
  const begin = head.split(sentenceEnd).at(-1) ?? ''
  const words = begin + line.slice(cue.start, cue.end) + (tail.split(sentenceEnd)[0] ?? '')
  const label = words.replace(/\s+/g, ' ').replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')
  return [...label].slice(0, labelCharsMax).join('') || null
}
