/** Makes a case small: takes away one part after the other, as long as what is left still fails. */

/** Parts that stay as they are: without them an answer is nobody's promise, or there is no case. */
const kept: ReadonlySet<string> = new Set(['_id', 'sort', '$sort', 'docs', 'indexes', 'steps'])

/** The smallest found in at most `triesMax` calls of `fails`; every part of it is needed unless the calls ran out. */
export async function shrink<Whole>(
  whole: Whole,
  fails: (smaller: Whole) => Promise<boolean>,
  triesMax: number,
): Promise<Whole> {
  let smallest = whole
  let tries = 0
  search: for (;;) {
    for (const candidate of smaller(smallest)) {
      if (++tries > triesMax) return smallest
      if (!(await fails(candidate as Whole))) continue
      smallest = candidate as Whole
      continue search
    }
    return smallest
  }
}

/** The value without one of its parts: first without those at the top, then without those within them. */
function* smaller(value: unknown): Generator<unknown> {
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) if (!isKept(item)) yield value.toSpliced(at, 1)
    for (const [at, item] of value.entries()) for (const less of smaller(item)) yield value.with(at, less)
  } else if (isPlain(value)) {
    const names = Object.keys(value).filter((name) => !kept.has(name))
    for (const name of names) yield without(value, name)
    const inside = Object.keys(value).filter((name) => name !== 'sort' && name !== '$sort' && name !== '_id')
    for (const name of inside) for (const less of smaller(value[name])) yield { ...value, [name]: less }
  }
}

function isKept(item: unknown): boolean {
  return isPlain(item) && '$sort' in item
}

type Plain = Readonly<Record<string, unknown>>

function isPlain(value: unknown): value is Plain {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

function without(value: Plain, gone: string): Plain {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== gone))
}
