/**
 * Finds the words that announce codes, or something else, in a line. Patterns are looked up by the two characters they begin
 * with, so that a word that begins none costs next to nothing.
 */
import { languages, type Words } from './words.ts'

export type Tier = keyof Words

export type Mark = { readonly tier: Tier; readonly start: number; readonly end: number }

/** Scripts written without blanks between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u

/** The words around codes in a line, in order; they do not overlap. */
export const marksOf = finder('neutral', 'other', 'strong', 'sale', 'weak', 'figures', 'typed', 'enter', 'goal')
/** The words of links and around them. */
export const linkMarksOf = finder('leave', 'confirm', 'login')

/** A word of German or Dutch that nobody has listed: "Koppelcode". */
const compound = /^\p{L}{3,}code$/u

/** Earlier tiers win where two begin at the same place. */
function finder(...tiers: readonly Tier[]): (line: string) => readonly Mark[] {
  const sources = new Map<string, Map<Tier, string[]>>()
  for (const tier of tiers)
    for (const language of Object.values(languages))
      for (const words of language[tier] ?? []) note(sources, tier, words)
  const patterns = new Map<string, RegExp>()
  const hasWeak = tiers.includes('weak')

  function patternAt(key: string): RegExp | undefined {
    const source = sources.get(key)
    if (source === undefined) return undefined
    let pattern = patterns.get(key)
    if (pattern === undefined) {
      const groups = [...source].map(([tier, words]) => `(?<${tier}>(?:${words.join('|')})${ending})`)
      pattern = new RegExp(groups.join('|'), 'yu')
      patterns.set(key, pattern)
    }
    return pattern
  }

  return (line) => {
    const marks: Mark[] = []
    const text = lowered(line)
    let end = 0
    for (const { 0: word, index } of text.matchAll(/[\p{L}\p{N}]+/gu)) {
      // A word of blank-less script may begin anywhere.
      const last = unspaced.test(word) ? index + word.length - 1 : index
      for (let at = Math.max(index, end); at <= last; at++) {
        const pattern = patternAt(text.slice(at, at + 2))
        if (pattern !== undefined) pattern.lastIndex = at
        const match = pattern?.exec(text) ?? null
        if (match === null && at === index && hasWeak && compound.test(word))
          marks.push({ tier: 'weak', start: at, end: at + word.length })
        if (match === null) continue
        const tier = tiers.find((each) => match.groups?.[each] !== undefined)
        if (tier === undefined) continue
        end = at + match[0].length
        if (tier !== 'neutral') marks.push({ tier, start: at, end })
        at = end - 1
      }
    }
    return marks
  }
}

/** A word ends where no letter of a spaced script follows. */
const ending = '(?![\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}])'

/** Small letters, each in the place of its capital. */
function lowered(line: string): string {
  const lower = line.toLowerCase()
  if (lower.length === line.length) return lower
  return Array.from(line, (char) => (char.toLowerCase().length === char.length ? char.toLowerCase() : char)).join('')
}

function note(sources: Map<string, Map<Tier, string[]>>, tier: Tier, words: string): void {
  const source = words.replaceAll('~', '\\p{L}*').replaceAll(' ', '\\s')
  for (const key of beginnings(words)) {
    const byTier = sources.get(key) ?? new Map<Tier, string[]>()
    byTier.set(tier, [...(byTier.get(tier) ?? []), source])
    sources.set(key, byTier)
  }
}

/** The first two characters of whatever a pattern matches. It may have groups, sets, `?` and `*`, and looks around. */
function beginnings(words: string): readonly string[] {
  let at = 0
  const join = (heads: ReadonlySet<string>, tails: ReadonlySet<string>) =>
    new Set(
      [...heads].flatMap((head) => (head.length > 1 ? [head] : [...tails].map((tail) => (head + tail).slice(0, 2)))),
    )

  function alternatives(): ReadonlySet<string> {
    const all = new Set<string>()
    let heads: ReadonlySet<string> = new Set([''])
    for (; at < words.length && words[at] !== ')'; ) {
      if (words[at] === '|') {
        for (const head of heads) all.add(head)
        heads = new Set([''])
        at += 1
      } else heads = join(heads, part())
    }
    return new Set([...all, ...heads])
  }

  function part(): ReadonlySet<string> {
    const found = atom()
    if (words[at] !== '?' && words[at] !== '*') return found
    at += 1
    return new Set([...found, ''])
  }

  function atom(): ReadonlySet<string> {
    if (words.startsWith('(?<=', at) || words.startsWith('(?=', at)) {
      at = words.indexOf(')', at) + 1
      return new Set([''])
    }
    if (words.startsWith('(?:', at)) {
      at += 3
      const inner = alternatives()
      at += 1
      return inner
    }
    if (words[at] === '[') {
      const close = words.indexOf(']', at)
      const set = new Set(words.slice(at + 1, close))
      at = close + 1
      return set
    }
    at += 1
    return new Set([words[at - 1] ?? ''])
  }

  return [...alternatives()].filter((key) => key.length === 2)
}
