/**
 * The language of searches (decisions.md 2, Search grammar).
 *
 *   query  = all *("OR" all)
 *   all    = 1*(["AND"] ["-"] part)
 *   part   = "(" query ")" / [operator ":"] (word / DQUOTE phrase DQUOTE) / operator ":" "(" query ")"
 *
 * A word ends at white space, a quote or a parenthesis; `*` at its end lets the word be longer. Words without letters or digits
 * are ignored. An operator, known or not, is two or more of the letters a to z (also `-` and `_` after the first), a colon, and a
 * value right after it. Every other colon belongs to its word: that of `Re:` before white space,
 * of `https://host`, `std::sort`, `10:30` or `C:\\temp`.
 */
import { limits } from '../limits.ts'
import { type WantedToken, wantedTokens } from './tokens.ts'

/** The fields in which words are looked for. */
export const textFields = ['subject', 'from', 'to', 'cc', 'filename'] as const
export type TextField = (typeof textFields)[number]

export const flags = ['unread', 'read', 'flagged', 'answered'] as const
export type Flag = (typeof flags)[number]

export type ParsedQuery =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly ParsedQuery[] }
  | { readonly kind: 'not'; readonly part: ParsedQuery }
  | Words
  | { readonly kind: 'in' | 'label'; readonly name: string }
  | { readonly kind: 'attachment' }
  | { readonly kind: 'is'; readonly flag: Flag }
  | { readonly kind: 'before' | 'after'; readonly at: Date }
  | { readonly kind: 'larger' | 'smaller'; readonly bytes: number }

/** A word or phrase. `field` is null when it may be anywhere. */
export type Words = {
  readonly kind: 'words'
  readonly field: TextField | null
  readonly text: string
  readonly prefix: boolean
  readonly tokens: readonly WantedToken[]
}

/** Why a query cannot be read, and what to change. */
export type QueryProblem = {
  readonly problem: string
  readonly fix: string
  /** The unknown operator, if that is the problem. */
  readonly operator: string | null
}

/** Reads a query, or returns what is wrong with it. Never throws. */
export function parseQuery(text: string): { readonly query: ParsedQuery } | QueryProblem {
  if ([...text].length > limits.queryCharsMax) return tooLong
  try {
    const reader = { text: text.toWellFormed(), at: 0, terms: 0 }
    const query = readAny(reader, { depth: 0, field: null })
    if (reader.at < reader.text.length) return notOpened
    return query === null ? noWord : { query }
  } catch (error) {
    if (error instanceof Problem) return { problem: error.message, fix: error.fix, operator: error.operator }
    throw error
  }
}

/** The query in its plainest form; reading that gives the same query again. */
export function printQuery(query: ParsedQuery): string {
  switch (query.kind) {
    case 'or':
      return query.parts.map(printPart).join(' OR ')
    case 'and':
      return query.parts.map((part) => printPart(part)).join(' ')
    case 'not':
      return `-${printPart(query.part)}`
    case 'words':
      return `${query.field === null ? '' : `${query.field}:`}${quoted(query.text + (query.prefix ? '*' : ''))}`
    case 'in':
    case 'label':
      return `${query.kind}:${quoted(query.name)}`
    case 'attachment':
      return 'has:attachment'
    case 'is':
      return `is:${query.flag}`
    case 'before':
    case 'after':
      return `${query.kind}:${query.at.toISOString()}`
    case 'larger':
    case 'smaller':
      return `${query.kind}:${query.bytes}`
  }
}

/** Every part of a query that has no parts itself. */
export function leavesOf(query: ParsedQuery): readonly ParsedQuery[] {
  if (query.kind === 'and' || query.kind === 'or') return query.parts.flatMap(leavesOf)
  return query.kind === 'not' ? leavesOf(query.part) : [query]
}

type QueryReader = { readonly text: string; at: number; terms: number }
type Nesting = { readonly depth: number; readonly field: TextField | null }

class Problem extends Error {
  readonly fix: string
  readonly operator: string | null

  constructor(problem: string, fix: string, operator: string | null = null) {
    super(problem)
    this.fix = fix
    this.operator = operator
  }
}

const tooLong: QueryProblem = {
  problem: `it is longer than ${limits.queryCharsMax} characters`,
  fix: 'Look for fewer words.',
  operator: null,
}
const notOpened: QueryProblem = {
  problem: 'a ")" has no "("',
  fix: 'Remove the ")", or put it in quotes to look for it.',
  operator: null,
}
const noWord: QueryProblem = {
  problem: 'there is no word to look for',
  fix: 'Give a word with a letter or digit, or an operator such as is:unread.',
  operator: null,
}
const tooManyTerms = () =>
  new Problem(`it has more than ${limits.queryTermsMax} terms`, 'Look for fewer words, or make several searches.')

export const operatorNames = [
  ...textFields,
  'in',
  'label',
  'has',
  'is',
  'before',
  'after',
  'larger',
  'smaller',
] as const
const operator = new RegExp(`(${operatorNames.join('|')}):`, 'iy')
const operatorLike = /([a-z][a-z_-]+):(?=[^\s:/)])/iy

function readAny(reader: QueryReader, nesting: Nesting): ParsedQuery | null {
  if (nesting.depth > limits.queryDepthMax) {
    throw new Problem(
      `it nests deeper than ${limits.queryDepthMax} levels`,
      'Use fewer parentheses within parentheses.',
    )
  }
  const parts: ParsedQuery[] = []
  for (;;) {
    const { part, empty } = readAll(reader, nesting)
    if (part !== null) parts.push(part)
    const isOr = keywordAt(reader, 'OR')
    if (empty && (isOr || parts.length > 0)) {
      throw new Problem('"OR" needs something on both sides', 'Complete it, or write "or" to look for the word.')
    }
    if (!isOr) return joined('or', parts)
  }
}

/** `empty` says that nothing was written, as opposed to words without letters. */
function readAll(reader: QueryReader, nesting: Nesting): { part: ParsedQuery | null; empty: boolean } {
  const parts: ParsedQuery[] = []
  let empty = true
  for (;;) {
    skipSpace(reader)
    const next = reader.text[reader.at]
    if (next === undefined || next === ')' || isKeyword(reader, 'OR')) break
    if (keywordAt(reader, 'AND')) {
      skipSpace(reader)
      const after = reader.text[reader.at]
      if (empty || after === undefined || after === ')' || isKeyword(reader, 'OR') || isKeyword(reader, 'AND'))
        throw new Problem('"AND" needs something on both sides', 'Complete it, or write "and" to look for the word.')
    }
    empty = false
    const part = readPart(reader, nesting)
    if (part !== null) parts.push(part)
  }
  return { part: joined('and', parts), empty }
}

function readPart(reader: QueryReader, nesting: Nesting): ParsedQuery | null {
  if (reader.text[reader.at] === '-') {
    reader.at += 1
    const next = reader.text[reader.at]
    if (next === undefined || /\s/.test(next) || next === ')') return null
    if (next === '-') return readWords(reader, nesting.field)
    const part = readPart(reader, nesting)
    if (part === null) return null
    return part.kind === 'not' ? part.part : { kind: 'not', part }
  }
  reader.terms += 1
  if (reader.terms > limits.queryTermsMax) throw tooManyTerms()
  if (reader.text[reader.at] === '(') return readGroup(reader, nesting)
  const name = operatorAt(reader)
  if (name === null) {
    refuseUnknownOperator(reader)
    return readWords(reader, nesting.field)
  }
  if (nesting.field !== null) {
    throw new Problem(`"${name}:" cannot be used inside "${nesting.field}:( )"`, `Put "${name}:" before or after it.`)
  }
  const field = textFields.find((each) => each === name)
  if (field === undefined) return readCondition(reader, name)
  if (reader.text[reader.at] === '(') return demand(readGroup(reader, { ...nesting, field }), name)
  return demand(readWords(reader, field), name)
}

function readGroup(reader: QueryReader, { depth, field }: Nesting): ParsedQuery | null {
  reader.at += 1
  const query = readAny(reader, { depth: depth + 1, field })
  if (reader.text[reader.at] !== ')') {
    throw new Problem('a "(" is never closed', 'Add the ")", or put the "(" in quotes to look for it.')
  }
  reader.at += 1
  return query
}

function readWords(reader: QueryReader, field: TextField | null): Words | null {
  const value = readValue(reader)
  const prefix = /[\p{L}\p{M}\p{N}]\*$/u.test(value)
  const text = prefix ? value.slice(0, -1) : value
  const tokens = wantedTokens(text, { prefix })
  if (tokens.length === 0) return null
  const last = tokens.at(-1)
  if (prefix && last?.prefix && isShort(last.text))
    throw new Problem(`"${text}*" is too short`, 'Write at least two letters before the "*".')
  // Each part of a word or phrase is looked up separately.
  reader.terms += tokens.length - 1
  if (reader.terms > limits.queryTermsMax) throw tooManyTerms()
  return { kind: 'words', field, text, prefix, tokens }
}

function readCondition(reader: QueryReader, name: string): ParsedQuery {
  const value = readValue(reader).trim()
  if (value === '')
    throw new Problem(`"${name}:" needs a value`, `Write the value right after the colon, without white space.`)
  switch (name) {
    case 'in':
    case 'label':
      return { kind: name, name: value.normalize('NFC') }
    case 'has':
      if (/^attachments?$/i.test(value)) return { kind: 'attachment' }
      throw new Problem('"has:" accepts only "attachment"', 'Write has:attachment.')
    case 'is': {
      const flag = flags.find((each) => each === value.toLowerCase())
      if (flag === undefined) {
        throw new Problem(
          `"is:" does not accept "${value.slice(0, 50)}"`,
          `Write one of ${flags.map((each) => `is:${each}`).join(', ')}.`,
        )
      }
      return { kind: 'is', flag }
    }
    case 'before':
    case 'after':
      return { kind: name, at: dateOf(value, name) }
    default:
      return { kind: name === 'larger' ? 'larger' : 'smaller', bytes: sizeOf(value, name) }
  }
}

/** A word, or the text between quotes, in which a backslash escapes the next character. */
function readValue(reader: QueryReader): string {
  if (reader.text[reader.at] !== '"') {
    const word = /[^\s()"]*/uy
    word.lastIndex = reader.at
    const [value = ''] = word.exec(reader.text) ?? []
    reader.at += value.length
    return value
  }
  const phrase = /"((?:[^"\\]|\\.)*)"/suy
  phrase.lastIndex = reader.at
  const found = phrase.exec(reader.text)
  if (found === null) {
    throw new Problem('a quote is never closed', 'Add the closing ", or remove the opening one.')
  }
  reader.at += found[0].length
  return (found[1] ?? '').replace(/\\(.)/gsu, '$1')
}

/** Fails for an unknown operator, because a typing error should not silently find nothing. */
function refuseUnknownOperator(reader: QueryReader): void {
  operatorLike.lastIndex = reader.at
  const [, name] = operatorLike.exec(reader.text) ?? []
  if (name === undefined) return
  throw new Problem(`there is no operator "${name}:"`, 'To look for the word itself, put it in quotes.', name)
}

function operatorAt(reader: QueryReader): string | null {
  operator.lastIndex = reader.at
  const found = operator.exec(reader.text)
  if (found === null) return null
  reader.at += found[0].length
  return found[1]?.toLowerCase() ?? null
}

/** Only as a word of its own, in capitals: `or` is a word to look for. */
function isKeyword(reader: QueryReader, keyword: 'AND' | 'OR'): boolean {
  const end = reader.at + keyword.length
  return reader.text.startsWith(keyword, reader.at) && /^(?:$|[\s()])/.test(reader.text.slice(end, end + 1))
}

function keywordAt(reader: QueryReader, keyword: 'AND' | 'OR'): boolean {
  if (!isKeyword(reader, keyword)) return false
  reader.at += keyword.length
  return true
}

function skipSpace(reader: QueryReader): void {
  while (/\s/.test(reader.text[reader.at] ?? '')) reader.at += 1
}

/** Merges a group into a surrounding one of the same kind, where its parentheses change nothing. */
function joined(kind: 'and' | 'or', parts: readonly ParsedQuery[]): ParsedQuery | null {
  const flat = parts.flatMap((part) => (part.kind === kind ? part.parts : [part]))
  return flat.length > 1 ? { kind, parts: flat } : (flat[0] ?? null)
}

function demand(query: ParsedQuery | null, name: string): ParsedQuery {
  if (query === null)
    throw new Problem(`"${name}:" needs a word`, `Write the word right after the colon, without white space.`)
  return query
}

/** One letter of a script with spaces is the beginning of too many words. */
const isShort = (text: string) => [...text].length < 2 && /^[\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{N}]/u.test(text)

/** A day (UTC) or a moment. */
function dateOf(value: string, name: string): Date {
  const day = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})$/.exec(value)
  const [, year = '', month = '', date = ''] = day ?? []
  const text = day === null ? value : `${year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`
  const at = new Date(text)
  const isDay = day !== null && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text)
  const isMoment = day === null && /^\d{4}-\d\d-\d\dT\d\d:\d\d.*(?:Z|[+-]\d\d:?\d\d)$/.test(value)
  if ((!isDay && !isMoment) || Number.isNaN(at.getTime()) || at.getUTCFullYear() > 9999)
    throw new Problem(`"${name}:" needs a day or a moment`, `Write ${name}:2026-01-31 or ${name}:2026-01-31T12:00:00Z.`)
  return at
}

const units: { readonly [unit: string]: number } = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 }

/** Bytes; K, M and G are powers of 1024. */
function sizeOf(value: string, name: string): number {
  const [, number = '', unit = ''] = /^(\d{1,12}(?:\.\d{1,3})?)\s*(?:([kmg])i?)?b?$/i.exec(value) ?? []
  if (number === '') throw new Problem(`"${name}:" needs a size`, `Write ${name}:500K or ${name}:5MB.`)
  return Math.round(Number(number) * (units[unit.toLowerCase()] ?? 1))
}

function printPart(query: ParsedQuery): string {
  return query.kind === 'and' || query.kind === 'or' ? `(${printQuery(query)})` : printQuery(query)
}

const quoted = (text: string) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`
