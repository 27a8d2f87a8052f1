/** Reads attached content by the paths of `AttachmentInfo.partId`, also inside attached messages. */

import { decodeTransfer } from '../encoding/transfer.ts'
import { limits } from '../limits.ts'
import type { AttachmentInfo } from './attachments.ts'
import { findPart, type ParsedMessage, parseMessage } from './parse.ts'
import { filesIn } from './part-contents.ts'
import type { Part } from './structure.ts'

/** The decoded content of a part, such as an attachment; for a message/rfc822 part, the message itself. Never throws. */
export function partBytes(raw: Buffer, part: Part): Buffer {
  return decodeTransfer(raw, part.bodyStart, part.bodyEnd, part.encoding)
}

/** The decoded content at a path, or null when the path names nothing. Never throws. */
export function contentAt(raw: Buffer, parsed: ParsedMessage, path: string): Buffer | null {
  const slash = path.indexOf('/')
  const part = findPart(parsed.root, slash < 0 ? path : path.slice(0, slash))
  if (!part) return null
  if (slash < 0) return partBytes(raw, part)
  const rest = path.slice(slash + 1)
  if (parsed.signedContent && part === parsed.root)
    return contentAt(parsed.signedContent.raw, parsed.signedContent.parsed, rest)
  if (isMessage(part.contentType)) {
    const bytes = partBytes(raw, part)
    return contentAt(bytes, parseMessage(bytes), rest)
  }
  return /^\d{1,4}$/.test(rest) ? (filesIn(raw, part)?.[Number(rest) - 1]?.bytes ?? null) : null
}

/**
 * The part at a path. Null when the path names none, and for files in another format than MIME (TNEF, uuencode, yEnc), which have
 * no header fields. Never throws.
 */
export function partAt(raw: Buffer, parsed: ParsedMessage, path: string): Part | null {
  const slash = path.indexOf('/')
  const part = findPart(parsed.root, slash < 0 ? path : path.slice(0, slash))
  if (part === null || slash < 0) return part
  const rest = path.slice(slash + 1)
  if (parsed.signedContent !== null && part === parsed.root)
    return partAt(parsed.signedContent.raw, parsed.signedContent.parsed, rest)
  if (!isMessage(part.contentType)) return null
  const bytes = partBytes(raw, part)
  return partAt(bytes, parseMessage(bytes), rest)
}

/** Whether a part of this type is a message of its own. */
export function isMessage(contentType: string): boolean {
  return contentType === 'message/rfc822' || contentType === 'message/global'
}

/**
 * The attachments of the messages attached to a message, which the message's own list leaves out (RFC 8621 4.1.4). Each has its
 * path from the outermost message. At most `attachmentsMax`, from at most `insideDepthMax` nested messages. Never throws.
 */
export function attachmentsInside(raw: Buffer, parsed: ParsedMessage): AttachmentInfo[] {
  const found: AttachmentInfo[] = []
  const collect = (bytes: Buffer, message: ParsedMessage, prefix: string, depth: number) => {
    for (const { partId, contentType } of message.attachments) {
      if (!isMessage(contentType) || depth >= limits.insideDepthMax || found.length >= limits.attachmentsMax) continue
      const content = contentAt(bytes, message, partId)
      if (!content) continue
      const inner = parseMessage(content)
      const path = `${prefix}${partId}/`
      found.push(...inner.attachments.map((each) => ({ ...each, partId: path + each.partId })))
      collect(content, inner, path, depth + 1)
    }
  }
  collect(raw, parsed, '', 0)
  return found.slice(0, limits.attachmentsMax)
}
