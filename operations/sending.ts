import { type NewAttachment, replyToMessage, type SendResult as Sent, sendMessage as send } from '../core/send.ts'
import { Failure } from '../schemas/failures.ts'
import { AddressPart, MessageId } from '../schemas/fields.ts'
import { type Infer, object } from '../schemas/infer.ts'
import { type AttachmentInput, type ReplyBody, replyFields, SendResult, sendFields } from '../schemas/sending.ts'
import { blaming, peopleOf } from './addresses.ts'
import { operation } from './registry.ts'

const sendErrors = [
  'account_paused',
  'sending_paused',
  'CLAIM_REQUIRED',
  'shared_domain_phone_required',
  'invalid_sender',
  'domain_not_on_account',
  'domain_not_verified',
  'all_recipients_suppressed',
  'AGENT_EMAIL_LIMIT',
  'send_limit_reached',
  'shared_domain_send_limit',
  'send_rate_limited',
  'send_failed',
  'not_found',
  'unprocessable',
] as const

export const sendMessage = operation({
  name: 'messages.send',
  summary: 'Send one mail from a mailbox, to at most 50 recipients.',
  scope: 'mail:send',
  http: 'POST /api/v1/mailboxes/{address}/send',
  status: 202,
  tools: [
    {
      name: 'send_message',
      description:
        'Send one mail. inReplyTo (a message_id) makes it an answer. The same call again within 10 minutes returns the first result and sends nothing.',
      effect: 'send',
      expose: ['address', ...Object.keys(sendFields)],
    },
  ],
  input: object({ address: AddressPart, ...sendFields }),
  output: SendResult,
  errors: sendErrors,
  body: 'send',
  idempotent: true,
  handle: ({ ctx, principal }, { address, inReplyTo, to, ...content }) =>
    blaming({ to, ...content }, async () =>
      sendResult(await send(ctx, principal, { address, inReplyTo, to: peopleOf(to), ...contentOf(content) })),
    ),
})

export const replyMessage = operation({
  name: 'messages.reply',
  summary: 'Answer a message: to its sender, or with all: true to everybody it went to.',
  scope: 'mail:send',
  http: 'POST /api/v1/mailboxes/{address}/messages/{message_id}/reply',
  status: 202,
  input: object({ address: AddressPart, message_id: MessageId, ...replyFields }),
  output: SendResult,
  errors: sendErrors,
  body: 'send',
  idempotent: true,
  handle: ({ ctx, principal }, { address, message_id, all, ...content }) =>
    blaming(content, async () =>
      sendResult(await replyToMessage(ctx, principal, { address, messageId: message_id, all, ...contentOf(content) })),
    ),
})

function contentOf({ cc, bcc, replyTo, attachments, ...content }: Omit<ReplyBody, 'all'>) {
  return {
    ...content,
    cc: peopleOf(cc),
    bcc: peopleOf(bcc),
    replyTo: peopleOf(replyTo),
    attachments: attachments?.map(fileOf),
  }
}

/** Fails with `validation_error` for what is not base64 (RFC 4648 4; white space is passed over). */
function fileOf(attachment: AttachmentInput, index: number): NewAttachment {
  if (!('content' in attachment)) return attachment
  const text = /\s/.test(attachment.content) ? attachment.content.replaceAll(/\s+/g, '') : attachment.content
  if (text.length % 4 === 1 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) {
    const param = `attachments[${index}].content`
    throw new Failure('validation_error', `"${param}" is not base64.`, { param })
  }
  return { ...attachment, content: Buffer.from(text, 'base64') }
}

function sendResult({ id, messageId, threadId, status, recipients, suppressed }: Sent): Infer<typeof SendResult> {
  return { id, message_id: messageId, thread_id: threadId, status, recipients, suppressed }
}
