/**
 * Codes that a mail gives to copy into a form: found by their shape and by the words that announce them, in many languages,
 * always the same for the same mail. A number that other words own (an order, a price, a date, a telephone) is none.
 */
import { type Mark, marksOf } from './codes-marks.ts'
import { lettersOf, linkClose, linkOpen, plainLine, type Source } from './codes-source.ts'
import { currencies, units } from './codes-words.ts'
import { limits } from './limits.ts'

export type Code = {
  /** As it is to be typed: a group of digits without its blanks and hyphens. */
  readonly value: string
  /** The words that announced it; null when that was the subject alone. */
  readonly label: string | null
  /** How sure it is, 0 to 1, should the sender be who he says. */
  readonly confidence: number
}

/** The codes of a subject and a text, surest first. Linear; never throws. */
export function findCodes(subject: string | null, { lines, seen }: Source): readonly Code[] {
  const title = plainLine((subject ?? '').slice(0, limits.verifiedLineCharsMax))
  const reading = createReading([title, ...lines])
  const found = new Map<string, Code>()
  let left = limits.verifiedNumbersMax
  for (const [index, line] of [title, ...lines].entries()) {
    const tokens = left > 0 && mayHoldCode.test(line) ? tokensOf(masked(line)) : []
    left -= tokens.length
    const used = new Set<Mark>()
    for (const token of tokens) {
      const code = reading.judge(index, token, used)
      if (code !== null) found.set(code.value, surer(found.get(code.value), code))
    }
  }
  const codes = [...found.values()].sort((a, b) => b.confidence - a.confidence)
  const least = (codes[0]?.confidence ?? 0) - 0.25
  const likely = codes.filter(({ confidence }) => confidence >= least).slice(0, limits.verifiedFoundMax)
  if (likely.length === 0 || seen === null) return likely
  const visible = seen()
  return likely.filter(({ value }) => visible.includes(lettersOf(value)) || title.includes(value))
}

type Token = {
  readonly value: string
  readonly start: number
  readonly end: number
  readonly kind: 'digits' | 'year' | 'mixed'
}

/** Announced twice is surer than once. */
function surer(before: Code | undefined, code: Code): Code {
  if (before === undefined) return code
  const best = code.confidence > before.confidence ? code : before
  return { ...best, label: before.label ?? code.label, confidence: Math.min(0.99, best.confidence + 0.03) }
}

/** Digits with what may join them: codes, and also prices, dates, times, telephones. */
const digits = /(?<![\w#№@&=%/\\*•.,+-])[(+]?\d+(?:(?:[-–./:,'·]|\)?\s\(?)\d+)*(?!\w)/g
const digitForms = /^(?:\d{4,8}|\d{3}[\s–-]\d{3}|\d{4}[\s–-]\d{4}|\d{2}\s\d{2}\s\d{2}|\d(?:[\s·-]\d){3,7})$/
/** The years that mail speaks of. */
const years = /^(?:19[4-9]|20[0-4])\d$/
/** Letters with digits among them. */
const mixed =
  /(?<![\w#№@&=%/\\*•.,+-])(?:[A-Z]{1,3}-\d{4,8}|(?=[A-Z-]{0,8}\d)(?:[A-Z0-9]{3,5}-[A-Z0-9]{3,5}|[A-Z0-9]{5,10})|[A-Z]{3}-[A-Z]{3}|[A-Z]{4}-[A-Z]{4}|(?=[a-z]{1,7}\d|\d{1,7}[a-z])[a-z0-9]{6,8})(?!\w|[-–/@.]\w)/g
/** A letter of a spaced script that stands at a number makes it part of a word. */
const letter = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]/u

const mayHoldCode = /\d|[A-Z]{3}-[A-Z]{3}/

function tokensOf(line: string): readonly Token[] {
  const tokens: Token[] = []
  const add = (value: string, kind: Token['kind'], start: number, length: number) => {
    const end = start + length
    if (!letter.test(line.charAt(start - 1)) && !letter.test(line.charAt(end))) tokens.push({ value, kind, start, end })
  }
  for (const { 0: text, index } of line.matchAll(digits)) {
    if (!digitForms.test(text) || isMeasure(line, index, index + text.length)) continue
    add(text.replace(/\D/g, ''), years.test(text) ? 'year' : 'digits', index, text.length)
  }
  for (const { 0: text, index } of line.matchAll(mixed)) if (/[A-Z]/i.test(text)) add(text, 'mixed', index, text.length)
  return tokens.sort((one, other) => one.start - other.start)
}

function isMeasure(line: string, start: number, end: number): boolean {
  return units.test(line.slice(end, end + 16)) || currencies.test(line.slice(Math.max(0, start - 5), start))
}

const linkMark = new RegExp(`${linkOpen}[^${linkClose}]*${linkClose}?|https?://\\S+|[\\w.%+-]{1,64}@[\\w.-]+`, 'giu')

/** The line with addresses blanked out. */
function masked(line: string): string {
  if (!line.includes('://') && !line.includes('@')) return line
  return line.replace(linkMark, (text) => ' '.repeat(text.length))
}

/** Where a sentence ends: not at the point of an initial, nor before a small letter. */
const sentenceEnd = /(?:(?<!(?<!\p{L})\p{L})\.(?!\s+\p{Ll})|[!?;])(?=\s|$)|[。！？；]/u
/** What may stand between the words "the code" and the code. */
const connection =
  /^[\s:=\-–—"'“”«»„([【「『]*(?:(?:is|are|below|number|lautet|ist|wie folgt|est|est le|le|es|é|è|to|jest|is de|でした|は|が|为|為|是|은|는|이|:)[\s:=\-–—"'“”«»„([【「『]*)?$/iu

/** Between a number and words behind it that belong to something else; and how a mere "code" has to be joined to one. */
const notIts = /\d|\s(?:and|or|und|oder|et|ou|y|e|en|of|и|или)\s/i
const itsWeak = /^\s*(?:$|[-–—:("'”»]|(?:is|ist|est|es|é|è|to|jest|as)\s|[がはを는은이を是为為])/iu
/** In an Indian address the PIN is the postal code. */
const postalPin = /,\s?pin(?:\scode)?$/i
/** "The code for your account:", then the code. */
const linked = /^[\p{L}\s'"«»-]{0,45}(?::|\s(?:is|ist|lautet|luidt|est|es|é|è))[\s"'“„«([【]*$/iu

/** Between a word that owns another number and the code: something of its own, and then what announces the code. */
const detached = /^[^:]*\p{L}{3}[^:]*(?::|\s(?:is|ist|lautet|luidt|est|es|é|è|to|jest))[\s"'“„«([【]*$/iu
/** Between a code and what it is for: "to", "do", "per", "SMS zur". */
const reachPurpose = 12

const pronoun = /^\s*(?:it is|it's|this is|er lautet|sie lautet|il est|c'est|es|é|è|het is)(?: le| el)?\s*:?\s*$/i

/** How far a word may stand from its number, in characters. */
const reach = {
  strong: 100,
  weak: 60,
  other: 25,
  enter: 6,
  goal: -1,
  sale: -1,
  neutral: -1,
  confirm: -1,
  login: -1,
  leave: -1,
}
const reachAfter = 50
const reachMixed = 40

function createReading(lines: readonly string[]) {
  const marked = new Map<number, readonly Mark[]>()
  const marksAt = (index: number) => {
    let marks = marked.get(index)
    if (marks === undefined) {
      marks = marksOf(masked(lines[index] ?? ''))
      marked.set(index, marks)
    }
    return marks
  }
  const has = (index: number, ...tiers: readonly Mark['tier'][]) =>
    marksAt(index).some(({ tier }) => tiers.includes(tier))

  return { judge }

  /** The code that a token is, or null. `used` are the words that belong to numbers before it. */
  function judge(index: number, token: Token, used: Set<Mark>): Code | null {
    const line = masked(lines[index] ?? '')
    const rest = line.slice(0, token.start) + line.slice(token.end)
    if (index > 0 && !/[\p{L}\p{N}]/u.test(rest)) return alone(index, token)
    return before(index, line, token, used) ?? after(index, line, token, used) ?? meant(index, line, token)
  }

  function before(index: number, line: string, token: Token, used: Set<Mark>): Code | null {
    const near = marksAt(index).filter(
      (mark) =>
        mark.end <= token.start &&
        !used.has(mark) &&
        token.start - mark.end <= reach[mark.tier] &&
        !sentenceEnd.test(line.slice(mark.end, token.start)),
    )
    const nearest = near.at(-1)
    if (nearest === undefined) return null
    const gap = line.slice(nearest.end, token.start)
    if (nearest.tier === 'enter') return entered(index, line, token)
    used.add(nearest)
    if (nearest.tier === 'other') return purposed(index, line, token)
    if (postalPin.test(line.slice(0, nearest.end))) return null
    const isClose = connection.test(gap)
    if (token.kind === 'year' && !(isClose && nearest.tier === 'strong')) return null
    if (token.kind === 'mixed' && (gap.length > reachMixed || (!isClose && nearest.tier === 'weak'))) return null
    if (token.kind === 'mixed' && /^[a-z0-9]+$/.test(token.value) && !isClose) return null
    const label = labelOf(line, nearest, token)
    if (nearest.tier === 'strong') return { value: token.value, label, confidence: isClose ? 0.97 : 0.9 }
    if (has(index, 'sale') || has(0, 'sale')) return null
    if (isClose) return { value: token.value, label, confidence: 0.88 }
    if (token.kind === 'digits' && linked.test(gap)) return { value: token.value, label, confidence: 0.82 }
    if (!has(index, 'enter', 'goal') && !has(0, 'strong', 'weak', 'goal')) return null
    return { value: token.value, label, confidence: 0.75 }
  }

  /** "The code to confirm the new number of your phone is 4021": what it is for has words that own other numbers. */
  function purposed(index: number, line: string, token: Token): Code | null {
    const clause = marksAt(index).filter(
      ({ end }) =>
        end <= token.start && token.start - end <= reach.strong && !sentenceEnd.test(line.slice(end, token.start)),
    )
    const announcing = clause.find(({ tier, end }, n) => {
      const next = clause[n + 1]
      const isCode = tier === 'strong' || tier === 'weak'
      return isCode && next?.tier === 'goal' && next.start - end <= reachPurpose
    })
    const gap = line.slice(clause.at(-1)?.end, token.start)
    if (announcing === undefined || token.kind !== 'digits' || !detached.test(gap)) return null
    return { value: token.value, label: labelOf(line, announcing, token), confidence: 0.8 }
  }

  /** "Enter 4021 to confirm". */
  function entered(index: number, line: string, token: Token): Code | null {
    if (token.kind !== 'digits' || has(index, 'sale')) return null
    const mark = marksAt(index).find(
      ({ tier, start, end }) =>
        (tier === 'goal' || tier === 'strong' || tier === 'weak') &&
        (start >= token.end
          ? start - token.end <= reachAfter && !sentenceEnd.test(line.slice(token.end, start))
          : token.start - end <= reach.strong && !sentenceEnd.test(line.slice(end, token.start))),
    )
    if (mark !== undefined) return { value: token.value, label: labelOf(line, mark, token), confidence: 0.85 }
    return index > 0 && has(0, 'strong') ? { value: token.value, label: null, confidence: 0.75 } : null
  }

  function after(index: number, line: string, token: Token, used: Set<Mark>): Code | null {
    if (token.kind === 'year') return null
    const mark = marksAt(index).find(({ start, tier }) => start >= token.end && tier !== 'enter' && tier !== 'goal')
    if (mark === undefined || used.has(mark) || (mark.tier !== 'strong' && mark.tier !== 'weak')) return null
    const gap = line.slice(token.end, mark.start)
    if (gap.length > reachAfter || sentenceEnd.test(gap) || notIts.test(gap)) return null
    if (mark.tier === 'weak' && !itsWeak.test(gap)) return null
    if (isOwned(index, line, token) || (mark.tier === 'weak' && (has(index, 'sale') || has(0, 'sale')))) return null
    if (token.kind === 'mixed' && gap.length > reachMixed) return null
    used.add(mark)
    return { value: token.value, label: labelOf(line, mark, token), confidence: mark.tier === 'strong' ? 0.95 : 0.85 }
  }

  /** "You asked for a login code. It is 120734." */
  function meant(index: number, line: string, token: Token): Code | null {
    const clause = line.slice(0, token.start).split(new RegExp(sentenceEnd, 'gu')).at(-1) ?? ''
    if (token.kind === 'year' || !pronoun.test(clause)) return null
    const mark = marksAt(index).findLast(({ tier, end }) => tier === 'strong' && end <= token.start - clause.length)
    return mark === undefined ? null : { value: token.value, label: labelOf(line, mark, null), confidence: 0.85 }
  }

  /** Whether the words right before a number say that it is another one. */
  function isOwned(index: number, line: string, token: Token): boolean {
    return marksAt(index).some(
      ({ tier, end }) =>
        tier === 'other' &&
        end <= token.start &&
        token.start - end <= reach.other &&
        !sentenceEnd.test(line.slice(end, token.start)),
    )
  }

  /** A code on a line of its own: announced by the lines above it, the one below it, or the subject. */
  function alone(index: number, token: Token): Code | null {
    const below = marksAt(index + 1).find(({ tier }) => tier === 'strong' || tier === 'weak' || tier === 'other')
    for (let above = index - 1; above >= Math.max(1, index - 3); above--) {
      const marks = marksAt(above)
      const mark =
        marks.findLast(({ tier }) => tier === 'strong') ??
        marks.findLast(({ tier }) => tier === 'weak' || tier === 'other')
      if (mark === undefined) continue
      if (mark.tier === 'other' && below?.tier === 'strong') break
      if (mark.tier === 'other' || (mark.tier === 'weak' && has(above, 'sale'))) return null
      return announced(above, mark, token, mark.tier === 'strong' ? 0.97 : 0.9)
    }
    if (below?.tier === 'strong' || below?.tier === 'weak')
      return announced(index + 1, below, token, below.tier === 'strong' ? 0.85 : 0.7)
    if (below !== undefined || token.kind === 'year' || has(0, 'other', 'sale')) return null
    if (isAskedFor(index - 1) && token.kind === 'digits') return { value: token.value, label: null, confidence: 0.65 }
    if (!has(0, 'strong', 'weak')) return null
    return { value: token.value, label: null, confidence: has(0, 'strong') ? 0.8 : 0.65 }
  }

  /** "Type this into the window where you sign in:" */
  function isAskedFor(index: number): boolean {
    return (
      /[:：]$/.test(lines[index] ?? '') &&
      has(index, 'enter') &&
      !has(index, 'other', 'sale') &&
      (has(index, 'goal') || has(0, 'goal'))
    )
  }

  function announced(index: number, mark: Mark, token: Token, confidence: number): Code | null {
    if (token.kind === 'year' && mark.tier !== 'strong') return null
    return { value: token.value, label: labelOf(masked(lines[index] ?? ''), mark, null), confidence }
  }
}

const labelCharsMax = 100

/** The sentence that the mark stands in, as far as the token. */
function labelOf(line: string, mark: Mark, token: Token | null): string | null {
  const head = line.slice(token !== null && token.end <= mark.start ? token.end : 0, mark.start)
  const tail = line.slice(mark.end, token !== null && token.start >= mark.end ? token.start : undefined)
  const begin = head.split(new RegExp(sentenceEnd, 'gu')).at(-1) ?? ''
  const words = begin + line.slice(mark.start, mark.end) + (tail.split(sentenceEnd)[0] ?? '')
  const label = words.replace(/\s+/g, ' ').replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')
  return [...label].slice(0, labelCharsMax).join('') || null
}
