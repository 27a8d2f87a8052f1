/** Keeps results small, because callers pay for every word that a model reads. */

import { bodyFields } from './trust.ts'

/** Most bytes of a result, as JSON. An embedded file comes on top. */
export const resultBytesMax = 100 * 1024

const steps = [
  { entries: 50, characters: 2_000 },
  { entries: 10, characters: 500 },
  { entries: 3, characters: 200 },
] as const

/** Measures the bodies in a value: the longest one in characters, and all together in bytes of JSON. */
export function bodiesOf(value: unknown): { longest: number; bytes: number } {
  if (typeof value !== 'object' || value === null) return { longest: 0, bytes: 0 }
  const found = Object.entries(value).map(([name, part]) =>
    bodyFields.has(name) && typeof part === 'string' ? { longest: part.length, bytes: sizeOf(part) } : bodiesOf(part),
  )
  return {
    longest: Math.max(0, ...found.map(({ longest }) => longest)),
    bytes: found.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}

export function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

/**
 * Shortens the untrusted lists and texts of a value, only as far as needed until it `fits`, and names the shortened fields in
 * `shortened`. Bodies stay whole, so the value may still be too large.
 */
export function shortened(value: unknown, fits: (value: unknown) => boolean): unknown {
  let fitting = value
  for (const step of steps) {
    if (fits(fitting)) return fitting
    fitting = shorten(value, step)
  }
  return fitting
}

type Step = (typeof steps)[number]

function shorten(value: unknown, step: Step): unknown {
  if (Array.isArray(value)) return value.map((item) => shorten(item, step))
  if (typeof value !== 'object' || value === null) return value
  const { untrusted, ...ours } = value as { readonly [name: string]: unknown }
  if (untrusted === undefined) return mapped(ours, (part) => shorten(part, step))
  // Lists such as attachments are trusted, but a stranger decides how long they are.
  const isTooLong = (part: unknown) => Array.isArray(part) && part.length > step.entries && isObject(part[0])
  const kept = mapped(ours, (part) =>
    shorten(isTooLong(part) ? (part as unknown[]).slice(0, step.entries) : part, step),
  )
  const cutLists = Object.keys(ours).filter((name) => isTooLong(ours[name]))
  return { ...kept, untrusted: shortenFields(untrusted as Fields, step, cutLists) }
}

/** A body that is text is cut by the operation, which returns a cursor to continue; a list of header fields is cut here. */
const isCutByOperation = (name: string, part: unknown) => bodyFields.has(name) && typeof part === 'string'

type Fields = { readonly [name: string]: unknown }

const isObject = (value: unknown) => typeof value === 'object' && value !== null

function mapped(fields: Fields, change: (part: unknown) => unknown): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, part]) => [name, change(part)]))
}

/** `cutLists` names trusted lists of the same object that were also shortened. */
function shortenFields(fields: Fields, step: Step, cutLists: readonly string[]): unknown {
  const kept = Object.entries(fields).map(
    ([name, part]) => [name, isCutByOperation(name, part) ? part : cut(part, step)] as const,
  )
  const names = kept
    .filter(([name, part]) => part !== fields[name] && sizeOf(part) !== sizeOf(fields[name]))
    .map(([name]) => name)
  const shortened = [...names, ...cutLists]
  return { ...Object.fromEntries(kept), ...(shortened.length > 0 && { shortened }) }
}

function cut(value: unknown, step: Step): unknown {
  if (typeof value === 'string')
    return value.length > step.characters ? value.slice(0, step.characters).toWellFormed() : value
  if (Array.isArray(value)) return value.slice(0, step.entries).map((item) => cut(item, step))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, cut(part, step)]))
}
