/** Decides which role a value has in its sentence: that of the word that governs it most closely, by distance and by what is between. */
import type { LensLanguage } from './locale.ts'
import type { Role } from './roles.ts'

export type Span = { readonly start: number; readonly end: number }

export type Governed = { readonly role: string; readonly strength: number }

/** The points of a word right beside the value, and what distance, marks and position change of them. */
const weights = {
  beside: 10,
  /** The number of letters between that cost one point; digits cost nothing. */
  lettersPerPoint: 5.6,
  /** Deducted for each comma, bracket or dash between. */
  mark: 1.5,
  /** Deducted for each end of a clause between. */
  clause: 4,
  /** Deducted for each other value of the kind between. */
  other: 4,
  /** Deducted for words after the value. */
  after: 2,
  /** Added for a word right after the value, in roles whose words come there: "40 € VAT". */
  rightBehind: 1,
  /** Deducted for words that have this role in one language only, most of them prepositions. */
  own: 2.5,
} as const

/** Words further away do not govern a value. */
const reachChars = 110

/** Returns how strongly each role governs a value in a folded sentence, the strongest first. Looks at nearby text only. */
export function governedBy(
  folded: string,
  value: Span,
  {
    others,
    roles,
    language,
  }: { readonly others: readonly Span[]; readonly roles: readonly Role[]; readonly language: LensLanguage },
): readonly Governed[] {
  const from = Math.max(0, value.start - reachChars)
  const to = Math.min(folded.length, value.end + reachChars)
  const near = folded.slice(from, to)
  return roles
    .map((role) => ({ role: role.name, strength: strongest(near, from, value, others, { role, language }) }))
    .filter(({ strength }) => strength > 0)
    .toSorted((a, b) => b.strength - a.strength)
}

function strongest(
  near: string,
  from: number,
  value: Span,
  others: readonly Span[],
  { role, language }: { readonly role: Role; readonly language: LensLanguage },
): number {
  const pattern = patternOf(role, language)
  let best = 0
  let hasWord = false
  for (const match of near.matchAll(pattern)) {
    const start = from + match.index
    const end = start + match[0].length
    const isBefore = end <= value.start
    if (!isBefore && start < value.end) continue
    const gap = isBefore ? { start: end, end: value.start } : { start: value.end, end: start }
    const between = near.slice(gap.start - from, gap.end - from)
    const crossed = others.filter((other) => other.start >= gap.start && other.end <= gap.end).length
    if (match.groups?.own === undefined) hasWord = true
    const strength =
      weights.beside -
      between.replace(/[\d\s]+|\.{3,}/g, '').length / weights.lettersPerPoint -
      (between.match(/[,()–—]/g)?.length ?? 0) * weights.mark -
      (between.match(/[;.!?](?=\s)|\n/g)?.length ?? 0) * weights.clause -
      crossed * weights.other -
      (isBefore
        ? 0
        : role.isBehind && (role.isBelow ? /^\s?$/ : /^[^\S\n]?$/).test(between)
          ? -weights.rightBehind
          : weights.after) -
      (match.groups?.own === undefined ? 0 : weights.own)
    best = Math.max(best, strength)
  }
  return role.needsWord && !hasWord ? 0 : best
}

const patterns = new Map<string, RegExp>()

/** Cached for each role and language. */
function patternOf({ name, stems, words, own = {} }: Role, language: LensLanguage): RegExp {
  const key = `${name} ${language}`
  const known = patterns.get(key)
  if (known !== undefined) return known
  const whole = words === undefined ? '' : `|(?:${words})(?![\\p{L}\\p{N}])`
  const weak = own[language] === undefined ? '' : `|(?<own>(?:${own[language]})(?![\\p{L}\\p{N}]))`
  const made = new RegExp(`(?<![\\p{L}\\p{N}])(?:(?:${stems})\\p{L}*${whole}${weak})`, 'gu')
  patterns.set(key, made)
  return made
}
