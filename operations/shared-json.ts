/** Parts of answers that many answers have in common: their JSON is written once. */

const texts = new WeakMap<object, Buffer | null>()

/** Says that a value may be a part of many answers. Nobody changes it from now on. */
export function shared<T extends object>(value: T): T {
  texts.set(value, null)
  return value
}

/** The JSON of a value that is shared; null of any other. */
export function sharedJson(value: unknown): Buffer | null {
  if (typeof value !== 'object' || value === null) return null
  const before = texts.get(value)
  if (before !== null) return before ?? null
  const text = Buffer.from(JSON.stringify(value))
  texts.set(value, text)
  return text
}
