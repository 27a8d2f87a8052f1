/**
 * Finds the values of a document at a dotted path.
 *
 * A path leads through documents. At an array it continues in every element that is a document, and a numeric part also selects
 * the element at that position. Other elements are skipped, so `a.b` finds nothing in {a: [1, 2]}; a scalar outside an array
 * counts as a missing value. An array at the end of the path stands for each of its elements and for itself.
 */
import { type Document, isDocument, type Value } from '../bson/document.ts'

/** Receives the index of the element that made a test true, in the outermost array on its path. */
export type Track = { index: number | undefined }

export type Test = (value: Value | undefined, track?: Track) => boolean

export type DocumentTest = (doc: Document, track: Track | undefined) => boolean

/** How an array at the end of the path is tested: `elements` means each element and then the whole, `whole` only the whole. */
export type Ending = 'elements' | 'whole'

/** A test of documents that holds if any value at the path passes `test`. */
export function anyAtPath(path: string, ending: Ending, test: Test): DocumentTest {
  const parts = path.split('.')
  const walk: Walk = { parts, numbers: parts.map(arrayIndex), ending, test }
  const [only] = parts
  if (parts.length > 1 || only === undefined) return (doc, track) => inDocument(walk, doc, 0, track)
  return (doc, track) => {
    const value = doc[only]
    return Array.isArray(value) ? atEnd(walk, value, track) : test(value)
  }
}

/** The array index that a path part denotes, undefined if it is not one. */
export function arrayIndex(part: string): number | undefined {
  return /^(0|[1-9]\d{0,9})$/.test(part) ? Number(part) : undefined
}

type Walk = {
  readonly parts: readonly string[]
  readonly numbers: readonly (number | undefined)[]
  readonly ending: Ending
  readonly test: Test
}

function inDocument(walk: Walk, doc: Document, from: number, track: Track | undefined): boolean {
  const { parts } = walk
  let value: Value | undefined = doc[parts[from]!]
  for (let at = from + 1; at < parts.length; at++) {
    if (isDocument(value)) value = value[parts[at]!]
    else if (Array.isArray(value)) return inArray(walk, value, at, track)
    else return walk.test(undefined)
  }
  return Array.isArray(value) ? atEnd(walk, value, track) : walk.test(value)
}

function inArray(walk: Walk, items: readonly Value[], at: number, track: Track | undefined): boolean {
  const picked = walk.numbers[at]
  for (let index = 0; index < items.length; index++) {
    const item = items[index]!
    const found =
      (isDocument(item) && inDocument(walk, item, at, track)) ||
      (index === picked && inPickedElement(walk, item, at + 1, track))
    if (!found) continue
    if (track !== undefined) track.index = index
    return true
  }
  return false
}

/** Tests an element selected by number. At the end of the path it is tested whole, even if it is an array. */
function inPickedElement(walk: Walk, item: Value, at: number, track: Track | undefined): boolean {
  if (at === walk.parts.length) return walk.test(item)
  if (isDocument(item)) return inDocument(walk, item, at, track)
  return Array.isArray(item) && inArray(walk, item, at, track)
}

function atEnd(walk: Walk, items: Value[], track: Track | undefined): boolean {
  if (walk.ending === 'elements') {
    for (let index = 0; index < items.length; index++) {
      if (!walk.test(items[index])) continue
      if (track !== undefined) track.index = index
      return true
    }
  }
  return walk.test(items, track)
}
