/** Codes on a line of their own: announced by a line above, the line below, or the subject. */

import { type CodeCandidate, isOfBothCases } from './candidates.ts'
import { isAskedForIn, type OnOwnLine } from './places.ts'
import { has } from './prepared-mail.ts'
import { byCue, bySubject, type CodeRule } from './rules.ts'

/** In the order in which they are tried; the first that finds an announcement decides. */
export const ownLineRules: readonly CodeRule<OnOwnLine>[] = [
  {
    name: 'a name above',
    confidence: 0.97,
    applies: ({ above }) => above?.cue.kind === 'strong',
    announcement: ({ above }) => above && byCue(above.line, above.cue, null),
  },
  {
    name: 'a mere "code" above',
    confidence: 0.9,
    applies: ({ above }) => above?.cue.kind === 'weak',
    announcement: ({ above, candidate }) =>
      above === null || has(above.line, 'sale') || needsName(candidate) ? null : byCue(above.line, above.cue, null),
  },
  {
    name: 'a name below',
    confidence: 0.85,
    applies: ({ above, below }) => above === null && below?.cue.kind === 'strong',
    announcement: ({ below }) => below && byCue(below.line, below.cue, null),
  },
  {
    name: 'a mere "code" below',
    confidence: 0.7,
    applies: ({ above, below }) => above === null && below?.cue.kind === 'weak',
    announcement: ({ below, candidate }) =>
      below === null || needsName(candidate) ? null : byCue(below.line, below.cue, null),
  },
  {
    name: 'the line above asks to enter it',
    confidence: 0.7,
    applies: (place) => isUnnamed(place) && isTypedInCapitals(place.candidate),
    announcement: ({ mail, index }) => (isAskedForIn(mail, index - 1) ? bySubject : null),
  },
  {
    name: 'a name in the subject',
    confidence: 0.8,
    applies: (place) => isUnnamed(place) && place.below === null && has(place.mail.subject, 'strong'),
    announcement: ({ mail }) => (has(mail.subject, 'other') ? null : bySubject),
  },
  {
    name: 'a mere "code" in the subject',
    confidence: 0.65,
    applies: (place) => isUnnamed(place) && place.below === null && has(place.mail.subject, 'weak'),
    announcement: ({ mail }) => (has(mail.subject, 'other') ? null : bySubject),
  },
]

/** Years, and what looks like the name of a product, are codes only if a name says so. */
const needsName = (candidate: CodeCandidate) => candidate.kind === 'year' || isOfBothCases(candidate)

/** Whether no line nearby says what the candidate is, and the mail is not from a shop. */
function isUnnamed({ mail, candidate, above, below }: OnOwnLine): boolean {
  const isNamedBelow = below !== null && below.cue.kind !== 'other'
  return above === null && !isNamedBelow && candidate.kind !== 'year' && !has(mail.subject, 'sale')
}

const isTypedInCapitals = ({ value }: CodeCandidate) => /^[A-Z\d-]+$/.test(value)
