/** The place of a candidate: in a sentence or on a line of its own, with the cues around it that may announce it. */

import type { CodeCandidate } from './candidates.ts'
import type { Cue, CueKind } from './cues.ts'
import { purpose, sentenceEnd } from './phrases.ts'
import { has, isAlone, type Line, lineAt, linesAboveMax, type PreparedMail } from './prepared-mail.ts'

export type CandidatePlace = {
  readonly mail: PreparedMail
  /** Index of its line; 0 is the subject. */
  readonly index: number
  readonly line: Line
  readonly candidate: CodeCandidate
}

/** A candidate among other words. */
export type InSentence = CandidatePlace & {
  /** The nearest cue before it in its sentence that is within reach and that no earlier number owns. */
  readonly before: Cue | null
  /** The name of a code that follows next and that no earlier number owns. */
  readonly behind: Cue | null
}

/** A candidate with nothing else on its line. */
export type OnOwnLine = CandidatePlace & {
  /** The cue that announces what is below it, from the nearest line above with such a cue. */
  readonly above: Announcer | null
  /** The first name of a code or of another number in the line below. */
  readonly below: Announcer | null
}

/** A cue in another line than the candidate. */
export type Announcer = { readonly line: Line; readonly cue: Cue }

/** Whether a candidate is alone on its line. A subject always counts as a sentence. */
export function isOnOwnLine({ index, line, candidate }: CandidatePlace): boolean {
  return index > 0 && isAlone(line, candidate)
}

/** Finds the cues around a candidate in a sentence; `owned` are the cues that belong to earlier numbers. */
export function inSentence(place: CandidatePlace, owned: ReadonlySet<Cue>): InSentence {
  const { line, candidate } = place
  const before = line.cues.findLast(
    (cue) =>
      cue.end <= candidate.start &&
      !owned.has(cue) &&
      candidate.start - cue.end <= (reach[cue.kind] ?? -1) &&
      !sentenceEnd.test(line.masked.slice(cue.end, candidate.start)),
  )
  const next = line.cues.find(({ kind, start }) => start >= candidate.end && !asides.has(kind))
  const isName = next !== undefined && (next.kind === 'strong' || next.kind === 'weak')
  return { ...place, before: before ?? null, behind: isName && !owned.has(next) ? next : null }
}

/** How far before a number a cue may be, in characters. Cues of other kinds announce nothing after them. */
const reach: { readonly [kind in CueKind]?: number } = { strong: 100, weak: 70, other: 25, figures: 40, enter: 60 }

/** Cues that may be between a number and its name. */
const asides: ReadonlySet<CueKind> = new Set(['figures', 'enter', 'typed', 'goal'])

/** How far before a number the name of another number may be and still own it, in characters. */
const ownerReach = 25

/** Whether the words right before a number say that it is another kind of number. */
export function isOwned({ line, candidate }: CandidatePlace): boolean {
  return line.cues.some(
    ({ kind, end }) =>
      kind === 'other' &&
      end <= candidate.start &&
      candidate.start - end <= ownerReach &&
      !sentenceEnd.test(line.masked.slice(end, candidate.start)),
  )
}

/** Finds what announces a candidate on a line of its own. */
export function onOwnLine(place: CandidatePlace): OnOwnLine {
  const line = lineAt(place.mail, place.index + 1)
  const cue = line.cues.find(({ kind }) => kind === 'strong' || kind === 'weak' || kind === 'other')
  const below = cue === undefined ? null : { line, cue }
  return { ...place, above: announcerAbove(place, below), below }
}

function announcerAbove({ mail, index, candidate }: CandidatePlace, below: Announcer | null): Announcer | null {
  for (let above = index - 1; above >= Math.max(1, index - linesAboveMax); above--) {
    const line = lineAt(mail, above)
    const cue = announcementIn(line)
    if (cue === undefined) {
      // The line right above is about the candidate without naming it, so lines further up are about something else.
      if (above === index - 1 && isAskedForIn(mail, above)) return null
      continue
    }
    const isNamedElsewhere = below?.cue.kind === 'strong' || (has(mail.subject, 'strong') && candidate.kind === 'mixed')
    return cue.kind === 'other' && isNamedElsewhere ? null : { line, cue }
  }
  return null
}

/** What a line announces about a number below it: the surest name of a code, or at its end the name of another number. */
function announcementIn({ masked, cues }: Line): Cue | undefined {
  const endsInGoal = cues.at(-1)?.kind === 'goal'
  return (
    cues.findLast(({ kind }) => kind === 'strong') ??
    cues.findLast(({ kind, end }) => kind === 'weak' && (endsInGoal || purpose.test(masked.slice(end)))) ??
    cues.findLast(({ kind, end }) => kind === 'weak' || (kind === 'other' && masked.length - end <= ownerReach))
  )
}

/**
 * Whether a line asks the reader to enter what is below it: "Type this into the window where you sign in:", "Sign in with the six
 * digits below.", "Open the app and enter".
 */
export function isAskedForIn(mail: PreparedMail, index: number): boolean {
  const line = lineAt(mail, index)
  const { text, cues } = line
  const verb = cues.findLast(({ kind }) => kind === 'enter' || kind === 'typed')
  const endsInVerb = verb?.kind === 'enter' && verb.end === text.length
  const isAsking = verb !== undefined && (endsInVerb || /[:：に]$/.test(text) || has(line, 'goal'))
  // "To pair your device (serial number 20) enter", but not "Enter your serial number".
  const isAnother = cues.some(({ kind, start }) => kind === 'sale' || (kind === 'other' && start >= (verb?.start ?? 0)))
  if (!(isAsking || has(line, 'figures')) || isAnother) return false
  return [index, index - 1, index - 2, index + 2, 0].some((near) => has(lineAt(mail, near), 'goal', 'strong', 'weak'))
}
