/**
 * Cues: the words in a line that announce a code, a link or something else. Patterns are looked up by the two characters
 * they begin with, so that a word that begins none costs almost nothing.
 */

import { languages } from './languages.ts'
import { beginningsOf } from './pattern-beginnings.ts'
import type { Vocabulary } from './vocabulary.ts'

/** What a cue means: the list of the vocabulary that it comes from. */
export type CueKind = keyof Vocabulary

/** Words of one kind, from `start` to `end` (exclusive) of a line (UTF-16 offsets). */
export type Cue = { readonly kind: CueKind; readonly start: number; readonly end: number }

/** The cues around codes in a line, in order; they do not overlap. Linear. Never throws. */
export const codeCuesOf = cueFinder('neutral', 'other', 'strong', 'sale', 'weak', 'figures', 'typed', 'enter', 'goal')
/** The cues in and around links, in order; they do not overlap. Linear. Never throws. */
export const linkCuesOf = cueFinder('leave', 'confirm', 'login')

/** Words. Those of ASCII letters alone are tried first, because they are found in half the time. */
const words = /[a-z0-9]+(?![a-z0-9\u0080-\u{10ffff}])|[\p{L}\p{N}]+/gu
/** Scripts written without blanks between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u

/** A German or Dutch compound that no vocabulary lists: "Koppelcode". */
const compound = /^\p{L}{3,}code$/u

/** Finds cues of these kinds in a line; where two begin at the same place, the kind named earlier wins. */
function cueFinder(...kinds: readonly CueKind[]): (line: string) => readonly Cue[] {
  const matchAt = patternMatcher(kinds)
  const hasWeak = kinds.includes('weak')
  return (line) => {
    const cues: Cue[] = []
    const text = lowered(line)
    let end = 0
    for (const { 0: word, index } of text.matchAll(words)) {
      // A cue begins at the start of a word, but in a script without blanks it may begin anywhere.
      const last = unspaced.test(word) ? index + word.length - 1 : index
      for (let at = Math.max(index, end); at <= last; at++) {
        const cue = matchAt(text, at)
        if (cue === null) {
          if (at === index && hasWeak && compound.test(word))
            cues.push({ kind: 'weak', start: at, end: at + word.length })
          continue
        }
        end = cue.end
        if (cue.kind !== 'neutral') cues.push(cue)
        at = end - 1
      }
    }
    return cues
  }
}

/**
 * Returns a function that finds a cue of these kinds that begins exactly at an offset. The patterns are gathered with the first line,
 * because many processes read none; each regular expression is made when first needed.
 */
function patternMatcher(kinds: readonly CueKind[]): (text: string, at: number) => Cue | null {
  let sources: Sources | undefined
  const patterns = new Map<string, RegExp>()
  const patternFor = (beginning: string): RegExp | undefined => {
    const known = patterns.get(beginning)
    if (known !== undefined) return known
    sources ??= sourcesByBeginning(kinds)
    const source = sources.get(beginning)
    if (source === undefined) return undefined
    const groups = [...source].map(([kind, words]) => `(?<${kind}>(?:${words.join('|')})${wordEnd})`)
    const pattern = new RegExp(groups.join('|'), 'yu')
    patterns.set(beginning, pattern)
    return pattern
  }
  return (text, at) => {
    const pattern = patternFor(text.slice(at, at + 2))
    if (pattern === undefined) return null
    pattern.lastIndex = at
    const match = pattern.exec(text)
    const kind = match === null ? undefined : kinds.find((each) => match.groups?.[each] !== undefined)
    return match === null || kind === undefined ? null : { kind, start: at, end: at + match[0].length }
  }
}

/** A word ends where no letter of a spaced script follows. */
const wordEnd = '(?![\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}])'

/** The line in lower case, with every letter at the offset of its capital. */
function lowered(line: string): string {
  const lower = line.toLowerCase()
  if (lower.length === line.length) return lower
  return Array.from(line, (char) => (char.toLowerCase().length === char.length ? char.toLowerCase() : char)).join('')
}

type Sources = Map<string, Map<CueKind, string[]>>

/** The pattern sources of all languages, by the two characters that their matches begin with, and by kind. */
function sourcesByBeginning(kinds: readonly CueKind[]): Sources {
  const sources: Sources = new Map()
  for (const kind of kinds)
    for (const vocabulary of Object.values(languages))
      for (const words of vocabulary[kind] ?? []) addWords(sources, kind, words)
  return sources
}

function addWords(sources: Sources, kind: CueKind, words: string): void {
  const source = words.replaceAll('~', '\\p{L}*').replaceAll(' ', '\\s')
  for (const beginning of beginningsOf(words)) {
    const byKind = sources.get(beginning) ?? new Map<CueKind, string[]>()
    byKind.set(kind, [...(byKind.get(kind) ?? []), source])
    sources.set(beginning, byKind)
  }
}
