/** Reads a mail for its record: bodies, header fields, and what Lens reads of it. */
import type { LensSource } from '../../mail/lens/source.ts'
import { firstHeader, type HeaderField, readHeaders } from '../../mail/message/headers.ts'
import type { IntakeRecordDoc } from '../../store/documents/intake.ts'
import { isUnreadable } from '../parsing/parsing.ts'
import type { Context } from '../process/context.ts'
import { attachmentsAddress, bytesOf, inMemoryRoom } from '../read/bodies.ts'

const KB = 1024
/** How much of the bodies a record has (interface.md, Intake message). */
const textBytesMax = 100 * KB
const htmlBytesMax = 200 * KB

/** The header fields that a record shows (decisions.md 2, Intake), by the names that it shows them under. */
const shownHeaders = {
  message_id: 'Message-ID',
  date: 'Date',
  in_reply_to: 'In-Reply-To',
  references: 'References',
  list_id: 'List-Id',
  auto_submitted: 'Auto-Submitted',
} as const

type Content = NonNullable<IntakeRecordDoc['content']>

/** What was read of a mail. `source` is what Lens reads of it, except for the texts of its attachments. */
export type MailReading = { readonly content: Content; readonly source: Omit<LensSource, 'attachments'> }

type Read = Pick<IntakeRecordDoc, 'messageId' | 'mailbox' | 'blob' | 'subject' | 'receivedAt'>

/**
 * Reads the mail of a record. A mail that cannot be parsed in time, or that is not to be parsed (`isTried` is false), has its header
 * fields and empty bodies. Fails with `internal_error` when its bytes are gone, and with `unavailable`.
 */
export async function readMail(ctx: Context, record: Read, { isTried }: { isTried: boolean }): Promise<MailReading> {
  return inMemoryRoom(ctx, record.blob, async () => {
    const raw = await bytesOf(ctx, record)
    return isTried ? readRaw(ctx, record, raw) : unread(record, raw)
  })
}

/** Like `readMail`, for raw bytes. */
export async function readRaw(ctx: Context, record: Omit<Read, 'blob'>, raw: Buffer): Promise<MailReading> {
  const { messageId } = record
  const attachmentsUrl = attachmentsAddress(ctx, { ...record, _id: messageId })
  try {
    return readingOf(record, await ctx.parsing.run('intake', { raw, messageId, attachmentsUrl }))
  } catch (error) {
    if (!isUnreadable(error)) throw error
    return unread(record, raw)
  }
}

function unread(record: Omit<Read, 'blob'>, raw: Buffer): MailReading {
  return readingOf(record, { headers: readHeaders(raw).fields, text: '', html: '', reply: '', quoted: [] })
}

type Bodies = {
  readonly headers: readonly HeaderField[]
  readonly text: string
  readonly html: string
  readonly reply: string
  readonly quoted: LensSource['quoted']
}

function readingOf({ subject, receivedAt }: Omit<Read, 'blob'>, bodies: Bodies): MailReading {
  const { headers: fields, reply, html, quoted } = bodies
  const headerOf = (name: string) => firstHeader(fields, name)?.value ?? null
  const headers = Object.fromEntries(Object.entries(shownHeaders).map(([name, field]) => [name, headerOf(field)]))
  const text = cut(bodies.text, textBytesMax)
  const language = headerOf('Content-Language')?.split(',')[0]?.trim()
  return {
    content: { text, html: cutHtml(html), reply: cut(reply, textBytesMax), headers },
    source: {
      subject: subject ?? '',
      text,
      quoted: quoted.flatMap(([start, end]) => (start < text.length ? [[start, Math.min(end, text.length)]] : [])),
      date: ownDate(headers.date ?? '') ?? receivedAt,
      ...(language && { language }),
    },
  }
}

/** The first characters of a text, as many as take up at most `bytesMax` bytes. */
export function cut(text: string, bytesMax: number): string {
  // A UTF-16 unit takes up at most three bytes.
  if (text.length * 3 <= bytesMax || Buffer.byteLength(text) <= bytesMax) return text
  const bytes = Buffer.from(text.slice(0, bytesMax))
  let end = Math.min(bytes.length, bytesMax)
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return bytes.toString('utf8', 0, end)
}

/** Cuts HTML as `cut` does, but not within a tag. */
function cutHtml(html: string): string {
  const head = cut(html, htmlBytesMax)
  return head === html ? html : head.replace(/<[^<>]*$/, '')
}

/** The date of a header field in the local time of its writer, held in the UTC fields of the result; null when it is not a date. */
export function ownDate(date: string): Date | null {
  const at = Date.parse(date.replace(/\s*\(.*$/s, ''))
  if (Number.isNaN(at)) return null
  const [, sign, hours = '', minutes = ''] = /([+-])(\d\d)(\d\d)\b/.exec(date) ?? []
  const ahead = sign === undefined ? 0 : (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1)
  return new Date(at + ahead * 60_000)
}
