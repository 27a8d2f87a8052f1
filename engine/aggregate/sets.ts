/** Expressions that treat arrays as sets: order and repetition do not count. Resulting arrays have no repetitions. */
import { typeName, type Value } from '../bson/document.ts'
import { isTruthy } from '../bson/number.ts'
import { EngineError } from '../errors.ts'
import { groupKey } from './accumulators.ts'
import { isNullish, positional } from './arguments.ts'
import type { Operator } from './scope.ts'

type Values = readonly (Value | undefined)[]

export const setOperators: Readonly<Record<string, Operator>> = {
  $setUnion: positional(0, Infinity, (lists) => {
    if (lists.some(isNullish)) return null
    return [...keyed(lists.flatMap((list) => need(list, '$setUnion', 17043))).values()]
  }),
  $setIntersection: positional(0, Infinity, intersection),
  $setDifference: positional(2, 2, ([a, b]) => {
    if (isNullish(a) || isNullish(b)) return null
    const others = keyed(need(b, '$setDifference', 17049))
    return [...keyed(need(a, '$setDifference', 17048))].filter(([key]) => !others.has(key)).map(([, item]) => item)
  }),
  $setEquals: (argument, compile, name) => {
    if (!Array.isArray(argument) || argument.length < 2)
      throw new EngineError(17045, '$setEquals needs at least two arguments')
    return setEquals(argument, compile, name)
  },
  $setIsSubset: positional(2, 2, ([a, b]) => {
    const whole = keyed(need(b, '$setIsSubset', 17042))
    return [...keyed(need(a, '$setIsSubset', 17046)).keys()].every((key) => whole.has(key))
  }),
  $allElementsTrue: positional(1, 1, ([list]) => need(list, '$allElementsTrue', 17040).every(isTruthy)),
  $anyElementTrue: positional(1, 1, ([list]) => need(list, '$anyElementTrue', 17041).some(isTruthy)),
}

const setEquals = positional(2, Infinity, (lists) => {
  const [first, ...others] = lists.map((list) => keyed(need(list, '$setEquals', 17044)))
  return others.every((other) => other.size === first!.size && [...other.keys()].every((key) => first!.has(key)))
})

function need(list: Value | undefined, name: string, code: number): readonly Value[] {
  if (Array.isArray(list)) return list
  throw new EngineError(code, `All operands of ${name} must be arrays. One argument is of type: ${typeName(list)}`)
}

function keyed(items: readonly Value[]): ReadonlyMap<string, Value> {
  const result = new Map<string, Value>()
  for (const item of items) {
    const key = groupKey(item)
    if (!result.has(key)) result.set(key, item)
  }
  return result
}

function intersection(lists: Values): Value {
  if (lists.some(isNullish)) return null
  const [first, ...others] = lists.map((list) => keyed(need(list, '$setIntersection', 17047)))
  return [...(first ?? [])].filter(([key]) => others.every((other) => other.has(key))).map(([, item]) => item)
}
