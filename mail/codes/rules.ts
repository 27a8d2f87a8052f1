/** What a rule for codes is. The rules themselves are two tables: `sentence-rules.ts` and `own-line-rules.ts`. */

import type { CodeCandidate } from './candidates.ts'
import type { Cue } from './cues.ts'
import { sentenceEnd } from './phrases.ts'
import type { CandidatePlace } from './places.ts'
import type { Line } from './prepared-mail.ts'

/** A way in which mails announce a code. Pure: the same place gives the same result. */
export type CodeRule<Where extends CandidatePlace> = {
  /** What announces the code, in a few words; the tests of the rule are found by it. */
  readonly name: string
  /** How sure a code is that is announced so, 0 to 1. */
  readonly confidence: number
  /** Whether cues stand where the rule needs them; cheap. */
  readonly applies: (place: Where) => boolean
  /** The words that announce the candidate as a code, or null: they are not there, or something speaks against it. */
  readonly announcement: (place: Where) => Announcement | null
}

export type Announcement = {
  /** The words as a person reads them; null when the subject alone announces the code. */
  readonly label: string | null
  /** A cue behind the candidate that is its own: it announces no number behind it. */
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

/** Announced by a cue in a line; `candidate` when it stands in the same sentence, which its label does not go past. */
export function byCue(line: Line, cue: Cue, candidate: CodeCandidate | null): Announcement {
  return { label: labelOf(line.masked, cue, candidate), owns: null }
}

const labelCharsMax = 100

/** The sentence that the cue stands in, as far as the candidate. */
function labelOf(line: string, cue: Cue, candidate: CodeCandidate | null): string | null {
  const head = line.slice(candidate !== null && candidate.end <= cue.start ? candidate.end : 0, cue.start)
  const tail = line.slice(cue.end, candidate !== null && candidate.start >= cue.end ? candidate.start : undefined)
  const begin = head.split(sentenceEnd).at(-1) ?? ''
  const words = begin + line.slice(cue.start, cue.end) + (tail.split(sentenceEnd)[0] ?? '')
  const label = words.replace(/\s+/g, ' ').replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')
  return [...label].slice(0, labelCharsMax).join('') || null
}
