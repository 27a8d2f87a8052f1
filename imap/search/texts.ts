/** What SEARCH reads from the bytes of a message: header fields, the day it was sent, and the texts of its parts. */
import { decodeText } from '../../mail/body/part-text.ts'
import { parseDate } from '../../mail/encoding/date.ts'
import { decodeTransfer } from '../../mail/encoding/transfer.ts'
import { limits as mailLimits } from '../../mail/limits.ts'
import { firstHeader, type HeaderField } from '../../mail/message/headers.ts'
import { type Part, readStructure } from '../../mail/message/structure.ts'
import { folded } from './keys.ts'
import { type Knowledge, oneDay } from './matching.ts'

/** Reads a message as it is shown. Its parts are decoded once, on first use. */
export function textsOf(shown: Buffer): Knowledge {
  const { root } = readStructure(shown)
  const header = headerTexts(root.fields)
  let body: readonly string[] | null = null
  const bodyTexts = () => {
    body ??= partTexts(shown, root)
    return body
  }
  return {
    header: (name) => header.filter((field) => field.name === name).map(({ text }) => text),
    sentOn() {
      const date = firstHeader(root.fields, 'date')
      const at = date === null ? null : parseDate(withoutZone(date.rawValue))
      return at === null ? null : oneDay(at.getTime())
    },
    hasText: (where, text) =>
      (where === 'text' && header.some((field) => `${field.name}: ${field.text}`.includes(text))) ||
      bodyTexts().some((each) => each.includes(text)),
  }
}

/** RFC 9051 6.4.4: the time zone is disregarded. */
const withoutZone = (date: string) =>
  date.replaceAll(/\([^()]*\)/g, ' ').replace(/\s+(?:[A-Za-z]{1,5}|[+-]\s?\d{1,2}:?\d{0,2})\s*$/, '')

/** Returns the names and folded values of header fields, each value decoded and as written. */
function headerTexts(fields: readonly HeaderField[]): readonly { readonly name: string; readonly text: string }[] {
  return fields.flatMap(({ name, value, rawValue }) => {
    const texts = value === rawValue ? [value] : [value, rawValue]
    return texts.map((text) => ({ name: name.toLowerCase(), text: folded(text) }))
  })
}

/** Returns the texts of a part and of the parts inside it, with the headers of embedded messages. */
function partTexts(raw: Buffer, part: Part): string[] {
  const { embedded, children } = part
  if (children.length > 0) return children.flatMap((child) => partTexts(raw, child))
  if (embedded !== null)
    return [...headerTexts(embedded.fields).map(({ name, text }) => `${name}: ${text}`), ...partTexts(raw, embedded)]
  if (!part.contentType.startsWith('text/')) return []
  const end = Math.min(part.bodyEnd, part.bodyStart + 2 * mailLimits.textBytesMax)
  const bytes = decodeTransfer(raw, part.bodyStart, end, part.encoding)
  return [folded(decodeText(raw, part, bytes, { cut: end < part.bodyEnd }))]
}
