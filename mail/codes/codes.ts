/**
 * Codes that a mail gives to copy into a form. They are found by their shape and by the words that announce them, in many languages;
 * the same mail always gives the same result. A number that other words claim (an order, a price, a date, a telephone) is not a code.
 */

import { limits } from '../limits.ts'
import type { Cue } from './cues.ts'
import { ownLineRules } from './own-line-rules.ts'
import { inSentence, isOnOwnLine, onOwnLine } from './places.ts'
import { type PreparedMail, prepareMail } from './prepared-mail.ts'
import { servesOtherwise } from './purposes.ts'
import { firstToAnnounce } from './rules.ts'
import { lettersOf, plainLine, type ScannedText } from './scanned-text.ts'
import { sentenceRules } from './sentence-rules.ts'

export type VerificationCode = {
  /** As it is to be typed: digits without blanks and hyphens. */
  readonly value: string
  /** The words that announced it, at most 100 characters; null when only the subject did. */
  readonly label: string | null
  /** How certain it is that this is a code, from 0 to 1, if the sender is who the mail says. */
  readonly confidence: number
}

/** How much less certain than the most certain code of a mail another code may be. */
const confidenceSpan = 0.25

/** The codes of a subject and a text, the most certain first, at most `verifiedFoundMax`. Linear; never throws. */
export function findCodes(subject: string | null, { lines, seen }: ScannedText): readonly VerificationCode[] {
  const title = plainLine((subject ?? '').slice(0, limits.verifiedLineCharsMax))
  const found = new Map<string, VerificationCode>()
  for (const code of codesIn(prepareMail(title, lines))) found.set(code.value, surer(found.get(code.value), code))
  const codes = [...found.values()].sort((a, b) => b.confidence - a.confidence)
  const least = (codes[0]?.confidence ?? 0) - confidenceSpan
  const likely = codes.filter(({ confidence }) => confidence >= least).slice(0, limits.verifiedFoundMax)
  if (likely.length === 0 || seen === null) return likely
  const visible = seen()
  return likely.filter(({ value }) => visible.includes(lettersOf(value)) || title.includes(value))
}

/** Every candidate that a rule announces as a code, in the order of the text. */
function* codesIn(mail: PreparedMail): Generator<VerificationCode> {
  for (const [index, line] of mail.lines.entries()) {
    if (line.candidates.length === 0) continue
    const owned = new Set<Cue>()
    for (const candidate of line.candidates) {
      const place = { mail, index, line, candidate }
      const isAlone = isOnOwnLine(place)
      const sentence = isAlone ? null : inSentence(place, owned)
      const found =
        sentence === null ? firstToAnnounce(ownLineRules, onOwnLine(place)) : firstToAnnounce(sentenceRules, sentence)
      // Words belong to the number that comes next, code or not. Only a verb may apply to several numbers.
      if (sentence?.before && sentence.before.kind !== 'enter') owned.add(sentence.before)
      if (found === null) continue
      const { rule, announcement } = found
      if (announcement.owns !== null) owned.add(announcement.owns)
      if (servesOtherwise(place, isAlone)) continue
      yield { value: candidate.value, label: announcement.label, confidence: rule.confidence }
    }
  }
}

/** A code that is announced twice is more certain. */
function surer(before: VerificationCode | undefined, code: VerificationCode): VerificationCode {
  if (before === undefined) return code
  const best = code.confidence > before.confidence ? code : before
  return { ...best, label: before.label ?? code.label, confidence: Math.min(0.99, best.confidence + 0.03) }
}
