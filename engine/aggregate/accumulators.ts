/** Accumulators of `$group`; `$sum`, `$avg`, `$min` and `$max` also serve as expressions. */
import { Decimal128, Double, Int32, Long } from 'bson'
import { compareValues } from '../bson/compare.ts'
import { addDecimals, type Decimal, decimalFromDouble, divideDecimals, packDecimal } from '../bson/decimal.ts'
import { copyDocument, isDocument, newDocument, typeName, type Value } from '../bson/document.ts'
import { encodeKey } from '../bson/keys.ts'
import { integerValue, isDouble, isNumber, type NumberValue, toDecimal, toDouble, toInteger } from '../bson/number.ts'
import { roughBytes } from '../bson/size.ts'
import { EngineError } from '../errors.ts'
import { limits } from '../limits.ts'

export type Accumulator = { readonly add: (value: Value | undefined) => void; readonly result: () => Value }

export const accumulators = {
  $sum: () => {
    const sum = numberSum()
    return { add: sum.add, result: sum.total }
  },
  $avg: () => {
    const sum = numberSum()
    return { add: sum.add, result: sum.mean }
  },
  $min: () => extreme(-1),
  $max: () => extreme(1),
  $first: () => nth('first'),
  $last: () => nth('last'),
  $push: pushed,
  $addToSet: distinct,
  $mergeObjects: merged,
} as const satisfies Readonly<Record<string, () => Accumulator>>

/**
 * Sums integers exactly and doubles with a running correction (Neumaier), so that the order of documents hardly matters. Values
 * that are not numbers are ignored.
 */
function numberSum() {
  let integers = 0n
  let doubles = 0
  let correction = 0
  let decimals: Decimal | undefined
  let count = 0
  let seenDouble = false
  let seenLong = false
  const addDouble = (value: number) => {
    const next = doubles + value
    if (Number.isFinite(next))
      correction += Math.abs(doubles) >= Math.abs(value) ? doubles - next + value : value - next + doubles
    doubles = next
    seenDouble = true
  }
  const inDouble = () => doubles + (Number.isFinite(doubles) ? correction : 0) + Number(integers)
  const inDecimal = (start: Decimal) => {
    const whole = addDecimals(start, { special: undefined, coefficient: integers, exponent: 0 })
    return seenDouble ? addDecimals(whole, decimalFromDouble(doubles + correction)) : whole
  }
  const total = (): NumberValue => {
    if (decimals !== undefined) return packDecimal(inDecimal(decimals))
    if (seenDouble) return new Double(inDouble())
    if (BigInt.asIntN(64, integers) !== integers) return new Double(Number(integers))
    return seenLong ? Long.fromBigInt(integers) : (integerValue(integers) ?? new Int32(0))
  }
  const mean = (): Value => {
    if (count === 0) return null
    if (decimals === undefined) return new Double(inDouble() / count)
    return packDecimal(
      divideDecimals(inDecimal(decimals), { special: undefined, coefficient: BigInt(count), exponent: 0 }),
    )
  }
  const add = (value: Value | undefined) => {
    if (!isNumber(value)) return
    count++
    if (value instanceof Decimal128)
      decimals = addDecimals(decimals ?? { special: undefined, coefficient: 0n, exponent: 0 }, toDecimal(value))
    else if (isDouble(value)) addDouble(toDouble(value))
    else {
      integers += toInteger(value)!
      seenLong ||= typeName(value) === 'long'
    }
  }
  return { add, total, mean }
}

/** The smallest (-1) or largest (1) value. Null and missing values are ignored. */
function extreme(sign: 1 | -1): Accumulator {
  let best: Value = null
  return {
    add: (value) => {
      if (value === undefined || value === null) return
      if (best === null || compareValues(value, best) * sign > 0) best = value
    },
    result: () => best,
  }
}

function nth(which: 'first' | 'last'): Accumulator {
  let kept: Value | undefined
  return {
    add: (value) => {
      if (kept === undefined || which === 'last') kept = value ?? null
    },
    result: () => kept ?? null,
  }
}

/** Returns a function that counts the memory of the values an accumulator keeps. It fails with ExceededMemoryLimit. */
function keeper(operator: string): (value: Value) => void {
  let bytes = 0
  return (value) => {
    bytes += roughBytes(value)
    if (bytes > limits.sortBytes)
      throw new EngineError(
        'ExceededMemoryLimit',
        `${operator} used too much memory and cannot spill to disk. Memory limit: ${limits.sortBytes} bytes`,
      )
  }
}

function pushed(): Accumulator {
  const items: Value[] = []
  const keep = keeper('$push')
  return {
    add: (value) => {
      if (value === undefined) return
      keep(value)
      items.push(value)
    },
    result: () => items,
  }
}

function distinct(): Accumulator {
  const items = new Map<string, Value>()
  const keep = keeper('$addToSet')
  return {
    add: (value) => {
      if (value === undefined) return
      const key = groupKey(value)
      if (items.has(key)) return
      keep(value)
      items.set(key, value)
    },
    result: () => [...items.values()],
  }
}

function merged(): Accumulator {
  const doc = newDocument()
  return {
    add: (value) => {
      if (value === undefined || value === null) return
      if (!isDocument(value))
        throw new EngineError(40400, `$mergeObjects requires object inputs, but input is of type ${typeName(value)}`)
      for (const field in value) doc[field] = value[field]!
    },
    result: () => copyDocument(doc),
  }
}

/** A key for a value: two values have the same key if and only if they are equal. Fails as `encodeKey` does. */
export function groupKey(value: Value | undefined): string {
  return encodeKey([value], [1]).toString('latin1')
}
