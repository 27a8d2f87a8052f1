import { createHash } from 'node:crypto'
import { readBody } from '../../../mail/body/body.ts'
import type { NamedAddress } from '../../../mail/message/address.ts'
import { contentAt } from '../../../mail/message/attached-message.ts'
import { parseMessage } from '../../../mail/message/parse.ts'

/** What a parser says about a message, in a form that two of them can be compared by; '' stands for nothing. */
export type Reading = {
  readonly subject: string
  readonly from: readonly NamedAddress[]
  readonly to: readonly NamedAddress[]
  readonly cc: readonly NamedAddress[]
  readonly date: string | null
  /** Without angle brackets, like `references`. */
  readonly messageId: string
  readonly references: readonly string[]
  readonly attachments: readonly { readonly name: string; readonly contentType: string; readonly sha256: string }[]
  /** Of the plain parts. */
  readonly text: string
}

/** What our own parser says. */
export function ownReading(raw: Buffer): Reading {
  const parsed = parseMessage(raw)
  const { attachments, authors, cc, date, hasText, messageId, references, subject, to } = parsed
  return {
    subject: subject ?? '',
    from: authors,
    to,
    cc,
    date: date?.toISOString() ?? null,
    messageId: messageId ?? '',
    references,
    attachments: attachments.map(({ contentType, name, partId }) => ({
      name,
      contentType,
      sha256: digest(contentAt(raw, parsed, partId) ?? Buffer.alloc(0)),
    })),
    text: hasText ? textOf(readBody(raw, parsed).text) : '',
  }
}

export function digest(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}

/** A text with the line ends and the margins that every reader may choose. */
export function textOf(text: string): string {
  return text.replaceAll('\r\n', '\n').trim()
}
