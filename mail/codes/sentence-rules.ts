/** Codes in a sentence: announced by the words before or after them, or by the previous sentence. */

import { isOfBothCases, isSlogan, isTypable } from './candidates.ts'
import type { Cue, CueKind } from './cues.ts'
import * as phrase from './phrases.ts'
import { type CandidatePlace, type InSentence, isOwned } from './places.ts'
import { has } from './prepared-mail.ts'
import { type Announcement, byCue, bySubject, type CodeRule } from './rules.ts'

/** In the order in which they are tried; the first that finds an announcement decides. */
export const sentenceRules: readonly CodeRule<InSentence>[] = [
  {
    name: 'a name joined in front',
    confidence: 0.97,
    applies: follows('strong'),
    announcement: (place) => (isJoined(place) && fitsCueBefore(place) ? byCueBefore(place) : null),
  },
  {
    name: 'a name in front',
    confidence: 0.9,
    applies: follows('strong'),
    announcement: (place) => (fitsCueBefore(place) ? byCueBefore(place) : null),
  },
  {
    name: 'a mere "code" joined in front',
    confidence: 0.88,
    applies: follows('weak'),
    announcement: (place) => (isJoined(place) && fitsMereCode(place) ? byCueBefore(place) : null),
  },
  {
    name: 'a mere "code" in front, in the same clause',
    confidence: 0.82,
    applies: follows('weak'),
    announcement: (place) => (phrase.linked.test(gapBefore(place)) && fitsMereCode(place) ? byCueBefore(place) : null),
  },
  {
    name: 'a name in front, and what it is for',
    confidence: 0.8,
    applies: follows('weak', 'other'),
    announcement: (place) =>
      place.before?.kind === 'other' || (isLoose(place) && fitsMereCode(place)) ? byNameOfPurpose(place) : null,
  },
  {
    name: 'a mere "code" in front, in a mail about codes',
    confidence: 0.75,
    applies: (place) => follows('weak')(place) && place.candidate.kind !== 'mixed',
    announcement: (place) => (!isLoose(place) && fitsMereCode(place) ? byCueBefore(place) : null),
  },
  {
    name: 'digits in front, which the mail asks for',
    confidence: 0.8,
    applies: follows('figures'),
    announcement: (place) => (fitsDigits(place) ? byCueBefore(place) : null),
  },
  {
    name: 'entering in front, and what for',
    confidence: 0.85,
    applies: follows('enter'),
    announcement: (place) => (isEntered(place) ? byPurposeBeside(place) : null),
  },
  {
    name: 'entering in front, in a mail about codes',
    confidence: 0.75,
    applies: follows('enter'),
    announcement: (place) => (isEntered(place) ? bySubjectAbove(place) : null),
  },
  {
    name: 'a name behind',
    confidence: 0.95,
    applies: ({ behind }) => behind?.kind === 'strong',
    announcement: byNameBehind,
  },
  {
    name: 'a mere "code" behind',
    confidence: 0.85,
    applies: ({ behind }) => behind?.kind === 'weak',
    announcement: byNameBehind,
  },
  {
    name: 'a name in the sentence before',
    confidence: 0.85,
    applies: ({ line, candidate }) => candidate.kind !== 'year' && has(line, 'strong', 'weak'),
    announcement: bySentenceBefore,
  },
  {
    name: 'entering behind, and what for',
    confidence: 0.85,
    applies: ({ line }) => has(line, 'typed'),
    announcement: (place) => (isEnteredBehind(place) ? byPurposeBeside(place) : null),
  },
  {
    name: 'entering behind, in a mail about codes',
    confidence: 0.75,
    applies: ({ line }) => has(line, 'typed'),
    announcement: (place) => (isEnteredBehind(place) ? bySubjectAbove(place) : null),
  },
  {
    name: 'confirming with it',
    confidence: 0.75,
    applies: ({ line, candidate }) => candidate.kind === 'digits' && has(line, 'goal'),
    announcement: byMeansOfIt,
  },
  {
    name: 'a subject that begins with it, and what for',
    confidence: 0.75,
    applies: ({ index, line, candidate }) => index === 0 && candidate.start === 0 && has(line, 'goal'),
    announcement: byHeadOfSubject,
  },
]

// All reaches are in characters.
/** Longest text between a cue and a candidate with letters. */
const mixedGapMax = 40
/** How far after a number a name may be. */
const behindReach = 50
/** How far before the verb that ends the clause a number may be: "4021 in der App eintippst". */
const enteredBehindReach = 30
/** How far away words of the same sentence may be. */
const sentenceReach = 100
/** Longest text between a verb and a number that says what the number is for: "Gib zur Bestätigung 4021 ein". */
const purposeGapMax = 45
/** How far after a name the words for its purpose may be: "code to confirm", "SMS zur Anmeldung". */
const purposeReach = 12
/** How far after the sentence that announces it a number may be: "Here is your login code. 4021". */
const nextSentenceReach = 12

function follows(...kinds: readonly CueKind[]): (place: InSentence) => boolean {
  return ({ before }) => before !== null && kinds.includes(before.kind)
}

/** The text between the cue before a candidate and the candidate. */
function gapBefore({ line, before, candidate }: InSentence): string {
  return line.masked.slice(before?.end ?? 0, candidate.start)
}

const isJoined = (place: InSentence) => phrase.connection.test(gapBefore(place))

function byCueBefore({ line, before, candidate }: InSentence): Announcement | null {
  return before && byCue(line, before, candidate)
}

/** Whether a candidate has the shape of what the name before it promises. */
function fitsCueBefore(place: InSentence): boolean {
  const { before, candidate, line } = place
  if (before === null || phrase.postalPin.test(line.masked.slice(0, before.end))) return false
  if (candidate.kind === 'year') return before.kind === 'strong' && isJoined(place)
  if (candidate.kind !== 'mixed') return true
  return gapBefore(place).length <= mixedGapMax && (isJoined(place) || !/[a-z]/.test(candidate.value))
}

/** The same for a mere "code" before it, which may also be a discount code or belong to something else. */
function fitsMereCode(place: InSentence): boolean {
  const { before, candidate, line } = place
  if (before === null || !fitsCueBefore(place) || isSale(place) || isOfBothCases(candidate)) return false
  if (isSlogan(candidate) && (!isAboutCodes(place) || phrase.percent.test(line.masked))) return false
  const name = line.masked.slice(before.start, before.end)
  return !phrase.isOfSomething(line.masked.slice(0, before.start), name) || isAskedBeside(place)
}

/** Whether the nearness of a mere "code" is all that speaks for the candidate. */
function isLoose(place: InSentence): boolean {
  return phrase.apposition.test(gapBefore(place)) || !(isAboutCodes(place) || has(place.line, 'enter', 'typed'))
}

function isSale({ line, mail }: CandidatePlace): boolean {
  return has(line, 'sale') || has(mail.subject, 'sale')
}

/** Whether the line says what a code is entered for, or the subject is about codes. */
function isAboutCodes({ line, mail }: CandidatePlace): boolean {
  return has(line, 'goal') || has(mail.subject, 'strong', 'weak', 'goal')
}

/** Whether the sentence asks to enter something, or the subject names a code. */
function isAskedBeside({ mail, line: { masked, cues }, candidate }: CandidatePlace): boolean {
  if (has(mail.subject, 'strong', 'weak')) return true
  return cues.some(
    ({ kind, start, end }) =>
      (kind === 'enter' || kind === 'typed' || kind === 'goal') &&
      Math.max(start - candidate.end, candidate.start - end) <= sentenceReach &&
      !phrase.sentenceEnd.test(
        end <= candidate.start ? masked.slice(end, candidate.start) : masked.slice(candidate.end, start),
      ),
  )
}

/** "The code to confirm the new number of your phone is 4021": words for the purpose may name other numbers. */
function byNameOfPurpose({ line, candidate }: InSentence): Announcement | null {
  const clause = line.cues.filter(
    ({ kind, end }) =>
      kind !== 'figures' &&
      end <= candidate.start &&
      candidate.start - end <= sentenceReach &&
      !phrase.sentenceEnd.test(line.masked.slice(end, candidate.start)),
  )
  const last = clause.at(-1)
  const name = clause.find(({ kind, end }, n) => {
    const next = clause[n + 1]
    const hasGoalNext = next?.kind === 'goal' && next.start - end <= purposeReach
    const isForSomething = hasGoalNext || last?.kind === 'goal' || phrase.purpose.test(line.masked.slice(end))
    return (kind === 'strong' || kind === 'weak') && isForSomething
  })
  if (name === undefined || candidate.kind !== 'digits') return null
  return phrase.leadsBack(line.masked.slice(last?.end, candidate.start)) ? byCue(line, name, candidate) : null
}

/** "Enter these six digits to sign in: 482913" */
function fitsDigits(place: InSentence): boolean {
  const { line, candidate } = place
  const isGiven = isJoined(place) || phrase.linked.test(gapBefore(place))
  const isAsked = has(line, 'enter', 'typed') || isAboutCodes(place)
  return isGiven && isAsked && isTypable(candidate) && !has(line, 'sale')
}

/** Whether the candidate is what the verb before it says to enter. */
function isEntered(place: InSentence): boolean {
  const { line, before, candidate } = place
  const gap = gapBefore(place)
  const hasGoalBetween = line.cues.some(
    ({ kind, start, end }) => kind === 'goal' && start >= (before?.end ?? 0) && end <= candidate.start,
  )
  const isForSomething = hasGoalBetween && gap.length <= purposeGapMax && !phrase.amountOf.test(gap)
  return (phrase.fillers.test(gap) || phrase.linked.test(gap) || isForSomething) && mayBeEntered(place)
}

/** Whether the candidate is what a verb at the end of its clause says to enter: "... indem du 4021 eintippst". */
function isEnteredBehind(place: InSentence): boolean {
  const { line, candidate } = place
  const next = line.cues.find(({ start, kind }) => start >= candidate.end && kind !== 'goal')
  if (next?.kind !== 'typed' || next.start - candidate.end > enteredBehindReach || isOwned(place)) return false
  return !phrase.sentenceEnd.test(line.masked.slice(candidate.end, next.start)) && mayBeEntered(place)
}

function mayBeEntered({ line, candidate }: InSentence): boolean {
  return isTypable(candidate) && !has(line, 'sale') && !phrase.asReference.test(line.masked.slice(candidate.end))
}

/** The words near an entered code that say what it is for, or name it: "Enter 4021 to confirm". */
function byPurposeBeside({ line, candidate }: InSentence): Announcement | null {
  const cue = line.cues.find(
    ({ kind, start, end }) =>
      (kind === 'goal' || kind === 'strong' || kind === 'weak') &&
      (start >= candidate.end
        ? start - candidate.end <= behindReach && !phrase.sentenceEnd.test(line.masked.slice(candidate.end, start))
        : candidate.start - end <= sentenceReach),
  )
  return cue === undefined ? null : byCue(line, cue, candidate)
}

function bySubjectAbove({ mail, index }: InSentence): Announcement | null {
  return index > 0 && has(mail.subject, 'strong', 'weak', 'goal') ? bySubject : null
}

/** "4021 is your login code." */
function byNameBehind(place: InSentence): Announcement | null {
  const { line, behind, candidate } = place
  if (behind === null || candidate.kind === 'year') return null
  const gap = line.masked.slice(candidate.end, behind.start)
  if (gap.length > (candidate.kind === 'mixed' ? mixedGapMax : behindReach)) return null
  if (phrase.sentenceEnd.test(gap) || phrase.leadsElsewhere.test(gap)) return null
  if (/\S\s*:/.test(gap) && !phrase.verb.test(gap)) return null
  if (hasVerbBetween(place, behind, gap) || phrase.ownNumber.test(line.masked.slice(behind.end))) return null
  const isMereCode = behind.kind === 'weak'
  if (isMereCode && (!phrase.joinsMereCode.test(gap) || isSale(place))) return null
  const isNamed = !isMereCode && phrase.verb.test(gap)
  return isNamed || !isOwned(place) ? { ...byCue(line, behind, candidate), owns: behind } : null
}

/** Whether the name belongs to something else that is to be entered: "4021, then enter your PIN"; but "4021 - enter this code". */
function hasVerbBetween({ line, candidate }: InSentence, name: Cue, gap: string): boolean {
  if (/^["'”»)]*\s?[—–:-]/.test(gap)) return false
  return line.cues.some(({ kind, start, end }) => kind === 'enter' && start >= candidate.end && end <= name.start)
}

/** "You asked for a login code. It is 120734." */
function bySentenceBefore(place: InSentence): Announcement | null {
  const { line, candidate } = place
  const clause = line.masked.slice(0, candidate.start).split(phrase.sentenceEnd).at(-1) ?? ''
  const isBare = clause.trim() === '' && /^\s*(?:$|[.。])/.test(line.masked.slice(candidate.end))
  if (!isBare && !phrase.pronoun.test(clause)) return null
  const needsName = isBare || isSale(place)
  const name = line.cues.findLast(
    ({ kind, end }) => (kind === 'strong' || (kind === 'weak' && !needsName)) && end <= candidate.start - clause.length,
  )
  if (name === undefined || (isBare && candidate.start - name.end > nextSentenceReach)) return null
  return byCue(line, name, null)
}

/** "If that's you, approve with 4021.", "To confirm: 4021" */
function byMeansOfIt({ mail, line, candidate }: InSentence): Announcement | null {
  const goal = line.cues.findLast(({ end }) => end <= candidate.start)
  if (goal?.kind !== 'goal' || has(line, 'sale')) return null
  const gap = line.masked.slice(goal.end, candidate.start)
  const isGiven = phrase.byMeans.test(gap) || (/^\s?[:：]\s?$/.test(gap) && has(mail.subject, 'strong', 'weak', 'goal'))
  return isGiven && phrase.clauseEnd.test(line.masked.slice(candidate.end)) ? byCue(line, goal, candidate) : null
}

/** "4021 - confirm your profile" */
function byHeadOfSubject({ line, candidate }: InSentence): Announcement | null {
  const goal = line.cues.find(({ kind }) => kind === 'goal')
  if (goal === undefined || !isTypable(candidate) || has(line, 'other', 'sale')) return null
  return /^\s?[-–—:|]\s/.test(line.masked.slice(candidate.end)) ? byCue(line, goal, candidate) : null
}
