/**
 * Runs regular expressions in the syntax of mongod's PCRE on the JS engine, in Unicode mode. Syntax that JS does not share is
 * translated (inline options at the start, `\A \z \Z`, `\Q..\E`, `\h`, `\x{..}`, `(?P<name>`, POSIX classes, option x) or refused by
 * the JS compiler. As in PCRE, only a newline ends a line, and `\s` is ASCII. If a group sets option m or s for itself, `.`, `^` and
 * `$` behave as in JS.
 */
import { BSONRegExp } from 'bson'
import { EngineError } from '../errors.ts'

/** mongod's limit on the length of a pattern; it bounds compile time. */
const patternBytesMax = 32_764

/**
 * Compiles `pattern`. Options: i, m, s, x, and u (always on). Fails with code 51091 for an invalid pattern, 51108 for an
 * unknown option.
 */
export function compileRegex({ pattern, options }: BSONRegExp): RegExp {
  if (pattern.includes('\0'))
    throw new EngineError('BadValue', 'Regular expression cannot contain an embedded null byte')
  if (Buffer.byteLength(pattern) > patternBytesMax) throw new EngineError(51091, 'Regular expression is too long')
  const inline = /^\(\?([imsx]+)\)/.exec(pattern)
  const flags = new Set(options + (inline?.[1] ?? ''))
  for (const flag of flags) {
    if (!'imsxu'.includes(flag)) throw new EngineError(51108, `invalid flag in regex options: ${flag}`)
  }
  const body = inline === null ? pattern : pattern.slice(inline[0].length)
  const lines = ownOptions.test(body) ? undefined : flags.has('m') ? anchorsOfLines : anchorsOfText
  const source = translate(body, { extended: flags.has('x'), dotAll: flags.has('s'), lines })
  try {
    return new RegExp(source, `u${['i', 'm', 's'].filter((flag) => flags.has(flag)).join('')}`)
  } catch (error) {
    throw new EngineError(51091, `Regular expression is invalid: ${error instanceof Error ? error.message : 'unknown'}`)
  }
}

/** The regular expression of `$regex` text and `$options`. Fails with code 51108 for an unknown option, BadValue for a null byte. */
export function regexOf(pattern: string, options: string): BSONRegExp {
  const unknown = /[^imsxu]/.exec(options)
  if (unknown) throw new EngineError(51108, `invalid flag in regex options: ${unknown[0]}`)
  if (pattern.includes('\0'))
    throw new EngineError('BadValue', 'Regular expression cannot contain an embedded null byte')
  return new BSONRegExp(pattern, options)
}

/**
 * The literal text that every match begins with, for a pattern that is anchored by `^` or `\A` and has no options but s and u.
 * Undefined if there is none, so that no index range can be used.
 */
export function literalPrefix({ pattern, options }: BSONRegExp): string | undefined {
  if (/[imx]/.test(options)) return undefined
  const start = pattern.startsWith('^') ? 1 : pattern.startsWith('\\A') ? 2 : 0
  // An alternative at any level might make the anchor optional.
  if (start === 0 || pattern.includes('|')) return undefined
  let prefix = ''
  let at = start
  while (at < pattern.length) {
    const literal = /^(?:\\([^A-Za-z0-9\s])|([^\\^$.*+?()[\]{}|]))/u.exec(pattern.slice(at))
    if (literal === null) break
    const after = pattern[at + literal[0].length]
    // A quantifier that allows zero repetitions makes the last character optional.
    if (after === '*' || after === '?' || after === '{') break
    prefix += literal[1] ?? literal[2]
    at += literal[0].length
    if (after === '+') break
  }
  return prefix === '' ? undefined : prefix
}

/** Finds a group that switches option m or s on or off for itself. */
const ownOptions = /\(\?[a-z-]*[ms][a-z-]*:/

type Anchors = { readonly '^': string; readonly $: string }
type Reading = { readonly extended: boolean; readonly dotAll: boolean; readonly lines: Anchors | undefined }

const posixClasses: Readonly<Record<string, string>> = {
  alpha: 'A-Za-z',
  digit: '0-9',
  alnum: 'A-Za-z0-9',
  upper: 'A-Z',
  lower: 'a-z',
  space: '\\t-\\r ',
  blank: ' \\t',
  punct: '!-\\/:-@\\[-`\\{-~',
  xdigit: '0-9A-Fa-f',
  word: '\\w',
}

/** The members of PCRE's classes of all, horizontal and vertical white space. */
const spaces = '\\t-\\r '
const horizontal = '\\t \\xa0\\u1680\\u180e\\u2000-\\u200a\\u202f\\u205f\\u3000'
const vertical = '\\n-\\r\\x85\\u2028\\u2029'

/** The JS equivalents of PCRE escapes outside a class. */
const escapes: Readonly<Record<string, string>> = {
  A: '(?<![\\s\\S])',
  z: '(?![\\s\\S])',
  Z: '(?=\\n?(?![\\s\\S]))',
  h: `[${horizontal}]`,
  v: `[${vertical}]`,
  s: `[${spaces}]`,
  S: `[^${spaces}]`,
  R: `(?:\\r\\n|[${vertical}])`,
  a: '\\x07',
  e: '\\x1b',
}

/** The JS equivalents of PCRE escapes inside a class. */
const escapesInClass: Readonly<Record<string, string>> = {
  '-': '\\-',
  h: horizontal,
  v: vertical,
  s: spaces,
  S: '\\0-\\x08\\x0e-\\x1f!-\\u{10ffff}',
}

/** PCRE's `$` also matches before a newline that ends the subject. With option m its `^` does not match after that newline. */
const anchorsOfText: Anchors = { '^': escapes.A!, $: escapes.Z! }
const anchorsOfLines: Anchors = {
  '^': '(?:(?<![\\s\\S])|(?<=\\n)(?=[\\s\\S]))',
  $: '(?=\\n|(?![\\s\\S]))',
}

function translate(pattern: string, reading: Reading): string {
  let out = ''
  let at = 0
  while (at < pattern.length) {
    const [text, next] = translateOne(pattern, at, reading)
    out += text
    at = next
  }
  return out
}

function translateOne(pattern: string, at: number, { extended, dotAll, lines }: Reading): readonly [string, number] {
  const character = String.fromCodePoint(pattern.codePointAt(at)!)
  if (character === '\\') return translateEscape(pattern, at)
  if (character === '[') return translateClass(pattern, at)
  if (extended && /\s/.test(character)) return ['', at + 1]
  if (extended && character === '#') {
    const end = pattern.indexOf('\n', at)
    return ['', end < 0 ? pattern.length : end + 1]
  }
  if (lines !== undefined && (character === '^' || character === '$')) return [lines[character], at + 1]
  if (lines !== undefined && character === '.' && !dotAll) return ['[^\\n]', at + 1]
  if (pattern.startsWith('(?P<', at)) return ['(?<', at + 4]
  if (pattern.startsWith('(?#', at)) return ['', pattern.indexOf(')', at) + 1 || pattern.length]
  const quantifier = textAt(quantifiers, pattern, at)
  if (quantifier !== undefined) return [quantifier, at + quantifier.length]
  // A bracket that closes no class, and a brace that belongs to no quantifier, are literals in PCRE but errors in JS.
  if (']{}'.includes(character)) return [`\\${character}`, at + 1]
  return [character, at + character.length]
}

const quantifiers = /\{\d+(?:,\d*)?\}/y
/** Escapes that include the braces after them: characters by number, and properties. */
const braced = /\\[xpP]\{\w*\}/y
const propertiesOfOneLetter = /\\[pP][A-Z]/y

/** The match of a sticky pattern at a position. */
function textAt(sticky: RegExp, text: string, at: number): string | undefined {
  sticky.lastIndex = at
  return sticky.exec(text)?.[0]
}

function translateEscape(pattern: string, at: number): readonly [string, number] {
  const next = pattern[at + 1]
  if (next === undefined) return ['\\', at + 1]
  if (next === 'Q') {
    const end = pattern.indexOf('\\E', at + 2)
    const literal = pattern.slice(at + 2, end < 0 ? undefined : end)
    return [literal.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), end < 0 ? pattern.length : end + 2]
  }
  if (next === 'E') return ['', at + 2]
  if (Object.hasOwn(escapes, next)) return [escapes[next]!, at + 2]
  return escapedCharacter(pattern, at)
}

/**
 * An escape that means the same outside a class and inside. PCRE allows `\` before any character without special meaning. JS refuses it
 * in Unicode mode, so it is left out.
 */
function escapedCharacter(pattern: string, at: number): readonly [string, number] {
  const whole = textAt(braced, pattern, at)
  if (whole !== undefined) return [whole.replace(/^\\x/, '\\u'), at + whole.length]
  const property = textAt(propertiesOfOneLetter, pattern, at)
  if (property !== undefined) return [`${property.slice(0, 2)}{${property[2]}}`, at + property.length]
  const character = String.fromCodePoint(pattern.codePointAt(at + 1)!)
  const end = at + 1 + character.length
  if (/[A-Za-z0-9^$\\.*+?()[\]{}|/]/.test(character)) return [`\\${character}`, end]
  return [character, end]
}

function translateClass(pattern: string, start: number): readonly [string, number] {
  let out = '['
  let at = start + 1
  if (pattern[at] === '^') {
    out += '^'
    at++
  }
  const first = at
  while (at < pattern.length && (pattern[at] !== ']' || at === first)) {
    const [text, next] = translateInClass(pattern, at)
    out += text
    at = next
  }
  if (at >= pattern.length)
    throw new EngineError(51091, 'Regular expression is invalid: missing terminating ] for character class')
  return [`${out}]`, at + 1]
}

function translateInClass(pattern: string, at: number): readonly [string, number] {
  const posix = /^\[:(\^?)([a-z]+):\]/.exec(pattern.slice(at, at + 16))
  if (posix) {
    const members = Object.hasOwn(posixClasses, posix[2]!) ? posixClasses[posix[2]!] : undefined
    if (members === undefined || posix[1] !== '') {
      throw new EngineError(51091, `Regular expression is invalid: POSIX class ${posix[0]}`)
    }
    return [members, at + posix[0].length]
  }
  const character = String.fromCodePoint(pattern.codePointAt(at)!)
  if (character === '\\') {
    const next = pattern[at + 1] ?? ''
    if (Object.hasOwn(escapesInClass, next)) return [escapesInClass[next]!, at + 2]
    return escapedCharacter(pattern, at)
  }
  return ['[]'.includes(character) ? `\\${character}` : character, at + character.length]
}
