/** What a server adds to and removes from a message that is submitted to it (RFC 6409 8). */

import { formatDate } from '../encoding/date.ts'
import { type NamedAddress, parseAddressList } from '../message/address.ts'
import { type ParsedMessage, parseMessage } from '../message/parse.ts'
import { isBinary, withoutBinary } from './seven-bit.ts'

/** Fields that recipients must not see (Bcc), or that only servers on the way may write. */
const removed = /^(?:bcc|resent-bcc|return-path)$/i

/**
 * The author of a message, and its sender if the message names one. Null unless there is one From with one author and
 * at most one Sender (RFC 5322 3.6.2): with several, readers disagree on whom to show.
 */
export function originatorsOf({ headers }: Pick<ParsedMessage, 'headers'>): {
  readonly author: NamedAddress
  readonly sender: NamedAddress | null
} | null {
  const named = (wanted: string) =>
    headers.filter(({ name }) => name.toLowerCase() === wanted).map(({ rawValue }) => parseAddressList(rawValue))
  const [[author, ...authors] = [], ...froms] = named('from')
  const [[sender = null, ...senders] = [], ...more] = named('sender')
  const others = authors.length + froms.length + senders.length + more.length
  return author === undefined || others > 0 ? null : { author, sender }
}

/**
 * The number of the first header line that is neither a field nor the continuation of one (RFC 5322 2.2); null when there is none.
 * Readers disagree on what follows such a line, and one reader may even disagree with itself once a field is added or removed. `raw`
 * has CRLF line ends.
 */
export function strayLine(raw: Buffer): number | null {
  let number = 1
  for (let start = 0; start < raw.length; number += 1) {
    const end = raw.indexOf('\r\n', start)
    const line = raw.toString('latin1', start, end < 0 ? raw.length : end)
    if (line === '') return null
    const isContinuation = number > 1 && /^[ \t]/.test(line)
    // RFC 5322 4.5: readers accept blanks before the colon.
    if (!isContinuation && !/^[\x21-\x39\x3b-\x7e]+[ \t]*:/.test(line)) return number
    if (end < 0) return null
    start = end + 2
  }
  return null
}

/**
 * Adds a Date and a Message-ID to a message where they are missing or malformed, removes Bcc and Return-Path, and encodes
 * bodies with NUL or with lines that are too long to be sent (RFC 6409 8). Every other byte stays; if nothing changes, `raw` itself is
 * returned. `raw` has CRLF line ends. Never throws.
 */
export function finishSubmission(
  raw: Buffer,
  { parsed, date, messageId }: { readonly parsed: ParsedMessage; readonly date: Date; readonly messageId: string },
): Buffer {
  const missing = [
    ...(parsed.date === null ? [{ name: 'date', line: `Date: ${formatDate(date)}\r\n` }] : []),
    ...(parsed.messageId === null ? [{ name: 'message-id', line: `Message-ID: <${messageId}>\r\n` }] : []),
  ]
  const isDropped = (name: string) => removed.test(name) || missing.some((each) => each.name === name.toLowerCase())
  const added = missing.map(({ line }) => line).join('')
  const parts: Buffer[] = [Buffer.from(added)]
  let from = 0
  for (const { name, start, end } of parsed.headers) {
    if (!isDropped(name)) continue
    parts.push(raw.subarray(from, start))
    from = end
  }
  if (from === 0 && added === '') return sendable(raw)
  parts.push(raw.subarray(from))
  return sendable(Buffer.concat(parts))
}

const sendable = (raw: Buffer) => (isBinary(raw) ? withoutBinary(raw, parseMessage(raw).root) : raw)
