/** Checks the input of a send: its recipients, its files and its send time. */

import type { DraftAttachment } from '../../mail/compose/compose.ts'
import { withSignature } from '../../mail/compose/signature.ts'
import { normaliseAddress } from '../../mail/message/address.ts'
import { Failure } from '../../schemas/failures.ts'
import { notAnAddress } from '../../schemas/refusals.ts'
import type { MailboxDoc, Named } from '../../store/documents/mail.ts'
import type { Principal } from '../access/principal.ts'
import { after, dayMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { readAttachment } from '../read/bodies.ts'

export type NewAttachment =
  | { readonly name: string; readonly contentType: string; readonly content: Buffer; readonly contentId?: string }
  | { readonly messageId: string; readonly attachmentId: string }

export type SendInput = {
  readonly to?: readonly Named[]
  readonly cc?: readonly Named[]
  readonly bcc?: readonly Named[]
  readonly from?: string
  readonly fromName?: string
  readonly replyTo?: readonly Named[]
  readonly subject?: string
  readonly text?: string
  readonly html?: string
  readonly attachments?: readonly NewAttachment[]
  readonly headers?: { readonly [name: string]: string }
  /** When the mail is to be sent; now if absent. */
  readonly sendAt?: Date
}

const recipientsMax = 50
const attachmentsMax = 10
const attachmentBytesMax = 10 * 1024 * 1024
const scheduleMaxMs = 30 * dayMs

/** The recipients, each once, in canonical form. Fails with `validation_error`. */
export function recipientsIn({ to = [], cc = [], bcc = [] }: SendInput): Named[] {
  const fields = { to, cc, bcc }
  const recipients = new Map<string, Named>()
  for (const [field, list] of Object.entries(fields)) {
    for (const [n, { name, address }] of list.entries()) {
      const canonical = normaliseAddress(address)
      if (canonical === null) throw notAnAddress(address, `${field}[${n}]`)
      recipients.set(canonical, { name, address: canonical })
    }
  }
  if (recipients.size === 0)
    throw new Failure('validation_error', 'The send has no recipient.', {
      param: 'to',
      fix: 'Give at least one address in "to", "cc" or "bcc".',
    })
  if (recipients.size > recipientsMax)
    throw new Failure(
      'validation_error',
      `A send can have at most ${recipientsMax} recipients; this one has ${recipients.size}.`,
      { param: 'to', fix: 'Use a batch (send-batch), or split the send.' },
    )
  return [...recipients.values()]
}

/** The input with the mailbox's signature appended to its bodies. */
export function signedBy<I extends Pick<SendInput, 'text' | 'html'>>({ signature }: MailboxDoc, input: I): I {
  return signature === null || signature === '' ? input : withSignature(input, signature)
}

/**
 * Reads the files of a send, including those attached to messages of the mailbox. Fails with `attachments_too_large`,
 * `not_found`, `validation_error`.
 */
export async function filesOf(
  ctx: Context,
  principal: Principal,
  { mailbox, attachments = [] }: { mailbox: string | null; attachments: readonly NewAttachment[] | undefined },
): Promise<DraftAttachment[]> {
  if (attachments.length > attachmentsMax)
    throw new Failure('attachments_too_large', `A send can have at most ${attachmentsMax} files.`)
  const files: DraftAttachment[] = []
  let bytes = 0
  for (const [n, attachment] of attachments.entries()) {
    const file = await fileOf(ctx, principal, { mailbox, attachment, param: `attachments[${n}]` })
    bytes += file.content.length
    if (bytes > attachmentBytesMax)
      throw new Failure('attachments_too_large', 'The files of a send can have at most 10 MB in total.')
    files.push(file)
  }
  return files
}

/**
 * The text and HTML of a mail that is written in Markdown. Fails with `validation_error` if the input has another body as well, and
 * with `unavailable`.
 */
export async function withBodies<T extends Pick<SendInput, 'text' | 'html'>>(
  ctx: Context,
  { markdown, ...input }: T & { readonly markdown?: string },
): Promise<Omit<T, 'markdown'>> {
  if (markdown === undefined) return input as Omit<T, 'markdown'>
  const beside = (['text', 'html'] as const).find((body) => input[body] !== undefined && input[body] !== null)
  if (beside !== undefined)
    throw new Failure('validation_error', `"markdown" makes both bodies, so it cannot be combined with "${beside}".`, {
      param: beside,
      fix: `Leave "${beside}" out, or give "text" and "html" without "markdown".`,
    })
  const bodies = await ctx.parsing.run('markdown', { raw: Buffer.from(markdown) })
  return { ...(input as Omit<T, 'markdown'>), ...bodies }
}

/** The time at which a mail is sent, at most 30 days ahead; null for now. Fails with `validation_error`. */
export function sendTimeOf(now: Date, sendAt: Date | undefined): Date | null {
  if (sendAt === undefined) return null
  if (sendAt <= now)
    throw new Failure('validation_error', '"sendAt" is in the past.', {
      param: 'sendAt',
      fix: `Give a time after ${now.toISOString()}.`,
    })
  if (sendAt > after(now, scheduleMaxMs))
    throw new Failure('validation_error', '"sendAt" is more than 30 days ahead.', {
      param: 'sendAt',
      fix: `Give a time up to ${after(now, scheduleMaxMs).toISOString()}.`,
    })
  return sendAt
}

async function fileOf(
  ctx: Context,
  principal: Principal,
  { mailbox, attachment, param }: { mailbox: string | null; attachment: NewAttachment; param: string },
): Promise<DraftAttachment> {
  if ('content' in attachment) return { ...attachment, inline: attachment.contentId !== undefined }
  if (mailbox === null)
    throw new Failure(
      'validation_error',
      'A file of a stored message can only be sent from the mailbox of that message.',
      { param, fix: 'Send from the mailbox that holds the message, or give the file by its content.' },
    )
  const { declaredType, ...file } = await readAttachment(ctx, principal, { address: mailbox, ...attachment })
  return { ...file, contentType: declaredType }
}
