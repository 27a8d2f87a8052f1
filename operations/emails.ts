import { cancelScheduled } from '../core/send/cancellation.ts'
import { reachScheduledEmail, reschedule } from '../core/send/scheduled.ts'
import { getEmail as get, listEmails as list, requireSender, sendEmail as send } from '../core/send/transactional.ts'
import { page, pageSizeDefault, paging } from '../schemas/fields.ts'
import { object } from '../schemas/infer.ts'
import {
  CancelledEmail,
  Email,
  EmailId,
  emailFields,
  NewSendTime,
  type RecipientStatus,
  SendResult,
} from '../schemas/sending.ts'
import { peopleOf, withCorrectedParam } from './addresses.ts'
import { operation } from './registry.ts'
import { contentOf, sendErrors, sendResult } from './sending.ts'

type Found = Awaited<ReturnType<typeof get>>

export const sendEmail = operation({
  name: 'emails.send',
  summary: 'Send one mail from any address on a verified domain, with its own content or from a template.',
  scope: 'mail:send',
  http: 'POST /api/v1/emails',
  status: 202,
  input: object(emailFields),
  output: SendResult,
  errors: [...sendErrors, 'template_not_found', 'template_paused', 'missing_template_variables'],
  body: 'send',
  idempotent: true,
  sharesAnswer: true,
  reach: ({ ctx, principal }, { from }) => requireSender(ctx, principal, from),
  handle: ({ ctx, principal }, { from, to, template, variables, tags, ...content }) =>
    withCorrectedParam({ to, ...content }, async () => {
      const what = { ...(await contentOf(ctx, content)), from, to: peopleOf(to), template, variables, tags }
      return sendResult(await send(ctx, principal, what))
    }),
})

export const listEmails = operation({
  name: 'emails.list',
  summary: 'Sends of the account, newest first, including those that wait for approval. An agent key sees its own.',
  scope: 'mail:send',
  http: 'GET /api/v1/emails',
  input: object({ ...paging }),
  output: page('emails', Email),
  errors: [],
  async handle({ ctx, principal }, { limit = pageSizeDefault, before }) {
    const { items, next } = await list(ctx, principal, { limit, ...(before !== undefined && { before }) })
    return { emails: items.map(emailOf), next }
  },
})

export const getEmail = operation({
  name: 'emails.get',
  summary: 'One send, with the status of each recipient and the reply of its mail server.',
  scope: 'mail:send',
  http: 'GET /api/v1/emails/{id}',
  input: object({ id: EmailId }),
  output: Email,
  errors: ['email_not_found'],
  handle: async ({ ctx, principal }, { id }) => emailOf(await get(ctx, principal, id)),
})

export const updateEmail = operation({
  name: 'emails.update',
  summary: 'Change the time of a scheduled send, until it is claimed for sending.',
  scope: 'mail:send',
  http: 'PATCH /api/v1/emails/{id}',
  input: object({ id: EmailId, sendAt: NewSendTime }),
  output: Email,
  errors: ['email_not_found', 'conflict'],
  async handle({ ctx, principal }, { id, sendAt }) {
    await reschedule(ctx, principal, {
      email: await reachScheduledEmail(ctx, principal, id),
      sendAt: new Date(sendAt),
    })
    return emailOf(await get(ctx, principal, id))
  },
})

export const cancelEmail = operation({
  name: 'emails.cancel',
  summary:
    'Cancel a send, until it is claimed for sending. Its allowance is returned, and a send that was a draft becomes a draft again.',
  scope: 'mail:send',
  http: 'POST /api/v1/emails/{id}/cancel',
  input: object({ id: EmailId }),
  output: CancelledEmail,
  errors: ['email_not_found', 'conflict'],
  async handle({ ctx, principal }, { id }) {
    const { draftId } = await cancelScheduled(ctx, principal, await reachScheduledEmail(ctx, principal, id))
    return { ...emailOf(await get(ctx, principal, id)), draft_id: draftId }
  },
})

function emailOf(email: Found): Email {
  const {
    _id,
    from,
    to,
    cc,
    bcc,
    subject,
    mailbox,
    messageId,
    tags = [],
    sendAt,
    createdAt,
    recipients,
    approval,
  } = email
  const addresses = (people: Found['to']) => people.map(({ address }) => address)
  return {
    id: _id,
    from: from.address,
    to: addresses(to),
    cc: addresses(cc),
    bcc: addresses(bcc),
    subject,
    mailbox,
    message_id: messageId,
    tags,
    ...(sendAt !== undefined && { sendAt: sendAt.toISOString() }),
    ...(approval !== undefined && {
      approval: { id: approval._id, status: approval.status, reason: approval.decision?.reason ?? null },
    }),
    createdAt: createdAt.toISOString(),
    recipients: recipients.map(recipientStatus),
  }
}

/** The delivery status of a recipient, in wire form. */
export function recipientStatus({
  email,
  status,
  reason,
  at,
  mx,
  response,
  attempts,
}: Found['recipients'][number]): RecipientStatus {
  return { email, status, reason, at: at.toISOString(), mx, response, attempts }
}
