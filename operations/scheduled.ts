import { cancelScheduled as cancel } from '../core/send/cancellation.ts'
import { listScheduled as list, reachScheduled, reschedule } from '../core/send/scheduled.ts'
import { AddressPart, page, pageSizeDefault, paging } from '../schemas/fields.ts'
import { object } from '../schemas/infer.ts'
import { Cancelled, NewSendTime, Scheduled, ScheduledId } from '../schemas/sending.ts'
import { operation } from './registry.ts'

type Found = Awaited<ReturnType<typeof reschedule>>

export const listScheduled = operation({
  name: 'scheduled.list',
  summary: 'Scheduled sends of a mailbox, newest first.',
  scope: 'mail:send',
  http: 'GET /api/v1/mailboxes/{address}/scheduled',
  tools: [
    {
      name: 'list_scheduled',
      description: 'Scheduled sends. For sent mail use list_messages with folder sent.',
      toolset: 'sending',
      effect: 'read',
      expose: ['address', 'limit', 'before'],
      preset: { limit: 20 },
      sizedBy: 'limit',
    },
  ],
  input: object({ address: AddressPart, ...paging }),
  output: page('scheduled', Scheduled),
  errors: [],
  async handle({ ctx, principal }, { address, limit = pageSizeDefault, before }) {
    const { items, next } = await list(ctx, principal, { address, limit, ...(before !== undefined && { before }) })
    return { scheduled: items.map(scheduledOf), next }
  },
})

export const updateScheduled = operation({
  name: 'scheduled.update',
  summary: 'Change the time of a scheduled send, until it is claimed for sending.',
  scope: 'mail:send',
  http: 'PATCH /api/v1/mailboxes/{address}/scheduled/{id}',
  input: object({
    address: AddressPart,
    id: ScheduledId,
    sendAt: NewSendTime,
  }),
  output: Scheduled,
  errors: ['email_not_found', 'conflict'],
  handle: async ({ ctx, principal }, { sendAt, ...which }) =>
    scheduledOf(
      await reschedule(ctx, principal, {
        email: await reachScheduled(ctx, principal, which),
        sendAt: new Date(sendAt),
      }),
    ),
})

export const cancelScheduled = operation({
  name: 'scheduled.cancel',
  summary:
    'Cancel a send, until it is claimed for sending. Its allowance is returned, and a send that was a draft becomes a draft again.',
  scope: 'mail:send',
  http: 'DELETE /api/v1/mailboxes/{address}/scheduled/{id}',
  tools: [
    {
      name: 'cancel_scheduled',
      description:
        'Cancel a scheduled send; a former draft becomes one again (draft_id). Sent mail cannot be recalled.',
      toolset: 'sending',
      effect: 'delete',
      expose: ['address', 'id'],
      shows: ['id', 'draft_id', 'to', 'subject'],
    },
  ],
  input: object({ address: AddressPart, id: ScheduledId }),
  output: Cancelled,
  errors: ['email_not_found', 'conflict'],
  async handle({ ctx, principal }, which) {
    const { email, draftId } = await cancel(ctx, principal, await reachScheduled(ctx, principal, which))
    return { ...scheduledOf(email), draft_id: draftId }
  },
})

function scheduledOf({
  _id,
  messageId,
  threadId,
  scheduledFor,
  from,
  to,
  cc,
  bcc,
  subject,
  createdAt,
}: Found): Scheduled {
  const addresses = (people: Found['to']) => people.map(({ address }) => address)
  return {
    id: _id,
    message_id: messageId,
    thread_id: threadId,
    sendAt: scheduledFor?.toISOString() ?? null,
    status: scheduledFor === undefined ? 'cancelled' : 'scheduled',
    from: from.address,
    to: addresses(to),
    cc: addresses(cc),
    bcc: addresses(bcc),
    subject,
    createdAt: createdAt.toISOString(),
  }
}
