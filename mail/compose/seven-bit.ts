/** Mail for a server that takes 7-bit lines only (RFC 6152 3): every part that needs it is encoded, and nothing else changes. */
import { isAscii } from 'node:buffer'
import { quotedPrintable, wrapBase64 } from '../encoding/encode.ts'
import type { Part } from '../message/structure.ts'

/** What bytes of the message are replaced with; nothing is taken out where `start` is `end`. */
type Replacement = { readonly start: number; readonly end: number; readonly text: string }

/** Parts whose bytes somebody has signed or encrypted: another encoding would break that. */
const untouchable = /^multipart\/(?:signed|encrypted)$/
/** Encodings that change no byte (RFC 2045 6.2). */
const identity = /^(?:7bit|8bit|binary)$/

/**
 * The message with 7-bit bodies. Null when it cannot be made so: a header is in UTF-8, a part is signed or encrypted, or 8-bit
 * bytes stand in an encoding that has none. DKIM signatures break: the caller signs again. Never throws.
 */
export function toSevenBit(raw: Buffer, root: Part): Buffer | null {
  const edits: Replacement[] = []
  if (!convert(raw, root, edits)) return null
  const parts: Buffer[] = []
  let from = 0
  for (const { start, end, text } of edits.sort((a, b) => a.start - b.start)) {
    parts.push(raw.subarray(from, start), Buffer.from(text, 'latin1'))
    from = end
  }
  return Buffer.concat([...parts, raw.subarray(from)])
}

function convert(raw: Buffer, part: Part, edits: Replacement[]): boolean {
  const { bodyStart, bodyEnd, headerStart, contentType, children, embedded, encoding } = part
  if (!isAscii(raw.subarray(headerStart, bodyStart))) return false
  const body = raw.subarray(bodyStart, bodyEnd)
  if (isAscii(body)) return true
  if (untouchable.test(contentType) || !identity.test(encoding)) return false
  if (children.length > 0 || embedded !== null) {
    name(part, '7bit', edits)
    // What stands between the parts is read by nobody, but it is sent.
    const inner = embedded === null ? children : [embedded]
    return inner.every((child) => convert(raw, child, edits)) && isAscii(between(raw, part, inner))
  }
  const isText = contentType.startsWith('text/')
  name(part, isText ? 'quoted-printable' : 'base64', edits)
  const text = isText ? quotedPrintable(body) : wrapBase64(body)
  edits.push({ start: bodyStart, end: bodyEnd, text })
  return true
}

/** Puts the encoding into the header of a part. */
function name({ fields, bodyStart, headerStart }: Part, encoding: string, edits: Replacement[]): void {
  const line = `Content-Transfer-Encoding: ${encoding}\r\n`
  const field = fields.find((each) => each.name.toLowerCase() === 'content-transfer-encoding')
  const at = field?.start ?? fields.at(-1)?.end ?? Math.min(headerStart, bodyStart)
  edits.push({ start: at, end: field?.end ?? at, text: line })
}

function between(raw: Buffer, { bodyStart, bodyEnd }: Part, inner: readonly Part[]): Buffer {
  const gaps: Buffer[] = []
  let from = bodyStart
  for (const { headerStart, bodyEnd: end } of inner) {
    gaps.push(raw.subarray(from, headerStart))
    from = end
  }
  return Buffer.concat([...gaps, raw.subarray(from, bodyEnd)])
}
