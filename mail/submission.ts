/** What a server adds to and takes from a message that is submitted to it (RFC 6409 8). */
import { formatDate } from './date.ts'
import type { ParsedMessage } from './parse.ts'

/** Fields that tell what recipients are not to know, or that only servers on the way write. */
const removed = /^(?:bcc|resent-bcc|return-path)$/i

/**
 * The message with Date and Message-ID if it lacks them, and without Bcc and Return-Path; every other byte as it was. `raw`
 * has CRLF line ends.
 */
export function finishSubmission(
  raw: Buffer,
  { parsed, date, messageId }: { readonly parsed: ParsedMessage; readonly date: Date; readonly messageId: string },
): Buffer {
  const has = (wanted: string) => parsed.headers.some(({ name }) => name.toLowerCase() === wanted)
  const added = [
    has('date') ? '' : `Date: ${formatDate(date)}\r\n`,
    has('message-id') ? '' : `Message-ID: <${messageId}>\r\n`,
  ].join('')
  const parts: Buffer[] = [Buffer.from(added)]
  let from = 0
  for (const { name, start, end } of parsed.headers) {
    if (!removed.test(name)) continue
    parts.push(raw.subarray(from, start))
    from = end
  }
  parts.push(raw.subarray(from))
  return Buffer.concat(parts)
}
