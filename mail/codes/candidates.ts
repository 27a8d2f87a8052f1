/** Candidates: parts of a line that have the shape of a code, digits or letters with digits. Prices and measures are left out. */
import { linkClose, linkOpen } from './scanned-text.ts'
import { currencies, units } from './vocabulary.ts'

export type CodeCandidate = {
  /** As it is to be typed: without the blanks that group it; digits also without hyphens. */
  readonly value: string
  /** Its position in the line (UTF-16 offsets). */
  readonly start: number
  readonly end: number
  /** `year`: four digits that may be a year; `mixed`: letters, mostly with digits among them. */
  readonly kind: 'digits' | 'year' | 'mixed'
}

/** The candidates of a line, in order. Addresses in the line must be blanked out (`withoutAddresses`). Linear. Never throws. */
export function candidatesIn(line: string): readonly CodeCandidate[] {
  if (!mayHoldCode.test(line)) return none
  const candidates: CodeCandidate[] = []
  const add = (value: string, kind: CodeCandidate['kind'], start: number, length: number) => {
    const end = start + length
    if (!letter.test(line.charAt(start - 1)) && !letter.test(line.charAt(end)))
      candidates.push({ value, kind, start, end })
  }
  for (const { 0: text, index } of line.matchAll(digits)) {
    const form = text.replace('(', '')
    if (!digitForms.test(form) || isMeasure(line, index, index + text.length)) continue
    add(text.replace(/\D/g, ''), years.test(form) ? 'year' : 'digits', index + text.length - form.length, form.length)
  }
  if (mayBeMixed.test(line))
    for (const { 0: text, index } of line.matchAll(mixed))
      if (/[A-Z]/i.test(text)) add(text, 'mixed', index, text.length)
  if (mayBePair.test(line))
    for (const { 0: text, index } of line.matchAll(spacedPairs))
      add(text.replaceAll(' ', ''), 'mixed', index, text.length)
  return candidates.sort((one, other) => one.start - other.start)
}

/** The line with links and mail addresses blanked out. Its length stays the same, so that offsets are valid in both. */
export function withoutAddresses(line: string): string {
  const mayHoldMail = line.includes('@')
  if (!mayHoldMail && !line.includes('://')) return line
  return line.replace(mayHoldMail ? linkOrMail : link, (text) => ' '.repeat(text.length))
}

/** Whether it looks like something to type in even if no words call it a code. */
export const isTypable = ({ kind, value }: CodeCandidate) =>
  kind === 'digits' || (kind === 'mixed' && (/^[A-Z\d]+-[A-Z\d]+$/.test(value) || jumbled.test(value)))

/** Capitals and digits that alternate as they never do in the name of a product. */
const jumbled = /^(?=[A-Z\d]+$)(?:[A-Z]+\d+[A-Z]+\d|\d+[A-Z]+\d+[A-Z])/

/** Whether it has both lower-case and upper-case letters, as many names have. */
export const isOfBothCases = ({ value }: CodeCandidate) => /[a-z]/.test(value) && /[A-Z]/.test(value)

/** Whether it is a word followed by a number, as discount codes are: `SAVE20`. */
export const isSlogan = ({ value }: CodeCandidate) => /^[A-Z]{4,}\d{1,4}$/.test(value)

/** Digits with the characters that may join them: in codes, but also in prices, dates, times and telephone numbers. */
const digits =
  /(?<![\w#№@&=%/\\*•.,+-])[(+]?\d+(?:(?:[-–./:'·]|,(?!\d+\s?[分秒小天时時])|\)?\s|\s\((?=\d{1,5}\)[\s-]?\d))\d+)*(?!\w)/g
/** The groups in which codes of digits are written. */
const digitForms = /^(?:\d{4,8}|\d{3}[\s–-]\d{3}|\d{4}[\s–-]\d{4}|\d{2}\s\d{2}\s\d{2}|\d(?:[\s·-]\d){3,7})$/
/** The years that mail mentions: 1940 to 2049. */
const years = /^(?:19[4-9]|20[0-4])\d$/
/** The forms of codes with letters. */
const mixed =
  /(?<![\w#№@&=%/\\*•.,+-])(?:[A-Z]{1,3}-\d{4,8}|(?=[A-Z-]{0,8}\d)(?:[A-Z0-9]{3,5}-[A-Z0-9]{3,5}|[A-Z0-9]{5,10})|(?=[A-Z-]*\d)(?=[\d-]*[A-Z])(?=[A-Z0-9-]{6})[A-Z0-9]{1,5}(?:-[A-Z0-9]{1,5}){2,3}|[A-Z]{3}-[A-Z]{3}|[A-Z]{4}-[A-Z]{4}|(?=[A-Za-z]{1,7}\d|\d{1,7}[A-Za-z])(?:[a-z0-9]{6,8}|(?=[A-Z0-9]*[a-z])(?=[a-z0-9]*[A-Z])[A-Za-z0-9]{6,8}))(?!\w|[-–/@.]\w)/g
/** Three groups or more, each with at least a letter and a digit: "K4 P9 Z1". */
const spacedPairs =
  /(?<![\w#№@&=%/\\*•.,+-]|\w )(?=[A-Z0-9 ]{8})(?:(?:[A-Z]\d|\d[A-Z])[A-Z0-9]{0,2})(?: (?:[A-Z]\d|\d[A-Z])[A-Z0-9]{0,2}){2,4}(?!\w|[-–/@.]\w| [A-Z0-9]{2})/g
/** Letters of scripts with blanks between words: one right beside a number makes the number part of a word. */
const letter = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]/u

const none: readonly CodeCandidate[] = []

/**
 * Matches every line with a candidate: a digit in a word that is short enough, or groups of capitals. This pattern and the two below
 * look for the digit or hyphen first, which are rare, and only then at what precedes it: that costs far less than the full forms.
 */
const mayHoldCode = /(?<=\b[A-Za-z]{0,9})\d\w{0,9}\b|(?<=[A-Z]{3})-[A-Z]{3}/
/** Matches every line with a code of letters: a letter beside a digit, or groups of capitals. */
const mayBeMixed = /(?<=[A-Za-z]-*)\d|\d(?=-?[A-Za-z])|(?<=[A-Z]{3})-[A-Z]{3}/
/** Matches every line with spaced pairs. */
const mayBePair = /(?<=[A-Z])\d|\d(?=[A-Z])/

/** Whether a unit follows the number, or a currency precedes it. */
function isMeasure(line: string, start: number, end: number): boolean {
  return units.test(line.slice(end, end + 16)) || currencies.test(line.slice(Math.max(0, start - 5), start))
}

const links = `${linkOpen}[^${linkClose}]*${linkClose}?|https?://\\S+`
const link = new RegExp(links, 'giu')
/** Looking for mail addresses too costs several times as much, because any word may begin one. */
const linkOrMail = new RegExp(`${links}|[\\w.%+-]{1,64}@[\\w.-]+`, 'giu')
