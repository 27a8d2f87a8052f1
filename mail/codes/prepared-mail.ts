/** A mail prepared for the rules: its subject and lines, each with the candidates in it and the cues around them. */

import { limits } from '../limits.ts'
import { type CodeCandidate, candidatesIn, withoutAddresses } from './candidates.ts'
import { type Cue, type CueKind, codeCuesOf } from './cues.ts'
import { type Topic, topics } from './topics.ts'

export type Line = {
  /** As `plainLine` returns it. */
  readonly text: string
  /** The same line in the same length, with links and mail addresses blanked out: this is what the rules match. */
  readonly masked: string
  readonly candidates: readonly CodeCandidate[]
  /** The cues around codes, in order; they do not overlap. Empty for lines that are not near a candidate. */
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

/** The lines whose cues may concern a candidate: its own and the subject; for one alone on its line, also lines above and below. */
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

/** The cues of a line. Names of a code that belongs to the mail's topic count as names of another number. */
function cuesOf(masked: string, speaksOf: (topic: Topic) => boolean): readonly Cue[] {
  const cues = codeCuesOf(masked)
  const isAsked = cues.some(({ kind }) => kind === 'enter' || kind === 'typed')
  return cues.map((cue) => (isOfTopic(masked, cue, isAsked, speaksOf) ? { ...cue, kind: 'other' } : cue))
}

/** How many characters after a mere "code" are looked at for the word that says what it belongs to. */
const nextWordChars = 20

function isOfTopic(line: string, { kind, start, end }: Cue, isAsked: boolean, speaksOf: (topic: Topic) => boolean) {
  if (kind !== 'strong' && kind !== 'weak') return false
  const words = line.slice(start, kind === 'weak' ? end + nextWordChars : end)
  return topics.some((topic) => !(isAsked && topic.unless) && topic.words.test(words) && speaksOf(topic))
}

/** Returns a function that tells whether a mail is about a topic. Each is looked for once, and only when a name of its codes occurs. */
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
