/**
 * Which values of a document a dotted path reaches.
 *
 * A path runs through documents; where it meets an array it runs through every element that is a document, and a
 * numeric part also picks that element. Elements that are neither are passed over, so `a.b` reaches nothing in
 * {a: [1, 2]}, while a scalar outside an array reaches "missing". At its end an array stands for each element and for itself.
 */
import { type Document, isDocument, type Value } from '../bson/document.ts'

/** Receives the index, in the outermost array passed, of the element that made a predicate true. */
export type Track = { index: number | undefined }

export type Test = (value: Value | undefined, track?: Track) => boolean

export type DocumentTest = (doc: Document, track: Track | undefined) => boolean

/** `elements`: an array at the end of the path is tested element by element, then whole; `whole`: only whole. */
export type Ending = 'elements' | 'whole'

/** A test of documents that holds when any value the path reaches passes `test`. */
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

/** The array index a path part names, undefined when it names none. */
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

/** An element chosen by number: at the path's end it is tested as it is, without looking into an array. */
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
