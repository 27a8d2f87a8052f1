/** Changes the header of a message composed here when it is sent later than it was written, or with other bytes than were signed. */
import { formatDate } from '../encoding/date.ts'

/** The message with another Date, and without the DKIM signatures over the old one. CRLF line ends. Never throws. */
export function redate(raw: Buffer, date: Date): Buffer {
  return withFields(raw, (fields) => unsigned(fields).map((field) => (/^Date:/i.test(field) ? dateField(date) : field)))
}

/** The message without its DKIM signatures. CRLF line ends. Never throws. */
export function withoutSignatures(raw: Buffer): Buffer {
  return withFields(raw, unsigned)
}

const dateField = (date: Date) => `Date: ${formatDate(date)}`

const unsigned = (fields: readonly string[]) => fields.filter((field) => !/^DKIM-Signature:/i.test(field))

function withFields(raw: Buffer, change: (fields: readonly string[]) => readonly string[]): Buffer {
  const found = raw.indexOf('\r\n\r\n')
  const end = found < 0 ? raw.length : found
  const fields = raw.toString('latin1', 0, end).split(/\r\n(?![ \t])/)
  return Buffer.concat([Buffer.from(change(fields).join('\r\n'), 'latin1'), raw.subarray(end)])
}
