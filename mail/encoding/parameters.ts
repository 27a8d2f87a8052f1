import { limits } from '../limits.ts'
import { decodeCharset } from './charset.ts'
import { decodeWords } from './header-words.ts'

/** A value with parameters, as in Content-Type: `value` lower-case, parameter names lower-case, values decoded. */
export type Parameterised = { readonly value: string; readonly params: ReadonlyMap<string, string> }

/**
 * Reads `value; name=text; name*0*=utf-8''...` (RFC 2045 5.1, RFC 2231). Tolerates missing quotes, encoded words
 * inside quotes, a missing value (then ''), and a value that is followed by a comma, or by nothing, instead of `;`. An RFC 2231
 * form outweighs the plain parameter of the same name. At most `parametersMax` parameters; the rest is ignored. Linear. Never throws.
 */
export function parseParameters(text: string): Parameterised {
  const { value, end } = readValue(text)
  const params = new Map<string, string>()
  const sections = new Map<string, Section[]>()
  let position = end
  for (let count = 0; position < text.length && count < limits.parametersMax; count++) {
    const found = readParameter(text, position + 1)
    position = found.next
    if (found.name === '') continue
    const star = found.name.indexOf('*')
    if (star < 0) {
      if (!params.has(found.name))
        params.set(found.name, isFileName(found.name) ? decodeWords(found.value) : found.value)
      continue
    }
    const base = found.name.slice(0, star)
    const list = sections.get(base) ?? []
    list.push({ suffix: found.name.slice(star), value: found.value })
    sections.set(base, list)
  }
  for (const [name, list] of sections) {
    const joined = joinSections(list)
    if (joined !== null) params.set(name, joined)
  }
  return { value, params }
}

/** The value before the parameters, lower-case and without comments; `end` is the index before the first parameter. */
function readValue(text: string): { readonly value: string; readonly end: number } {
  const start = comments.exec(text)?.[0].length ?? 0
  if (/^[\w*-]{1,40}\s*=/.test(text.slice(start, start + 60))) return { value: '', end: start - 1 }
  const end = nextOf(text, start, ';', ',')
  const value = text.slice(start, end)
  const word = value.replace(/[\s(].*$/s, '')
  const isFollowed = /^\s+[\w*-]{1,40}\s*=/.test(value.slice(word.length, word.length + 60))
  return { value: word.toLowerCase(), end: isFollowed ? start + word.length : end }
}

/** Leading comments (RFC 5322 3.2.2) that do not contain others. */
const comments = /^\s*(?:\([^()]*\)\s*)*/

type Section = { readonly suffix: string; readonly value: string }

// RFC 2047 5 forbids encoded words in parameters, but file names have them all the same.
function isFileName(parameter: string): boolean {
  return parameter === 'name' || parameter.startsWith('filename') || parameter.startsWith('name*')
}

function readParameter(text: string, from: number): { name: string; value: string; next: number } {
  const stop = nextOf(text, from, '=', ';')
  const name = text.slice(from, stop).trim().toLowerCase()
  if (text[stop] !== '=') return { name: '', value: '', next: stop }
  let start = stop + 1
  while (text[start] === ' ' || text[start] === '\t') start++
  if (text[start] === '"') {
    const { value, next } = readQuoted(text, start, isFileName(name))
    return { name, value, next: nextOf(text, next, ';', ';') }
  }
  const next = plainEnd(text, start)
  const value = text.slice(start, next).trim()
  // File names are often unquoted though they contain blanks; in other parameters a blank ends the value.
  return { name, value: isFileName(name) ? value : value.replace(/\s.*$/s, ''), next }
}

/** Reads a quoted string. In names like `C:\new.txt` a backslash counts only before a quote or a backslash. */
function readQuoted(text: string, start: number, isName: boolean): { value: string; next: number } {
  let end = start + 1
  while (end < text.length && text[end] !== '"') end += text[end] === '\\' && /["\\]/.test(text[end + 1] ?? '') ? 2 : 1
  return { value: text.slice(start + 1, end).replace(isName ? /\\(["\\])/g : /\\(.)/g, '$1'), next: end + 1 }
}

function plainEnd(text: string, from: number): number {
  return nextOf(text, from, ';', ';')
}

function nextOf(text: string, from: number, one: string, other: string): number {
  let i = from
  while (i < text.length && text[i] !== one && text[i] !== other) i++
  return i
}

// RFC 2231 3 and 4: sections in order of their number, each percent-encoded if its name ends in `*`.
function joinSections(sections: readonly Section[]): string | null {
  const numbered = new Map<number, Section>()
  for (const section of sections) {
    const match = /^\*(?:(\d{1,3})\*?)?$/.exec(section.suffix)
    if (match && !numbered.has(Number(match[1] ?? 0))) numbered.set(Number(match[1] ?? 0), section)
  }
  const chunks: Buffer[] = []
  let charset: string | null = null
  for (let index = 0; ; index++) {
    const section = numbered.get(index)
    if (!section) break
    let value = section.value
    const encoded = section.suffix.endsWith('*')
    const marked = index === 0 && encoded ? /^([^']*)'[^']*'(.*)$/s.exec(value) : null
    if (marked) {
      charset = marked[1] || null
      value = marked[2] ?? ''
    }
    chunks.push(encoded ? percentDecoded(value) : Buffer.from(value))
  }
  return chunks.length === 0 ? null : decodeWords(decodeCharset(Buffer.concat(chunks), charset))
}

function percentDecoded(text: string): Buffer {
  if (!text.includes('%')) return Buffer.from(text)
  const pieces = text.split(/((?:%[0-9a-fA-F]{2})+)/)
  return Buffer.concat(
    pieces.map((piece, i) => (i % 2 ? Buffer.from(piece.replaceAll('%', ''), 'hex') : Buffer.from(piece))),
  )
}
