import type { Context } from '../core/process/context.ts'
import type { SendResult as Sent, DryRun as Tried } from '../core/send/commit.ts'
import { type NewAttachment, type SendInput, withBodies } from '../core/send/content.ts'
import {
  dryRunForward,
  dryRunMessage,
  dryRunReply,
  forwardMessage as forward,
  replyToMessage,
  sendMessage as send,
} from '../core/send/send.ts'
import { Failure } from '../schemas/failures.ts'
import { AddressPart, MessageId } from '../schemas/fields.ts'
import { type Infer, object } from '../schemas/infer.ts'
import {
  type AttachmentInput,
  type DryRun,
  forwardFields,
  type ReplyBody,
  replyFields,
  SendOrDryRun,
  SendResult,
  sendFields,
} from '../schemas/sending.ts'
import { peopleOf, withCorrectedParam } from './addresses.ts'
import { operation } from './registry.ts'

export const sendErrors = [
  'account_paused',
  'sending_paused',
  'CLAIM_REQUIRED',
  'shared_domain_phone_required',
  'invalid_sender',
  'domain_not_on_account',
  'domain_not_verified',
  'attachments_too_large',
  'all_recipients_suppressed',
  'AGENT_EMAIL_LIMIT',
  'send_limit_reached',
  'shared_domain_send_limit',
  'send_rate_limited',
  'send_failed',
  'not_found',
  'unprocessable',
] as const

/** A dry run is answered at once with 200; a send is accepted with 202. */
const orDryRun = {
  status: 202,
  otherwise: { status: 200, is: (output: Infer<typeof SendOrDryRun>) => 'dryRun' in output },
  output: SendOrDryRun,
} as const

export const sendMessage = operation({
  name: 'messages.send',
  summary: 'Send one mail from a mailbox, to at most 50 recipients, now or at a given time.',
  scope: 'mail:send',
  http: 'POST /api/v1/mailboxes/{address}/send',
  ...orDryRun,
  tools: [
    {
      name: 'send_message',
      description:
        'Send one mail. A reply needs only inReplyTo and text. Repeating the call within 10 minutes sends nothing. To pass mail on use forward_message, for a person to review first create_draft, for many people one by one send_batch.',
      toolset: 'sending',
      effect: 'send',
      expose: ['address', ...Object.keys(sendFields).filter((name) => name !== 'headers')],
    },
  ],
  input: object({ address: AddressPart, ...sendFields }),
  errors: sendErrors,
  body: 'send',
  idempotent: true,
  handle: ({ ctx, principal }, { address, inReplyTo, replyAll, to, dryRun, ...content }) =>
    withCorrectedParam({ to, ...content }, async () => {
      const what = { address, inReplyTo, replyAll, to: peopleOf(to), ...(await contentOf(ctx, content)) }
      return dryRun === true
        ? dryRunResult(await dryRunMessage(ctx, principal, what))
        : sendResult(await send(ctx, principal, what))
    }),
})

export const replyMessage = operation({
  name: 'messages.reply',
  summary: 'Reply to a message: to its sender, or with all: true to everybody it was sent to.',
  scope: 'mail:send',
  http: 'POST /api/v1/mailboxes/{address}/messages/{message_id}/reply',
  ...orDryRun,
  input: object({ address: AddressPart, message_id: MessageId, ...replyFields }),
  errors: sendErrors,
  body: 'send',
  idempotent: true,
  handle: ({ ctx, principal }, { address, message_id, all, dryRun, ...content }) =>
    withCorrectedParam(content, async () => {
      const what = { address, messageId: message_id, all, ...(await contentOf(ctx, content)) }
      return dryRun === true
        ? dryRunResult(await dryRunReply(ctx, principal, what))
        : sendResult(await replyToMessage(ctx, principal, what))
    }),
})

export const forwardMessage = operation({
  name: 'messages.forward',
  summary: 'Forward a message, below your own text, with its files unless includeAttachments is false.',
  scope: 'mail:send',
  http: 'POST /api/v1/mailboxes/{address}/messages/{message_id}/forward',
  ...orDryRun,
  tools: [
    {
      name: 'forward_message',
      description: 'Forward a message, below your own text, with its files. To reply use send_message with inReplyTo.',
      toolset: 'sending',
      effect: 'send',
      expose: ['address', 'message_id', 'to', 'cc', 'bcc', 'text', 'includeAttachments', 'sendAt'],
      output: SendResult,
    },
  ],
  input: object({ address: AddressPart, message_id: MessageId, ...forwardFields }),
  errors: sendErrors,
  body: 'send',
  idempotent: true,
  handle: ({ ctx, principal }, { address, message_id, to, includeAttachments, dryRun, ...content }) =>
    withCorrectedParam({ to, ...content }, async () => {
      const body = await contentOf(ctx, content)
      const what = { address, messageId: message_id, to: peopleOf(to), includeAttachments, ...body }
      return dryRun === true
        ? dryRunResult(await dryRunForward(ctx, principal, what))
        : sendResult(await forward(ctx, principal, what))
    }),
})

/** Turns the input into content as core takes it. Fails with `validation_error`, `unavailable`. */
export async function contentOf(
  ctx: Context,
  { cc, bcc, replyTo, attachments, sendAt, ...content }: Omit<ReplyBody, 'all' | 'dryRun'>,
): Promise<SendInput> {
  return {
    ...(await withBodies(ctx, content)),
    ...(sendAt !== undefined && { sendAt: new Date(sendAt) }),
    cc: peopleOf(cc),
    bcc: peopleOf(bcc),
    replyTo: peopleOf(replyTo),
    attachments: filesIn(attachments),
  }
}

/** The files of a send with their bytes. Fails with `validation_error`. */
export const filesIn = (attachments: readonly AttachmentInput[] | undefined): readonly NewAttachment[] | undefined =>
  attachments?.map(fileOf)

/** Decodes base64 (RFC 4648 4), skipping white space. Fails with `validation_error` for anything else. */
function fileOf(attachment: AttachmentInput, index: number): NewAttachment {
  if (!('content' in attachment)) return attachment
  const content = decoded(attachment.content) ?? decoded(attachment.content.replaceAll(/\s+/g, ''))
  if (content === null) {
    const param = `attachments[${index}].content`
    throw new Failure('validation_error', `"${param}" is not base64.`, {
      param,
      fix: 'Encode the bytes of the file in base64 (A-Z a-z 0-9 + /), without a "data:" prefix.',
    })
  }
  return { ...attachment, content }
}

/** Decodes base64 (RFC 4648 4); null for anything else. The decoder skips other characters, so invalid text yields too few bytes. */
export function decoded(text: string): Buffer | null {
  const letters = text.length - (/={0,2}$/.exec(text.slice(-2))?.[0].length ?? 0)
  const isOther = letters % 4 === 1 || text.includes('-') || text.includes('_') // RFC 4648 5
  const bytes = isOther ? null : Buffer.from(text, 'base64')
  return bytes?.length === Math.floor((letters * 3) / 4) ? bytes : null
}

/** decisions.md 2, dryRun. */
const dryRunResult = ({ sizeBytes: size, headers, recipients }: Tried): DryRun => ({
  dryRun: true,
  size,
  headers,
  recipients,
})

/** decisions.md 2, Send result. */
export function sendResult({
  id,
  messageId,
  threadId,
  status,
  sendAt,
  approval,
  recipients,
  suppressed,
}: Sent): Infer<typeof SendResult> {
  const time = sendAt === undefined ? {} : { sendAt: sendAt.toISOString() }
  const waits = approval === undefined ? {} : { approval: askedFor(approval) }
  return { id, message_id: messageId, thread_id: threadId, status, ...time, ...waits, recipients, suppressed }
}

const askedFor = ({ _id: id, hash, draft, expiresAt }: NonNullable<Sent['approval']>) => ({
  id,
  hash,
  draft_id: draft?.messageId ?? null,
  expiresAt: expiresAt.toISOString(),
})
