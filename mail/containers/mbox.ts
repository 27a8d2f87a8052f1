/**
 * Reads mbox files (RFC 4155), message by message. A message begins with a line `From `, at the beginning of the file or after an empty
 * line. A line that begins with `>From `, even after more `>`, loses one `>` (mboxrd). The lines of the result end with CRLF.
 */
import { parseDate } from '../encoding/date.ts'

export type MboxMessage = {
  readonly raw: Buffer
  /** The time in the separator line; null when there is none. */
  readonly receivedAt: Date | null
}

/** The messages of a file that is read in pieces; a message longer than `bytesMax` is cut. */
export async function* readMbox(pieces: AsyncIterable<Buffer>, bytesMax: number): AsyncGenerator<MboxMessage> {
  let lines: Buffer[] = []
  let bytes = 0
  let separator: string | null = null
  let isAfterEmpty = true
  const message = (): MboxMessage => {
    // The empty line before the next separator belongs to the separator.
    if (lines.at(-1)?.length === 0) lines.pop()
    const raw = Buffer.concat(lines.flatMap((line) => [line, crlf]))
    return { raw, receivedAt: timeOf(separator ?? '') }
  }
  for await (const line of linesOf(pieces, bytesMax)) {
    if (isAfterEmpty && line.subarray(0, 5).equals(from)) {
      if (separator !== null) yield message()
      separator = line.toString('latin1')
      lines = []
      bytes = 0
      isAfterEmpty = false
      continue
    }
    isAfterEmpty = line.length === 0
    if (separator === null || bytes > bytesMax) continue
    lines.push(quoted.test(line.toString('latin1', 0, quotedMax)) ? line.subarray(1) : line)
    bytes += line.length + 2
  }
  if (separator !== null) yield message()
}

const crlf = Buffer.from('\r\n')
const from = Buffer.from('From ')
const quoted = /^>+From /
/** How many characters of a line are searched for a quoted `From `: deeper quotation does not occur. */
const quotedMax = 64

/** The lines without their LF or CRLF; a line that does not end within `bytesMax` is cut into several. */
async function* linesOf(pieces: AsyncIterable<Buffer>, bytesMax: number): AsyncGenerator<Buffer> {
  let begun: Buffer[] = []
  let held = 0
  for await (const piece of pieces) {
    let at = 0
    for (let end = piece.indexOf(0x0a); end >= 0; end = piece.indexOf(0x0a, at)) {
      yield withoutCr(Buffer.concat([...begun, piece.subarray(at, end)]))
      begun = []
      held = 0
      at = end + 1
    }
    if (at < piece.length) begun.push(piece.subarray(at))
    held += piece.length - at
    if (held <= bytesMax) continue
    yield Buffer.concat(begun)
    begun = []
    held = 0
  }
  if (held > 0) yield withoutCr(Buffer.concat(begun))
}

const withoutCr = (line: Buffer) => (line.at(-1) === 0x0d ? line.subarray(0, -1) : line)

/** The time of `From sender Thu Nov  5 09:04:03 2026`, in UTC unless a zone comes before or after the year. */
function timeOf(separator: string): Date | null {
  const text = /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\s+[A-Z][a-z]{2}\s+\d{1,2}\s+\d{2}:\d{2}.*$/.exec(separator)?.[0]
  return text === undefined ? null : parseDate(text)
}
