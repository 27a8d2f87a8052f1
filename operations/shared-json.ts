/**
 * Parts that many answers have in common, such as a mail that many callers wait for. What is derived from such a part, above all its
 * JSON, is computed once. A shared part is never changed.
 */
import { madeOnce } from '../core/process/made-once.ts'

const sharedParts = new WeakSet<object>()

/** Marks a value as a part that many answers may share. */
export function shared<T extends object>(value: T): T {
  sharedParts.add(value)
  return value
}

export const isShared = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && sharedParts.has(value)

/** The JSON of a shared value, as text and as bytes. */
export const sharedText = madeOnce((value: object) => JSON.stringify(value))
export const sharedJson = madeOnce((value: object) => Buffer.from(JSON.stringify(value)))

/** The JSON of an object of which parts may be shared. */
export function jsonOf(object: object): string {
  const fields = Object.entries(object).filter(([, value]) => value !== undefined)
  return `{${fields.map(([name, value]) => `${JSON.stringify(name)}:${isShared(value) ? sharedText(value) : JSON.stringify(value)}`).join()}}`
}
