/** Finds what the matches of a vocabulary's regular expression can begin with. */

type PatternReader = { readonly pattern: string; at: number }

/**
 * The first two characters of everything a pattern can match, each pair once. The pattern may have groups without names, sets,
 * `?`, `*` and lookarounds; the vocabulary uses nothing else. Never throws.
 */
export function beginningsOf(pattern: string): readonly string[] {
  return [...readAlternatives({ pattern, at: 0 })].filter((beginning) => beginning.length === 2)
}

/** Reads alternatives up to the end of the pattern or of the group. */
function readAlternatives(reader: PatternReader): ReadonlySet<string> {
  const all = new Set<string>()
  let beginnings: ReadonlySet<string> = nothing
  while (reader.at < reader.pattern.length && reader.pattern[reader.at] !== ')') {
    if (reader.pattern[reader.at] === '|') {
      for (const beginning of beginnings) all.add(beginning)
      beginnings = nothing
      reader.at += 1
    } else beginnings = joined(beginnings, readItem(reader))
  }
  return new Set([...all, ...beginnings])
}

/** Reads one item with its `?` or `*`, which make it optional. */
function readItem(reader: PatternReader): ReadonlySet<string> {
  const found = readAtom(reader)
  const sign = reader.pattern[reader.at]
  if (sign !== '?' && sign !== '*') return found
  reader.at += 1
  return new Set([...found, ''])
}

/** Reads a lookaround, which matches no characters; a group; a set of characters; or one character. */
function readAtom(reader: PatternReader): ReadonlySet<string> {
  const { pattern, at } = reader
  if (pattern.startsWith('(?<=', at) || pattern.startsWith('(?=', at)) {
    reader.at = pattern.indexOf(')', at) + 1
    return nothing
  }
  if (pattern.startsWith('(?:', at)) {
    reader.at += 3
    const inner = readAlternatives(reader)
    reader.at += 1
    return inner
  }
  if (pattern[at] === '[') {
    const close = pattern.indexOf(']', at)
    reader.at = close + 1
    return new Set(pattern.slice(at + 1, close))
  }
  reader.at += 1
  return new Set([pattern[at] ?? ''])
}

/** Extends each beginning that still lacks a character by everything that may follow it. */
function joined(beginnings: ReadonlySet<string>, following: ReadonlySet<string>): ReadonlySet<string> {
  return new Set(
    [...beginnings].flatMap((head) =>
      head.length > 1 ? [head] : [...following].map((tail) => (head + tail).slice(0, 2)),
    ),
  )
}

const nothing: ReadonlySet<string> = new Set([''])
