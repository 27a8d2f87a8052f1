/** The tables of a Word document of 1997 to 2003: where its characters are, and what formats they have ([MS-DOC]). */
import type { HiddenKind } from './page.ts'

/** Characters stored together: their numbers, `from` to `to` (exclusive), and the byte offset `at` of the first one. */
export type Piece = { readonly from: number; readonly to: number; readonly at: number; readonly isWide: boolean }

/** A value that applies to the characters in a range of bytes. */
export type Run<T> = { readonly from: number; readonly to: number; readonly value: T }

/** 2.9.38: the table of pieces, which follows changes of formats that are not needed. */
export function piecesOf(document: Buffer, tables: Buffer): Piece[] {
  let at = document.readUInt32LE(0x1a2)
  while (tables[at] === 1) at += 3 + tables.readUInt16LE(at + 1)
  if (tables[at] !== 2) throw new Error('The document lacks its table of pieces.')
  const count = Math.floor((tables.readUInt32LE(at + 1) - 4) / 12)
  const numbers = at + 5
  const descriptors = numbers + (count + 1) * 4
  return Array.from({ length: Math.min(count, piecesMax) }, (_, n) => {
    const place = tables.readUInt32LE(descriptors + n * 8 + 2)
    const isWide = (place & narrowFlag) === 0
    const bytes = place & ~narrowFlag & 0x7fffffff
    return {
      from: tables.readUInt32LE(numbers + n * 4),
      to: tables.readUInt32LE(numbers + n * 4 + 4),
      at: isWide ? bytes : bytes / 2,
      isWide,
    }
  })
}

const narrowFlag = 0x40000000
/** Documents that were edited for years have thousands of pieces. */
const piecesMax = 100_000

/** A kind of formats: where the table of their pages is, the size of an entry in a page, and what properties mean. */
type FormatKind<T> = {
  readonly tableOffset: number
  readonly entryBytes: number
  propertiesIn(page: Buffer, offset: number): Buffer
  valueOf(properties: ReadonlyMap<number, number>): T | null
}

/** How characters are hidden: by their format, as deleted, by their size (2.6.1). */
export const hidesText: FormatKind<HiddenKind> = {
  tableOffset: 0xfa,
  entryBytes: 1,
  propertiesIn: (page, offset) => page.subarray(offset + 1, offset + 1 + (page[offset] ?? 0)),
  valueOf(properties) {
    const isSet = (property: number) => [1, 0x81].includes((properties.get(property) ?? 0) & 0xff)
    if (isSet(vanishes) || isSet(isDeleted)) return 'display_none'
    return (properties.get(halfPoints) ?? usualHalfPoints) <= tinyHalfPoints ? 'zero_size' : null
  },
}

/** Which paragraphs end rows of tables (2.6.2). The two bytes before the properties name the style. */
export const rowEndsIn: FormatKind<true> = {
  tableOffset: 0x102,
  entryBytes: 13,
  propertiesIn(page, offset) {
    const words = page[offset] ?? 0
    const [start, bytes] = words === 0 ? [offset + 2, (page[offset + 1] ?? 0) * 2] : [offset + 1, words * 2 - 1]
    return page.subarray(start + 2, start + bytes)
  },
  valueOf: (properties) => (properties.get(rowEnd) ? true : null),
}

const vanishes = 0x083c
const isDeleted = 0x0800
const halfPoints = 0x4a43
const usualHalfPoints = 20
/** One and a half points: nobody can read that. */
const tinyHalfPoints = 3
const rowEnd = 0x2417

/** The runs of characters that have a format of this kind, in the order of the stream (2.8.5, 2.9.33: pages of 512 bytes). */
export function readFormats<T>(document: Buffer, tables: Buffer, kind: FormatKind<T>): Run<T>[] {
  const [at, size] = [document.readUInt32LE(kind.tableOffset), document.readUInt32LE(kind.tableOffset + 4)]
  const count = Math.floor((size - 4) / 8)
  const runs: Run<T>[] = []
  for (let n = 0; n < Math.min(count, pagesMax); n++) {
    const start = (tables.readUInt32LE(at + (count + 1) * 4 + n * 4) & 0x3fffff) * pageBytes
    const page = document.subarray(start, start + pageBytes)
    const entries = page.readUInt8(pageBytes - 1)
    for (let entry = 0; entry < entries; entry++) {
      const offset = page.readUInt8((entries + 1) * 4 + entry * kind.entryBytes) * 2
      const value = offset === 0 ? null : kind.valueOf(propertiesOf(kind.propertiesIn(page, offset)))
      if (value !== null) runs.push({ from: page.readUInt32LE(entry * 4), to: page.readUInt32LE(entry * 4 + 4), value })
    }
  }
  return runs.sort((one, other) => one.from - other.from)
}

const pageBytes = 512
const pagesMax = 50_000

/** 2.2.5.1: changes of properties, each with an operand whose size follows from the property. */
function propertiesOf(bytes: Buffer): ReadonlyMap<number, number> {
  const properties = new Map<number, number>()
  for (let at = 0; at + 2 < bytes.length; ) {
    const property = bytes.readUInt16LE(at)
    at += 2
    const size = operandBytes[property >> 13] ?? (bytes[at] ?? 0) + 1
    if (size <= 4 && at + size <= bytes.length) properties.set(property, bytes.readUIntLE(at, size))
    at += size
  }
  return properties
}

/** By the three highest bits; for the seventh value the first byte of the operand gives the size. */
const operandBytes: readonly (number | undefined)[] = [1, 1, 2, 4, 2, 2, undefined, 3]
