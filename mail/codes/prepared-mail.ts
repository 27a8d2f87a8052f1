/** A mail prepared for the rules: its subject and lines, each with the candidates in it and the cues around them. */

import { limits } from '../limits.ts'
import { type CodeCandidate, candidatesIn, withoutAddresses } from './candidates.ts'
import { type Cue, type CueKind, codeCuesOf } from './cues.ts'
import { type Topic, topics } from './topics.ts'

export type Line = {
  /** As `plainLine` gives it. */
  readonly text: string
  /** The same length, with links and mail addresses blanked out: what the rules match. */
  readonly masked: string
  readonly candidates: readonly CodeCandidate[]
  /** The words around codes, in order; they do not overlap. None in lines that are not near a candidate. */
  readonly cues: readonly Cue[]
}

export type PreparedMail = {
  readonly subject: Line
  /** The subject, then the lines of the text. */
  readonly lines: readonly Line[]
}

/** How many lines above a candidate on a line of its own, and below it, may announce it. */
export const linesAboveMax = 3
export const linesBelowMax = 1

/** Prepares a subject and the lines of a text; the first `verifiedNumbersMax` candidates count. Linear; never throws. */
export function prepareMail(subject: string, text: readonly string[]): PreparedMail {
  const lines: Line[] = []
  let left = limits.verifiedNumbersMax
  for (const each of [subject, ...text]) {
    const masked = withoutAddresses(each)
    const candidates = left > 0 ? candidatesIn(masked) : none
    left -= candidates.length
    lines.push({ text: each, masked, candidates, cues: none })
  }
  const speaksOf = topicsIn(lines)
  for (const index of nearCandidates(lines)) {
    const line = lines[index]
    if (line !== undefined) lines[index] = { ...line, cues: cuesOf(line.masked, speaksOf) }
  }
  return { subject: lines[0] ?? noLine, lines }
}

/** The lines whose cues may say something of a candidate: the subject of all, lines above and below of one that is alone. */
function nearCandidates(lines: readonly Line[]): ReadonlySet<number> {
  const near = new Set<number>()
  for (const [index, line] of lines.entries()) {
    if (line.candidates.length === 0) continue
    near.add(0).add(index)
    if (line.candidates.some((candidate) => isAlone(line, candidate)))
      for (let each = index - linesAboveMax; each <= index + linesBelowMax; each++) near.add(each)
  }
  return near
}

/** Whether a line has nothing but the candidate. */
export function isAlone({ masked }: Line, { start, end }: CodeCandidate): boolean {
  return !/[\p{L}\p{N}]/u.test(masked.slice(0, start) + masked.slice(end))
}

/** The line at an index, empty outside the text. */
export function lineAt({ lines }: PreparedMail, index: number): Line {
  return lines[index] ?? noLine
}

/** Whether a line has a cue of one of the kinds. */
export function has({ cues }: Line, ...kinds: readonly CueKind[]): boolean {
  return cues.some(({ kind }) => kinds.includes(kind))
}

const none: readonly never[] = []
const noLine: Line = { text: '', masked: '', candidates: none, cues: none }

/** The cues of a line; those that name a code of what the mail is about count as names of another number. */
function cuesOf(masked: string, speaksOf: (topic: Topic) => boolean): readonly Cue[] {
  const cues = codeCuesOf(masked)
  const isAsked = cues.some(({ kind }) => kind === 'enter' || kind === 'typed')
  return cues.map((cue) => (isOfTopic(masked, cue, isAsked, speaksOf) ? { ...cue, kind: 'other' } : cue))
}

/** Of a mere "code" the word behind it tells what it is of; so many characters of it are looked at. */
const nextWordChars = 20

function isOfTopic(line: string, { kind, start, end }: Cue, isAsked: boolean, speaksOf: (topic: Topic) => boolean) {
  if (kind !== 'strong' && kind !== 'weak') return false
  const words = line.slice(start, kind === 'weak' ? end + nextWordChars : end)
  return topics.some((topic) => !(isAsked && topic.unless) && topic.words.test(words) && speaksOf(topic))
}

/** Tells whether a mail is about a topic; each is looked for once, and only when a name in question comes up. */
function topicsIn(lines: readonly Line[]): (topic: Topic) => boolean {
  const known = new Map<Topic, boolean>()
  return (topic) => {
    let is = known.get(topic)
    if (is === undefined) {
      is =
        lines.some(({ text }) => topic.about.test(text)) && !lines.some(({ text }) => topic.unless?.test(text) === true)
      known.set(topic, is)
    }
    return is
  }
}
