/** Marks the words of a query in a text, and cuts out an excerpt that shows them. */
import { type ParsedQuery, type TextField, textFields } from './query.ts'
import { type Token, tokensOf, type WantedToken } from './tokens.ts'

/** UTF-16 offsets; marks are in order and do not overlap. */
export type Mark = { readonly start: number; readonly end: number }
export type Excerpt = { readonly text: string; readonly marks: readonly Mark[] }

/** What to mark: words and phrases, each in one field or (null) in any. */
export type Marker = { readonly field: TextField | null; readonly tokens: readonly WantedToken[] }

const excerptChars = 200
/** Characters shown before the first match. */
const leadChars = 60
/** The text is searched in pieces, because most matches are near its beginning. */
const pieceChars = 4 * 1024

/** The words and phrases of a query to mark in its results: all but the negated ones. */
export function markersOf(query: ParsedQuery): readonly Marker[] {
  if (query.kind === 'and' || query.kind === 'or') return query.parts.flatMap(markersOf)
  return query.kind === 'words' ? [{ field: query.field, tokens: query.tokens }] : []
}

/** One line with the beginning of the text, or with the part around the first match. Null when nothing matches. */
export function excerptOf(text: string, field: TextField | 'body', markers: readonly Marker[]): Excerpt | null {
  const own = markers.filter((marker) => marker.field === null || marker.field === field)
  if (own.length === 0) return null
  const first = firstMark(text, own)
  if (first === null) return null
  const from = text.length <= excerptChars || first.start <= leadChars ? 0 : boundary(text, first.start - leadChars)
  const line = text
    .slice(from, from + excerptChars * 2)
    .replace(/\s+/g, ' ')
    .trim()
  const cut =
    line.length <= excerptChars
      ? line
      : line
          .slice(0, excerptChars)
          .toWellFormed()
          .replace(/\ufffd$/, '')
  return { text: cut, marks: marksIn(cut, own) }
}

/** Every match in a text. */
function marksIn(text: string, markers: readonly Marker[]): readonly Mark[] {
  const tokens = tokensOf(text)
  const marks: Mark[] = []
  for (const [n] of tokens.entries()) {
    for (const { tokens: wanted } of markers) {
      const mark = markAt(tokens, n, wanted)
      if (mark !== null) marks.push(mark)
    }
  }
  return united(marks)
}

function firstMark(text: string, markers: readonly Marker[]): Mark | null {
  for (let from = 0; from < text.length; ) {
    // Pieces end at a blank, and the next one repeats the last words: a phrase may cross the border.
    const end = from + pieceChars >= text.length ? text.length : boundary(text, from + pieceChars)
    const piece = text.slice(from, Math.min(text.length, end + excerptChars))
    const tokens = tokensOf(piece)
    for (const [n] of tokens.entries()) {
      for (const { tokens: wanted } of markers) {
        const mark = markAt(tokens, n, wanted)
        if (mark !== null) return { start: from + mark.start, end: from + mark.end }
      }
    }
    from = Math.max(end, from + 1)
  }
  return null
}

/** The mark of a sequence of wanted tokens that begins with token `n`, or null. */
function markAt(tokens: readonly Token[], n: number, wanted: readonly WantedToken[]): Mark | null {
  const [begin] = wanted
  const first = tokens[n]!
  if (begin === undefined || !fits(first, begin)) return null
  let last = first
  let next = n
  for (const each of wanted.slice(1)) {
    const at = first.at - begin.at + each.at
    while (next < tokens.length && tokens[next]!.at < at) next += 1
    const token = tokens[next]
    if (token === undefined || token.at !== at || !fits(token, each)) return null
    last = token
  }
  return { start: first.start, end: begin === wanted.at(-1) ? endOf(first, begin) : endOf(last, wanted.at(-1)!) }
}

const fits = (token: Token, { text, prefix }: WantedToken) =>
  prefix ? token.text.startsWith(text) : token.text === text

/** Where the match of a token ends: after its first character if that alone was looked for in a pair. */
function endOf(token: Token, { text, prefix }: WantedToken): number {
  const one = String.fromCodePoint(text.codePointAt(0) ?? 0)
  const isPair = prefix && text === one && token.text.length === token.end - token.start && [...token.text].length <= 2
  return isPair && /^[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}]/u.test(text)
    ? token.start + one.length
    : token.end
}

function united(marks: readonly Mark[]): readonly Mark[] {
  const done: Mark[] = []
  for (const mark of marks.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    const last = done.at(-1)
    if (last !== undefined && mark.start <= last.end)
      done[done.length - 1] = { start: last.start, end: Math.max(last.end, mark.end) }
    else done.push(mark)
  }
  return done
}

/** The beginning of the word at an offset, or near it: never within a character. */
function boundary(text: string, offset: number): number {
  for (let at = offset; at > Math.max(0, offset - 30); at--) if (/\s/.test(text[at - 1] ?? ' ')) return at
  const unit = text.charCodeAt(offset)
  return unit >= 0xdc00 && unit <= 0xdfff ? offset - 1 : offset
}

/** Fields in the order in which matches are shown. */
export const shownFields = [...textFields, 'body'] as const
