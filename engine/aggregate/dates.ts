/** Date expressions, in UTC. A `timezone` other than UTC is refused. */
import { Int32, Long, ObjectId, Timestamp } from 'bson'
import { firstField, isDocument, typeName, type Value } from '../bson/document.ts'
import { isNumber, toInteger } from '../bson/number.ts'
import { EngineError } from '../errors.ts'
import { isNullish, namedParts } from './arguments.ts'
import { shiftDate } from './arithmetic.ts'
import type { Compile, Evaluate, Operator } from './scope.ts'

export const dateOperators: Readonly<Record<string, Operator>> = {
  $year: part((date) => date.getUTCFullYear()),
  $month: part((date) => date.getUTCMonth() + 1),
  $dayOfMonth: part((date) => date.getUTCDate()),
  $hour: part((date) => date.getUTCHours()),
  $minute: part((date) => date.getUTCMinutes()),
  $second: part((date) => date.getUTCSeconds()),
  $millisecond: part((date) => date.getUTCMilliseconds()),
  $dayOfWeek: part((date) => date.getUTCDay() + 1),
  $dayOfYear: part(dayOfYear),
  $dateToString: dateToString,
  $dateAdd: shiftOperator(1),
  $dateSubtract: shiftOperator(-1),
  $dateDiff: dateDiff,
}

const partCodes = { notObject: 40535, unknown: 40535, missing: { date: 40539 } }

/** An operator that reads a part of a date: `{ $year: date }` or `{ $year: { date, timezone } }`. */
function part(read: (date: Date) => number): Operator {
  return (argument, compile, name) => {
    const isNamed = isDocument(argument) && !firstField(argument)?.startsWith('$')
    const parts = isNamed ? namedParts(argument, name, ['timezone'], partCodes) : undefined
    refuseZone(parts?.timezone)
    const date = compile(parts?.date ?? singleArgument(argument, name))
    return (context) => {
      const value = date(context)
      return isNullish(value) ? null : new Int32(read(needDate(value)))
    }
  }
}

function singleArgument(argument: Value, name: string): Value {
  if (!Array.isArray(argument)) return argument
  if (argument.length !== 1)
    throw new EngineError(
      40536,
      `${name} accepts exactly one argument if given an array, but was given ${argument.length}`,
    )
  return argument[0]!
}

const utcNames: readonly string[] = ['UTC', 'GMT', 'Z', '+00', '+0000', '+00:00', 'Etc/UTC']

function refuseZone(zone: Value | undefined): void {
  if (zone === undefined || zone === null || (typeof zone === 'string' && utcNames.includes(zone))) return
  throw new EngineError(40485, 'the embedded engine knows no time zone but UTC')
}

function needDate(value: Value): Date {
  if (value instanceof Date) return value
  if (value instanceof ObjectId) return value.getTimestamp()
  if (value instanceof Timestamp) return new Date(value.t * 1000)
  throw new EngineError(16006, `can't convert from BSON type ${typeName(value)} to Date`)
}

function dayOfYear(date: Date): number {
  return Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000) + 1
}

const specifiers: Readonly<Record<string, (date: Date) => string>> = {
  Y: (date) => padded(date.getUTCFullYear(), 4),
  m: (date) => padded(date.getUTCMonth() + 1, 2),
  d: (date) => padded(date.getUTCDate(), 2),
  H: (date) => padded(date.getUTCHours(), 2),
  M: (date) => padded(date.getUTCMinutes(), 2),
  S: (date) => padded(date.getUTCSeconds(), 2),
  L: (date) => padded(date.getUTCMilliseconds(), 3),
  j: (date) => padded(dayOfYear(date), 3),
  w: (date) => String(date.getUTCDay() + 1),
  u: (date) => String(date.getUTCDay() || 7),
  z: () => '+0000',
  Z: () => '0',
  '%': () => '%',
}

function padded(value: number, width: number): string {
  return String(value).padStart(width, '0')
}

const toStringCodes = { notObject: 18629, unknown: 18534, missing: { date: 18628 } }

function dateToString(argument: Value, compile: Compile, name: string): Evaluate {
  const parts = namedParts(argument, name, ['format', 'timezone', 'onNull'], toStringCodes)
  refuseZone(parts.timezone)
  const date = compile(parts.date!)
  const onNull = parts.onNull === undefined ? undefined : compile(parts.onNull)
  const format = parts.format ?? '%Y-%m-%dT%H:%M:%S.%LZ'
  if (typeof format !== 'string' || format.startsWith('$'))
    throw new EngineError(18533, "$dateToString requires that 'format' be a string, without reference to a field")
  for (const [whole, letter] of format.matchAll(/%(.?)/gs)) {
    if (!Object.hasOwn(specifiers, letter!))
      throw new EngineError(18536, `Invalid format character '${whole}' in format string`)
  }
  return (context) => {
    const value = date(context)
    if (isNullish(value)) return onNull === undefined ? null : onNull(context)
    const read = needDate(value)
    return format.replace(/%(.)/gs, (_, letter: string) => specifiers[letter]!(read))
  }
}

const unitMs: Readonly<Record<string, number>> = {
  week: 604_800_000,
  day: 86_400_000,
  hour: 3_600_000,
  minute: 60_000,
  second: 1000,
  millisecond: 1,
}
const unitMonths: Readonly<Record<string, number>> = { year: 12, quarter: 3, month: 1 }

function needUnit(value: Value | undefined, name: string): string {
  if (typeof value === 'string' && (Object.hasOwn(unitMs, value) || Object.hasOwn(unitMonths, value))) return value
  throw new EngineError('FailedToParse', `${name} parameter 'unit' value cannot be recognized as a time unit`)
}

const shiftCodes = {
  notObject: 5166400,
  unknown: 5166401,
  missing: { startDate: 5166402, unit: 5166402, amount: 5166402 },
}

function shiftOperator(sign: 1 | -1): Operator {
  return (argument, compile, name) => {
    const parts = namedParts(argument, name, ['timezone'], shiftCodes)
    refuseZone(parts.timezone)
    const [start, unit, amount] = [parts.startDate!, parts.unit!, parts.amount!].map((value) => compile(value)) as [
      Evaluate,
      Evaluate,
      Evaluate,
    ]
    return (context) => {
      const [date, by, count] = [start(context), unit(context), amount(context)]
      if (isNullish(date) || isNullish(by) || isNullish(count)) return null
      const steps = isNumber(count) ? toInteger(count) : undefined
      if (steps === undefined) throw new EngineError(5166405, `${name} expects integer amount of time units`)
      return moved(needDate(date), needUnit(by, name), Number(steps) * sign)
    }
  }
}

function moved(date: Date, unit: string, steps: number): Date {
  const fixed = unitMs[unit]
  if (fixed !== undefined) return shiftDate(date, steps * fixed)
  // Months differ in length: a day that the resulting month does not have becomes its last day.
  const months = date.getUTCFullYear() * 12 + date.getUTCMonth() + steps * unitMonths[unit]!
  const year = Math.floor(months / 12)
  const month = months - year * 12
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  const result = new Date(date)
  result.setUTCFullYear(year, month, Math.min(date.getUTCDate(), last))
  return shiftDate(result, 0)
}

const diffCodes = {
  notObject: 5166301,
  unknown: 5166302,
  missing: { startDate: 5166303, endDate: 5166303, unit: 5166303 },
}

/** The number of unit boundaries between two dates; weeks begin on Sunday (`startOfWeek` is refused). */
function dateDiff(argument: Value, compile: Compile, name: string): Evaluate {
  const parts = namedParts(argument, name, ['timezone'], diffCodes)
  refuseZone(parts.timezone)
  const [start, end, unit] = [parts.startDate!, parts.endDate!, parts.unit!].map((value) => compile(value)) as [
    Evaluate,
    Evaluate,
    Evaluate,
  ]
  return (context) => {
    const [from, to, by] = [start(context), end(context), unit(context)]
    if (isNullish(from) || isNullish(to) || isNullish(by)) return null
    const unitName = needUnit(by, name)
    return Long.fromNumber(boundary(needDate(to), unitName) - boundary(needDate(from), unitName))
  }
}

function boundary(date: Date, unit: string): number {
  const months = unitMonths[unit]
  if (months !== undefined) return Math.floor((date.getUTCFullYear() * 12 + date.getUTCMonth()) / months)
  // 1970-01-01 was a Thursday, four days after the start of its week.
  const offset = unit === 'week' ? 4 * 86_400_000 : 0
  return Math.floor((date.getTime() + offset) / unitMs[unit]!)
}
