/**
 * Codes that a mail gives to copy into a form: found by their shape and by the words that announce them, in many languages,
 * always the same for the same mail. A number that other words own (an order, a price, a date, a telephone) is none.
 */

import { limits } from '../limits.ts'
import { affairs } from './affairs.ts'
import { type Mark, marksOf } from './marks.ts'
import * as phrase from './phrases.ts'
import { lettersOf, plainLine, type Source } from './source.ts'
import { isOfBothCases, isSlogan, isTyped, masked, type Token, tokensOf } from './tokens.ts'

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
    const tokens = left > 0 ? tokensOf(masked(line)) : []
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

/** Announced twice is surer than once. */
function surer(before: Code | undefined, code: Code): Code {
  if (before === undefined) return code
  const best = code.confidence > before.confidence ? code : before
  return { ...best, label: before.label ?? code.label, confidence: Math.min(0.99, best.confidence + 0.03) }
}

/** How far a word may stand from its number, in characters. */
const reach = {
  strong: 100,
  weak: 70,
  other: 25,
  figures: 40,
  enter: 60,
  typed: -1,
  goal: -1,
  sale: -1,
  neutral: -1,
  confirm: -1,
  login: -1,
  leave: -1,
}
const reachAfter = 50
/** How far it may stand before a verb that ends the clause: "4021 in der App eintippst". */
const reachTyped = 30
/** How far it may stand behind the sentence that announces it: "Here is your login code. 4021". */
const reachBare = 12
const reachMixed = 40
/** How far the words for entering may stand from it when they say what for: "Gib zur Bestätigung 4021 ein". */
const reachFar = 45
/** How far what a code is for may stand behind it: "to", "do", "per", "SMS zur". */
const reachPurpose = 12

/** Of the word behind a mere "code" so many characters are looked at. */
const nextWordChars = 20

/** Words that may stand between a code and what announces it. */
const aside = /^(?:figures|enter|typed|goal)$/

function createReading(lines: readonly string[]) {
  const marked = new Map<number, readonly Mark[]>()
  const marksAt = (index: number) => {
    let marks = marked.get(index)
    if (marks === undefined) {
      const line = masked(lines[index] ?? '')
      const found = marksOf(line)
      const isAsked = found.some(({ tier }) => tier === 'enter' || tier === 'typed')
      marks = found.map((mark) => (isElsewhere(line, mark, isAsked) ? { ...mark, tier: 'other' } : mark))
      marked.set(index, marks)
    }
    return marks
  }
  /** Whether the words for a code mean another one in this mail. A mere "code" is told by the word behind it. */
  const isElsewhere = (line: string, { tier, start, end }: Mark, isAsked: boolean) => {
    if (tier !== 'strong' && tier !== 'weak') return false
    const words = line.slice(start, tier === 'weak' ? end + nextWordChars : end)
    return affairs.some((each) => !(isAsked && each.butFor) && each.words.test(words) && speaksOf(each))
  }
  const spoken = new Map<RegExp, boolean>()
  const speaksOf = ({ about, butFor }: (typeof affairs)[number]) => {
    let is = spoken.get(about)
    if (is === undefined) {
      is = lines.some((line) => about.test(line)) && !lines.some((line) => butFor?.test(line) === true)
      spoken.set(about, is)
    }
    return is
  }
  const has = (index: number, ...tiers: readonly Mark['tier'][]) =>
    marksAt(index).some(({ tier }) => tiers.includes(tier))

  return { judge }

  /** The code that a token is, or null. `used` are the words that belong to numbers before it. */
  function judge(index: number, token: Token, used: Set<Mark>): Code | null {
    const line = masked(lines[index] ?? '')
    const rest = line.slice(0, token.start) + line.slice(token.end)
    if (index > 0 && !/[\p{L}\p{N}]/u.test(rest)) return alone(index, token)
    return (
      before(index, line, token, used) ??
      after(index, line, token, used) ??
      meant(index, line, token) ??
      typed(index, line, token) ??
      byMeansOf(index, line, token) ??
      headed(index, line, token)
    )
  }

  function before(index: number, line: string, token: Token, used: Set<Mark>): Code | null {
    const near = marksAt(index).filter(
      (mark) =>
        mark.end <= token.start &&
        !used.has(mark) &&
        token.start - mark.end <= reach[mark.tier] &&
        !phrase.sentenceEnd.test(line.slice(mark.end, token.start)),
    )
    const nearest = near.at(-1)
    if (nearest === undefined) return null
    const gap = line.slice(nearest.end, token.start)
    if (nearest.tier === 'enter') return enteredBehind(index, line, token, nearest)
    used.add(nearest)
    if (nearest.tier === 'figures') return figured(index, line, token, nearest)
    if (nearest.tier === 'other') return purposed(index, line, token)
    if (phrase.postalPin.test(line.slice(0, nearest.end))) return null
    const isJoined = phrase.connection.test(gap)
    if (token.kind === 'year' && !(isJoined && nearest.tier === 'strong')) return null
    if (token.kind === 'mixed' && (gap.length > reachMixed || (/[a-z]/.test(token.value) && !isJoined))) return null
    if (nearest.tier === 'weak') return weaklyNamed(index, line, token, nearest)
    return { value: token.value, label: labelOf(line, nearest, token), confidence: isJoined ? 0.97 : 0.9 }
  }

  /** Behind a mere "code": when nothing says that it is another kind of code. */
  function weaklyNamed(index: number, line: string, token: Token, mark: Mark): Code | null {
    const gap = line.slice(mark.end, token.start)
    const confidence = phrase.connection.test(gap) ? 0.88 : phrase.linked.test(gap) ? 0.82 : 0.75
    const isAbout = has(index, 'goal') || has(0, 'strong', 'weak', 'goal')
    if (
      has(index, 'sale') ||
      has(0, 'sale') ||
      isOfBothCases(token) ||
      (isSlogan(token) && (!isAbout || phrase.percent.test(line)))
    )
      return null
    const words = line.slice(0, mark.start)
    if (phrase.isOfSomething(words, line.slice(mark.start, mark.end)) && !isAskedBeside(index, line, token)) return null
    if (confidence === 0.75) {
      if (token.kind === 'mixed') return null
      if (phrase.apposition.test(gap) || !(isAbout || has(index, 'enter', 'typed'))) return purposed(index, line, token)
    }
    return { value: token.value, label: labelOf(line, mark, token), confidence }
  }

  /** Behind "these digits", in a mail that asks to enter something. */
  function figured(index: number, line: string, token: Token, mark: Mark): Code | null {
    const gap = line.slice(mark.end, token.start)
    const isAsked = has(index, 'enter', 'typed', 'goal') || has(0, 'strong', 'weak', 'goal')
    const isJoined = phrase.connection.test(gap) || phrase.linked.test(gap)
    if (!isAsked || !isJoined || !isTyped(token) || has(index, 'sale')) return null
    return { value: token.value, label: labelOf(line, mark, token), confidence: 0.8 }
  }

  function enteredBehind(index: number, line: string, token: Token, mark: Mark): Code | null {
    const gap = line.slice(mark.end, token.start)
    const isFor = gap.length <= reachFar && !phrase.amountOf.test(gap) && hasGoalIn(index, mark.end, token.start)
    return phrase.fillers.test(gap) || phrase.linked.test(gap) || isFor ? entered(index, line, token) : null
  }

  /** "The code to confirm the new number of your phone is 4021": what it is for has words that own other numbers. */
  function purposed(index: number, line: string, token: Token): Code | null {
    const clause = marksAt(index).filter(
      ({ tier, end }) =>
        tier !== 'figures' &&
        end <= token.start &&
        token.start - end <= reach.strong &&
        !phrase.sentenceEnd.test(line.slice(end, token.start)),
    )
    const gap = line.slice(clause.at(-1)?.end, token.start)
    const endsInGoal = clause.at(-1)?.tier === 'goal'
    const announcing = clause.find(({ tier, end }, n) => {
      const next = clause[n + 1]
      const isCode = tier === 'strong' || tier === 'weak'
      const isMeantFor = next?.tier === 'goal' && next.start - end <= reachPurpose
      return isCode && (isMeantFor || endsInGoal || phrase.purpose.test(line.slice(end)))
    })
    if (
      announcing === undefined ||
      token.kind !== 'digits' ||
      ![phrase.detached, phrase.spent, phrase.said].some((each) => each.test(gap))
    )
      return null
    return { value: token.value, label: labelOf(line, announcing, token), confidence: 0.8 }
  }

  /** "Enter 4021 to confirm". */
  function entered(index: number, line: string, token: Token): Code | null {
    if (!isTyped(token) || has(index, 'sale')) return null
    const mark = marksAt(index).find(
      ({ tier, start, end }) =>
        (tier === 'goal' || tier === 'strong' || tier === 'weak') &&
        (start >= token.end
          ? start - token.end <= reachAfter && !phrase.sentenceEnd.test(line.slice(token.end, start))
          : token.start - end <= reach.strong),
    )
    if (phrase.asReference.test(line.slice(token.end))) return null
    if (mark !== undefined) return { value: token.value, label: labelOf(line, mark, token), confidence: 0.85 }
    return index > 0 && has(0, 'strong', 'weak', 'goal') ? { value: token.value, label: null, confidence: 0.75 } : null
  }

  /** The same where the verb ends the clause: "... indem du 4021 eintippst". */
  function typed(index: number, line: string, token: Token): Code | null {
    const next = marksAt(index).find(({ start, tier }) => start >= token.end && tier !== 'goal')
    if (next?.tier !== 'typed' || next.start - token.end > reachTyped || isOwned(index, line, token)) return null
    return phrase.sentenceEnd.test(line.slice(token.end, next.start)) ? null : entered(index, line, token)
  }

  /** Whether its sentence asks to enter something, or the subject is of codes. */
  function isAskedBeside(index: number, line: string, token: Token): boolean {
    return (
      has(0, 'strong', 'weak') ||
      marksAt(index).some(
        ({ tier, start, end }) =>
          (tier === 'enter' || tier === 'typed' || tier === 'goal') &&
          Math.max(start - token.end, token.start - end) <= reach.strong &&
          !phrase.sentenceEnd.test(end <= token.start ? line.slice(end, token.start) : line.slice(token.end, start)),
      )
    )
  }

  /** "If that's you, approve with 4021.", "To confirm: 4021" */
  function byMeansOf(index: number, line: string, token: Token): Code | null {
    const goal = marksAt(index).findLast(({ end }) => end <= token.start)
    if (goal?.tier !== 'goal' || token.kind !== 'digits' || has(index, 'sale')) return null
    const gap = line.slice(goal.end, token.start)
    const isGiven = phrase.means.test(gap) || (/^\s?[:：]\s?$/.test(gap) && has(0, 'strong', 'weak', 'goal'))
    if (!isGiven || !phrase.clauseEnd.test(line.slice(token.end))) return null
    return { value: token.value, label: labelOf(line, goal, token), confidence: 0.75 }
  }

  function hasGoalIn(index: number, from: number, to: number): boolean {
    return marksAt(index).some(({ tier, start, end }) => tier === 'goal' && start >= from && end <= to)
  }

  /** A subject that begins with it: "4021 - confirm your profile". */
  function headed(index: number, line: string, token: Token): Code | null {
    if (index > 0 || token.start > 0 || !isTyped(token) || has(0, 'other', 'sale')) return null
    const goal = marksAt(0).find(({ tier }) => tier === 'goal')
    if (goal === undefined || !/^\s?[-–—:|]\s/.test(line.slice(token.end))) return null
    return { value: token.value, label: labelOf(line, goal, token), confidence: 0.75 }
  }

  function after(index: number, line: string, token: Token, used: Set<Mark>): Code | null {
    if (token.kind === 'year') return null
    const mark = marksAt(index).find(({ start, tier }) => start >= token.end && !aside.test(tier))
    if (mark === undefined || used.has(mark) || (mark.tier !== 'strong' && mark.tier !== 'weak')) return null
    const gap = line.slice(token.end, mark.start)
    const isBetween = ({ tier, start, end }: Mark) => tier === 'enter' && start >= token.end && end <= mark.start
    if ((!/^["'”»)]*\s?[—–:-]/.test(gap) && marksAt(index).some(isBetween)) || phrase.itsOwn.test(line.slice(mark.end)))
      return null
    if (gap.length > reachAfter || phrase.sentenceEnd.test(gap) || phrase.notIts.test(gap)) return null
    if (/\S\s*:/.test(gap) && !phrase.verb.test(gap)) return null
    if (mark.tier === 'weak' && !phrase.itsWeak.test(gap)) return null
    const isNamed = mark.tier === 'strong' && phrase.verb.test(gap)
    if ((!isNamed && isOwned(index, line, token)) || (mark.tier === 'weak' && (has(index, 'sale') || has(0, 'sale'))))
      return null
    if (token.kind === 'mixed' && gap.length > reachMixed) return null
    used.add(mark)
    return { value: token.value, label: labelOf(line, mark, token), confidence: mark.tier === 'strong' ? 0.95 : 0.85 }
  }

  /** "You asked for a login code. It is 120734." */
  function meant(index: number, line: string, token: Token): Code | null {
    const clause = line.slice(0, token.start).split(phrase.sentenceEnd).at(-1) ?? ''
    const isBare = clause.trim() === '' && /^\s*(?:$|[.。])/.test(line.slice(token.end))
    if (token.kind === 'year' || !(isBare || phrase.pronoun.test(clause))) return null
    const isAnother = isBare || has(index, 'sale') || has(0, 'sale')
    const mark = marksAt(index).findLast(
      ({ tier, end }) => (tier === 'strong' || (tier === 'weak' && !isAnother)) && end <= token.start - clause.length,
    )
    if (mark === undefined || (isBare && token.start - mark.end > reachBare)) return null
    return { value: token.value, label: labelOf(line, mark, null), confidence: 0.85 }
  }

  /** Whether the words right before a number say that it is another one. */
  function isOwned(index: number, line: string, token: Token): boolean {
    return marksAt(index).some(
      ({ tier, end }) =>
        tier === 'other' &&
        end <= token.start &&
        token.start - end <= reach.other &&
        !phrase.sentenceEnd.test(line.slice(end, token.start)),
    )
  }

  /** A code on a line of its own: announced by the lines above it, the one below it, or the subject. */
  function alone(index: number, token: Token): Code | null {
    const below = marksAt(index + 1).find(({ tier }) => tier === 'strong' || tier === 'weak' || tier === 'other')
    for (let above = index - 1; above >= Math.max(1, index - 3); above--) {
      const mark = announcement(above)
      if (mark === undefined && above === index - 1 && isAskedFor(above)) break
      if (mark === undefined) continue
      if (mark.tier === 'other' && (below?.tier === 'strong' || (has(0, 'strong') && token.kind === 'mixed'))) break
      if (mark.tier === 'other' || (mark.tier === 'weak' && has(above, 'sale'))) return null
      return announced(above, mark, token, mark.tier === 'strong' ? 0.97 : 0.9)
    }
    if (below?.tier === 'strong' || below?.tier === 'weak')
      return announced(index + 1, below, token, below.tier === 'strong' ? 0.85 : 0.7)
    if (token.kind === 'year' || has(0, 'sale')) return null
    if (isAskedFor(index - 1) && /^[A-Z\d-]+$/.test(token.value))
      return { value: token.value, label: null, confidence: 0.7 }
    if (below !== undefined || has(0, 'other') || !has(0, 'strong', 'weak')) return null
    return { value: token.value, label: null, confidence: has(0, 'strong') ? 0.8 : 0.65 }
  }

  /** What a line says of a number below it: the surest word for a code, or at its end the word for something else. */
  function announcement(index: number): Mark | undefined {
    const marks = marksAt(index)
    const line = masked(lines[index] ?? '')
    const endsInGoal = marks.at(-1)?.tier === 'goal'
    return (
      marks.findLast(({ tier }) => tier === 'strong') ??
      marks.findLast(({ tier, end }) => tier === 'weak' && (endsInGoal || phrase.purpose.test(line.slice(end)))) ??
      marks.findLast(({ tier, end }) => tier === 'weak' || (tier === 'other' && line.length - end <= reach.other))
    )
  }

  /** "Type this into the window where you sign in:", "Sign in with the six digits below.", "Open the app and enter". */
  function isAskedFor(index: number): boolean {
    const marks = marksAt(index)
    const verb = marks.findLast(({ tier }) => tier === 'enter' || tier === 'typed')
    const endsInVerb = verb?.tier === 'enter' && verb.end === lines[index]?.length
    const isAsking = verb !== undefined && (endsInVerb || /[:：に]$/.test(lines[index] ?? '') || has(index, 'goal'))
    // "To pair your device (serial number 20) enter", but not "Enter your serial number".
    const isAnother = marks.some(
      ({ tier, start }) => tier === 'sale' || (tier === 'other' && start >= (verb?.start ?? 0)),
    )
    if (!(isAsking || has(index, 'figures')) || isAnother) return false
    return [index, index - 1, index - 2, index + 2, 0].some((near) => near >= 0 && has(near, 'goal', 'strong', 'weak'))
  }

  function announced(index: number, mark: Mark, token: Token, confidence: number): Code | null {
    if ((token.kind === 'year' || isOfBothCases(token)) && mark.tier !== 'strong') return null
    return { value: token.value, label: labelOf(masked(lines[index] ?? ''), mark, null), confidence }
  }
}

const labelCharsMax = 100

/** The sentence that the mark stands in, as far as the token. */
function labelOf(line: string, mark: Mark, token: Token | null): string | null {
  const head = line.slice(token !== null && token.end <= mark.start ? token.end : 0, mark.start)
  const tail = line.slice(mark.end, token !== null && token.start >= mark.end ? token.start : undefined)
  const begin = head.split(phrase.sentenceEnd).at(-1) ?? ''
  const words = begin + line.slice(mark.start, mark.end) + (tail.split(phrase.sentenceEnd)[0] ?? '')
  const label = words.replace(/\s+/g, ' ').replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')
  return [...label].slice(0, labelCharsMax).join('') || null
}
