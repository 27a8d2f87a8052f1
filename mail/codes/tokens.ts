/** What in a line looks like a code: digits or letters with digits, alone as one types them. Prices and measures are none. */
import { linkClose, linkOpen } from './source.ts'
import { currencies, units } from './words.ts'

export type Token = {
  readonly value: string
  readonly start: number
  readonly end: number
  readonly kind: 'digits' | 'year' | 'mixed'
}

/** The numbers and words of a line that may be codes, in order. `line` has no addresses in it (`masked`). */
export function tokensOf(line: string): readonly Token[] {
  if (!mayHoldCode.test(line)) return []
  const tokens: Token[] = []
  const add = (value: string, kind: Token['kind'], start: number, length: number) => {
    const end = start + length
    if (!letter.test(line.charAt(start - 1)) && !letter.test(line.charAt(end))) tokens.push({ value, kind, start, end })
  }
  for (const { 0: text, index } of line.matchAll(digits)) {
    const form = text.replace('(', '')
    if (!digitForms.test(form) || isMeasure(line, index, index + text.length)) continue
    add(text.replace(/\D/g, ''), years.test(form) ? 'year' : 'digits', index + text.length - form.length, form.length)
  }
  for (const { 0: text, index } of line.matchAll(mixed)) if (/[A-Z]/i.test(text)) add(text, 'mixed', index, text.length)
  return tokens.sort((one, other) => one.start - other.start)
}

/** The line with addresses blanked out. */
export function masked(line: string): string {
  if (!line.includes('://') && !line.includes('@')) return line
  return line.replace(linkMark, (text) => ' '.repeat(text.length))
}

/** Whether it looks like something that one is asked to type in, when nothing calls it a code. */
export const isTyped = ({ kind, value }: Token) =>
  kind === 'digits' || (kind === 'mixed' && (/^[A-Z\d]+-[A-Z\d]+$/.test(value) || jumbled.test(value)))

/** Capitals and digits that change places as in no name of a model. */
const jumbled = /^(?=[A-Z\d]+$)(?:[A-Z]+\d+[A-Z]+\d|\d+[A-Z]+\d+[A-Z])/

/** Whether it is of small letters and capitals, as many names are. */
export const isOfBothCases = ({ value }: Token) => /[a-z]/.test(value) && /[A-Z]/.test(value)

/** Whether it is a word with a number behind it, as shops make their codes. */
export const isSlogan = ({ value }: Token) => /^[A-Z]{4,}\d{1,4}$/.test(value)

/** Digits with what may join them: codes, and also prices, dates, times, telephones. */
const digits =
  /(?<![\w#№@&=%/\\*•.,+-])[(+]?\d+(?:(?:[-–./:'·]|,(?!\d+\s?[分秒小天时時])|\)?\s|\s\((?=\d{1,5}\)[\s-]?\d))\d+)*(?!\w)/g
const digitForms = /^(?:\d{4,8}|\d{3}[\s–-]\d{3}|\d{4}[\s–-]\d{4}|\d{2}\s\d{2}\s\d{2}|\d(?:[\s·-]\d){3,7})$/
/** The years that mail speaks of. */
const years = /^(?:19[4-9]|20[0-4])\d$/
/** Letters with digits among them. */
const mixed =
  /(?<![\w#№@&=%/\\*•.,+-])(?:[A-Z]{1,3}-\d{4,8}|(?=[A-Z-]{0,8}\d)(?:[A-Z0-9]{3,5}-[A-Z0-9]{3,5}|[A-Z0-9]{5,10})|(?=[A-Z-]*\d)(?=[\d-]*[A-Z])[A-Z0-9]{2,4}(?:-[A-Z0-9]{2,4}){2}|[A-Z]{3}-[A-Z]{3}|[A-Z]{4}-[A-Z]{4}|(?=[A-Za-z]{1,7}\d|\d{1,7}[A-Za-z])(?:[a-z0-9]{6,8}|(?=[A-Z0-9]*[a-z])(?=[a-z0-9]*[A-Z])[A-Za-z0-9]{6,8}))(?!\w|[-–/@.]\w)/g
/** A letter of a spaced script that stands at a number makes it part of a word. */
const letter = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]/u

/** Whether it is worth while to look for one. */
const mayHoldCode = /\d|[A-Z]{3}-[A-Z]{3}/

function isMeasure(line: string, start: number, end: number): boolean {
  return units.test(line.slice(end, end + 16)) || currencies.test(line.slice(Math.max(0, start - 5), start))
}

const linkMark = new RegExp(`${linkOpen}[^${linkClose}]*${linkClose}?|https?://\\S+|[\\w.%+-]{1,64}@[\\w.-]+`, 'giu')
