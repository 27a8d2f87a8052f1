import { getDeliveryStatus as get, overallStatus } from '../core/deliver/delivery-status.ts'
import { identifier } from '../schemas/fields.ts'
import { object, optional } from '../schemas/infer.ts'
import { DeliveryReport } from '../schemas/sending.ts'
import { recipientStatus } from './emails.ts'
import { operation } from './registry.ts'

export const getDeliveryStatus = operation({
  name: 'deliveries.status',
  summary: 'The delivery status of a send: for each recipient its status and the reply of its mail server.',
  scope: 'mail:read',
  http: 'GET /api/v1/delivery-status',
  tools: [
    {
      name: 'get_delivery_status',
      description:
        "Delivery status of a send, with the reply of each recipient's server. Give either id or message_id. For a batch use get_batch_status.",
      toolset: 'sending',
      effect: 'read',
      expose: ['message_id', 'id'],
    },
  ],
  input: object({
    message_id: optional(identifier('Id of the copy in Sent (msg_...).')),
    id: optional(identifier('Id of the send (em_...).')),
  }),
  output: DeliveryReport,
  errors: ['email_not_found', 'not_found'],
  async handle({ ctx, principal }, { message_id, id }) {
    const email = await get(ctx, principal, { id, messageId: message_id })
    const { _id, messageId, mailbox, subject, recipients } = email
    return {
      id: _id,
      message_id: messageId,
      mailbox,
      subject,
      status: overallStatus(email),
      recipients: recipients.map(recipientStatus),
    }
  },
})
