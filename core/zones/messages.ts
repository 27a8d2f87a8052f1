/** Locates the records of a DNS message (RFC 1035 4.1) without reading their contents. */
import { afterName } from './names.ts'

/** Offsets of a record: `at` is where its name begins, `start` where its type begins, `end` where its data ends. */
export type RecordPlace = {
  readonly section: 'answer' | 'authority' | 'additional'
  readonly at: number
  readonly start: number
  readonly end: number
}

export const headerBytes = 12
const sections = ['answer', 'authority', 'additional'] as const

/** Finds the records of a message in their order. Null if the message is cut short. */
export function recordsOf(message: Buffer): readonly RecordPlace[] | null {
  if (message.length < headerBytes) return null
  let at = headerBytes
  for (let n = message.readUInt16BE(4); n > 0; n -= 1) {
    const end = afterName(message, at)
    if (end === null || end + 4 > message.length) return null
    at = end + 4
  }
  const places: RecordPlace[] = []
  for (const [index, section] of sections.entries())
    for (let n = message.readUInt16BE(6 + 2 * index); n > 0; n -= 1) {
      const start = afterName(message, at)
      if (start === null || start + 10 > message.length) return null
      const end = start + 10 + message.readUInt16BE(start + 8)
      if (end > message.length) return null
      places.push({ section, at, start, end })
      at = end
    }
  return places
}
