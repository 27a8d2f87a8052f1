/** Changes top-level fields of a stored document. All other fields are copied as bytes, and never decoded. */
import { type Document, newDocument } from '../bson/document.ts'
import { encode, requireSize } from '../bson/encode.ts'
import { asBuffer, type Element, elements, nameAt, nameEnd, valueSize } from './elements.ts'

/**
 * The stored document with the changes from `before` to `after`, which hold some of its fields. A value that is the same
 * reference in both is unchanged. A field that only `after` has is appended.
 * @throws EngineError BSONObjectTooLarge, and what `encode` throws for the new values
 */
export function spliced(stored: Uint8Array, before: Document, after: Document): Buffer {
  const { changed, touched } = difference(before, after)
  const source = encode(changed)
  const fresh = new Map(elements(source, 0).map((element) => [element.name, element]))
  const bytes = asBuffer(stored)
  const parts: Uint8Array[] = []
  const end = bytes.length - 1
  let copied = 4
  for (let offset = 4; offset < end; ) {
    const nul = nameEnd(bytes, offset + 1, end)
    const next = nul + 1 + valueSize(bytes, bytes[offset]!, nul + 1, end)
    const name = nameAt(bytes, offset + 1, nul)
    if (touched.has(name)) {
      parts.push(bytes.subarray(copied, offset))
      const element = fresh.get(name)
      if (element !== undefined) parts.push(partOf(source, element))
      // A field that occurs twice is written once, since the decoder sees it once.
      fresh.delete(name)
      copied = next
    }
    offset = next
  }
  parts.push(bytes.subarray(copied, end))
  for (const element of fresh.values()) parts.push(partOf(source, element))
  return joined(parts)
}

const partOf = (source: Buffer, { start, end }: Element): Uint8Array => source.subarray(start, end)

/** The new values of fields that change or are added, and the names of these and of removed fields. */
function difference(before: Document, after: Document): { readonly changed: Document; readonly touched: Set<string> } {
  const changed = newDocument()
  const touched = new Set<string>()
  for (const name in after) {
    if (after[name] === before[name]) continue
    changed[name] = after[name]!
    touched.add(name)
  }
  for (const name in before) if (after[name] === undefined) touched.add(name)
  return { changed, touched }
}

function joined(parts: readonly Uint8Array[]): Buffer {
  let size = 5
  for (const { length } of parts) size += length
  requireSize(size)
  const out = Buffer.allocUnsafe(size)
  out.writeInt32LE(size, 0)
  let at = 4
  for (const part of parts) {
    out.set(part, at)
    at += part.length
  }
  out[at] = 0
  return out
}
