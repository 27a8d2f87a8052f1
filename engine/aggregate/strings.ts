/** String expressions. Operators with "CP" in their names count code points, those with "Bytes" count UTF-8 bytes. */
import { BSONRegExp, Int32, Timestamp } from 'bson'
import { compareText } from '../bson/compare.ts'
import { isDocument, typeName, type Value } from '../bson/document.ts'
import { isNumber } from '../bson/number.ts'
import { EngineError } from '../errors.ts'
import { compileRegex, regexOf } from '../match/regex.ts'
import { isNullish, namedParts, needInt, needText, positional } from './arguments.ts'
import type { Compile, Evaluate, Operator } from './scope.ts'

export const stringOperators: Readonly<Record<string, Operator>> = {
  $concat: positional(0, Infinity, concat),
  $toLower: positional(1, 1, ([value]) => asText(value).replace(/[A-Z]+/g, (run) => run.toLowerCase())),
  $toUpper: positional(1, 1, ([value]) => asText(value).replace(/[a-z]+/g, (run) => run.toUpperCase())),
  $strcasecmp: positional(
    2,
    2,
    ([a, b]) => new Int32(Math.sign(compareText(asText(a).toUpperCase(), asText(b).toUpperCase()))),
  ),
  $strLenCP: positional(1, 1, ([value]) => new Int32([...needText(value, '$strLenCP', 34471)].length)),
  $strLenBytes: positional(1, 1, ([value]) => new Int32(Buffer.byteLength(needText(value, '$strLenBytes', 34473)))),
  $substrCP: positional(3, 3, substringOfPoints),
  $substrBytes: positional(3, 3, substringOfBytes),
  $substr: positional(3, 3, substringOfBytes),
  $indexOfCP: positional(2, 4, indexOfPoints),
  $split: positional(2, 2, split),
  $trim: trimOperator(true, true),
  $ltrim: trimOperator(true, false),
  $rtrim: trimOperator(false, true),
  $replaceOne: replaceOperator((text, find, to) => text.replace(find, () => to)),
  $replaceAll: replaceOperator((text, find, to) => text.replaceAll(find, () => to)),
  $regexMatch: regexMatch,
}

function concat(values: readonly (Value | undefined)[]): Value {
  let text = ''
  for (const value of values) {
    if (isNullish(value)) return null
    if (typeof value !== 'string') throw new EngineError(16702, `$concat only supports strings, not ${typeName(value)}`)
    text += value
  }
  return text
}

/** Converts values that string operators accept besides strings: numbers, dates and timestamps as text, null as empty. */
function asText(value: Value | undefined): string {
  if (isNullish(value)) return ''
  if (typeof value === 'string') return value
  if (isNumber(value)) return String(value)
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Timestamp) return `Timestamp(${value.t}, ${value.i})`
  throw new EngineError(16007, `can't convert from BSON type ${typeName(value)} to String`)
}

function substringOfPoints([value, from, count]: readonly (Value | undefined)[]): Value {
  const start = needInt(from, '$substrCP', 34450)
  const length = needInt(count, '$substrCP', 34452)
  if (start < 0) throw new EngineError(34455, '$substrCP: the starting index must be a non-negative integer')
  if (length < 0) throw new EngineError(34454, '$substrCP: length must be a non-negative integer')
  return [...asText(value)].slice(start, start + length).join('')
}

function substringOfBytes([value, from, count]: readonly (Value | undefined)[]): Value {
  const start = needInt(from, '$substrBytes', 16034)
  const length = needInt(count, '$substrBytes', 16035)
  if (start < 0) throw new EngineError(50752, '$substrBytes: starting index must be non-negative')
  const bytes = Buffer.from(asText(value))
  const end = length < 0 ? bytes.length : Math.min(start + length, bytes.length)
  if (start >= bytes.length) return ''
  if (isInsideCharacter(bytes, start))
    throw new EngineError(28656, '$substrBytes: Invalid range, starting index is a UTF-8 continuation byte.')
  if (isInsideCharacter(bytes, end))
    throw new EngineError(28657, '$substrBytes: Invalid range, ending index is in the middle of a UTF-8 character.')
  return bytes.toString('utf8', start, end)
}

function isInsideCharacter(bytes: Buffer, at: number): boolean {
  return at < bytes.length && (bytes[at]! & 0xc0) === 0x80
}

function indexOfPoints([value, search, from, to]: readonly (Value | undefined)[]): Value {
  if (isNullish(value)) return null
  const points = [...needText(value, '$indexOfCP', 40093)]
  const wanted = [...needText(search, '$indexOfCP', 40094)]
  const start = from === undefined ? 0 : needInt(from, '$indexOfCP', 40096)
  const end = to === undefined ? points.length : needInt(to, '$indexOfCP', 40096)
  if (start < 0 || end < 0) throw new EngineError(40097, '$indexOfCP requires a nonnegative start and end index')
  for (let at = start; at + wanted.length <= Math.min(end, points.length); at++) {
    if (wanted.every((point, index) => points[at + index] === point)) return new Int32(at)
  }
  return new Int32(-1)
}

function split([value, separator]: readonly (Value | undefined)[]): Value {
  if (isNullish(value) || isNullish(separator)) return null
  const text = needText(value, '$split', 40085)
  const by = needText(separator, '$split', 40086)
  if (by === '') throw new EngineError(40087, '$split requires a non-empty separator')
  return text.split(by)
}

const blanks = '\0\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a'

const trimCodes = { notObject: 50696, unknown: 50694, missing: { input: 50695 } }

function trimOperator(left: boolean, right: boolean): Operator {
  return (argument, compile, name) => {
    const parts = namedParts(argument, name, ['chars'], trimCodes)
    const input = compile(parts.input!)
    const characters = parts.chars === undefined ? undefined : compile(parts.chars)
    return (context) => {
      const value = input(context)
      const set = characters === undefined ? blanks : characters(context)
      if (isNullish(value) || isNullish(set)) return null
      const points = [...needText(value, name, 50699)]
      const cut = new Set(needText(set, name, 50700))
      let from = 0
      let to = points.length
      while (left && from < to && cut.has(points[from]!)) from++
      while (right && to > from && cut.has(points[to - 1]!)) to--
      return points.slice(from, to).join('')
    }
  }
}

const replaceCodes = {
  notObject: 51751,
  unknown: 51750,
  missing: { input: 51749, find: 51748, replacement: 51747 },
}

function replaceOperator(replace: (text: string, find: string, to: string) => string): Operator {
  return (argument, compile, name) => {
    const parts = namedParts(argument, name, [], replaceCodes)
    const evaluated = [parts.input!, parts.find!, parts.replacement!].map((part) => compile(part))
    return (context) => {
      const values = evaluated.map((part) => part(context))
      if (values.some(isNullish)) return null
      const [text, find, to] = values.map((value, i) => needText(value, name, 51746 - i)) as [string, string, string]
      return replace(text, find, to)
    }
  }
}

const matchCodes = { notObject: 51103, unknown: 31024, missing: { input: 31022, regex: 31023 } }

/** Compiles a regex operator. A constant pattern is compiled once. */
function regexMatch(argument: Value, compile: Compile, name: string): Evaluate {
  const parts = namedParts(argument, name, ['options'], matchCodes)
  const input = compile(parts.input!)
  const isConstant = !isDocument(parts.regex) && !(typeof parts.regex === 'string' && parts.regex.startsWith('$'))
  const options = parts.options === undefined ? '' : needText(parts.options, `'options' of ${name}`, 51106)
  if (!isConstant)
    throw new EngineError('NotImplemented', `${name} with a computed pattern is not supported by the embedded engine`)
  const regex = compileRegex(patternOf(parts.regex!, options, name))
  return (context) => {
    const value = input(context)
    return isNullish(value) ? false : regex.test(needText(value, name, 51104))
  }
}

function patternOf(regex: Value, options: string, name: string): BSONRegExp {
  if (!(regex instanceof BSONRegExp)) return regexOf(needText(regex, name, 51105), options)
  if (regex.options !== '' && options !== '')
    throw new EngineError(51107, `${name}: found regex options specified in both 'regex' and 'options' fields`)
  return regexOf(regex.pattern, regex.options + options)
}
