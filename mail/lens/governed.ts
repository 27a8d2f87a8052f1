/** Which role a value has in its sentence: that of the word which governs it most closely, by distance and what stands between. */
import type { LensLanguage } from './locale.ts'
import type { Role } from './roles.ts'

export type Span = { readonly start: number; readonly end: number }

export type Governed = { readonly role: string; readonly strength: number }

/** What a word right beside the value counts, and what distance and marks between take of it. */
const weights = {
  beside: 10,
  /** Letters between that take one point; digits take none. */
  lettersPerPoint: 5.6,
  /** A comma, bracket or dash between. */
  mark: 1.5,
  /** The end of a clause between. */
  clause: 4,
  /** Another value of the kind between. */
  other: 4,
  /** Words after the value govern less. */
  after: 2,
  /** A word right behind the value says more: "40 € VAT". */
  rightBehind: 1,
  /** Words that in one language alone say it, most of them prepositions. */
  own: 2.5,
} as const

/** Words further away govern nothing. */
const reachChars = 110

/** How strongly each role governs a value in a folded sentence, the strongest first. Linear in what is near. */
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

/** There are as many as roles and languages. */
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
