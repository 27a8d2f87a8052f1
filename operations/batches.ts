import { getBatch as get, listBatches as list, sendBatch as send } from '../core/send/batches.ts'
import { withBodies } from '../core/send/content.ts'
import { AddressPart, page, pageSizeDefault, paging } from '../schemas/fields.ts'
import { object } from '../schemas/infer.ts'
import { BatchId, BatchResult, BatchStatus, BatchSummary, batchFields } from '../schemas/sending.ts'
import { operation } from './registry.ts'
import { sendErrors } from './sending.ts'

export const sendBatch = operation({
  name: 'batches.send',
  summary:
    'Send one text to many recipients, filling its {{tokens}} from the fields of each. The batch is accepted or refused as a whole.',
  scope: 'mail:send',
  http: 'POST /api/v1/mailboxes/{address}/send-batch',
  status: 202,
  tools: [
    {
      name: 'send_batch',
      description:
        'Send one text to many people, a mail to each, with {{tokens}} filled in. For one conversation use send_message, for the outcome get_batch_status.',
      toolset: 'sending',
      effect: 'send',
      expose: ['address', 'subject', 'text', 'markdown', 'recipients', 'idempotencyKey'],
    },
  ],
  input: object({ address: AddressPart, ...batchFields }),
  output: BatchResult,
  errors: [...sendErrors, 'batch_too_large', 'plan_required', 'idempotency_key_invalid', 'idempotency_key_reused'],
  body: 'send',
  handle: async ({ ctx, principal }, input) => send(ctx, principal, await withBodies(ctx, input)),
})

export const listBatches = operation({
  name: 'batches.list',
  summary: 'The batches of the last 90 days, newest first, with the progress of each.',
  scope: 'mail:send',
  http: 'GET /api/v1/batches',
  input: object(paging),
  output: page('batches', BatchSummary),
  errors: [],
  async handle({ ctx, principal }, { limit = pageSizeDefault, ...rest }) {
    const { items, next } = await list(ctx, principal, { limit, ...rest })
    return {
      batches: items.map(({ _id: id, from, subject, createdAt, done, total, nextAt }) => ({
        id,
        mailbox: from.address,
        subject,
        createdAt: createdAt.toISOString(),
        handled: done,
        total,
        ended: nextAt === undefined,
      })),
      next,
    }
  },
})

export const getBatch = operation({
  name: 'batches.get',
  summary: 'The delivery status of each recipient of a batch.',
  scope: 'mail:send',
  http: 'GET /api/v1/mailboxes/{address}/send-batch/{batch_id}',
  tools: [
    {
      name: 'get_batch_status',
      description: 'Delivery status of each recipient of a batch. For a single send use get_delivery_status.',
      toolset: 'sending',
      effect: 'read',
      expose: ['address', 'batch_id'],
    },
  ],
  input: object({ address: AddressPart, batch_id: BatchId }),
  output: BatchStatus,
  errors: ['not_found'],
  async handle({ ctx, principal }, { address, batch_id }) {
    const { id, recipients } = await get(ctx, principal, { address, id: batch_id })
    return { id, recipients: recipients.map(({ emailId, ...rest }) => ({ ...rest, email_id: emailId })) }
  },
})
