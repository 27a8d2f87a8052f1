import { emptyTrash as empty, markAllRead as markRead } from '../core/mailbox/bulk-changes.ts'
import { restoreMessage as restore } from '../core/mailbox/message-changes.ts'
import { arrivalsFirst } from '../core/upkeep/arrivals.ts'
import { claim, claimSecondsMax, releaseClaim } from '../core/wait/message-leases.ts'
import { AddressPart, MessageId } from '../schemas/fields.ts'
import { integer, object, string, timestamp } from '../schemas/infer.ts'
import { FolderPath, MessageSummary } from '../schemas/messages.ts'
import { Released } from '../schemas/threads.ts'
import { operation } from './registry.ts'
import { changedFields, messageSummary } from './summaries.ts'

export const restoreMessage = operation({
  name: 'messages.restore',
  summary: 'Restore a message from Trash to the folder it was deleted from, or to INBOX if that folder is gone.',
  scope: 'mail:write',
  http: 'POST /api/v1/mailboxes/{address}/messages/{message_id}/restore',
  tools: [
    {
      name: 'restore_message',
      description: 'Restore a message from Trash to its former folder. From another folder use move_message.',
      toolset: 'mail',
      effect: 'write',
      expose: ['address', 'message_id'],
      shows: changedFields,
    },
  ],
  input: object({ address: AddressPart, message_id: MessageId }),
  output: MessageSummary,
  errors: ['not_found', 'conflict'],
  async handle({ ctx, principal }, { address, message_id: messageId }) {
    return messageSummary(await restore(ctx, principal, { address, messageId }))
  },
})

export const claimMessage = operation({
  name: 'messages.claim',
  summary: 'Lease a message, so that no other worker answers it; the same key may renew its lease.',
  scope: 'mail:write',
  http: 'POST /api/v1/mailboxes/{address}/messages/{message_id}/claim',
  input: object({
    address: AddressPart,
    message_id: MessageId,
    ttl: integer({ minimum: 1, maximum: claimSecondsMax, description: 'Seconds until the lease ends by itself.' }),
  }),
  output: object({ message_id: string(), claimed_until: timestamp() }),
  errors: ['not_found', 'conflict'],
  async handle({ ctx, principal }, { address, message_id, ttl }) {
    const { until } = await claim(ctx, principal, { address, messageId: message_id, ttlSeconds: ttl })
    return { message_id, claimed_until: until.toISOString() }
  },
})

export const releaseMessage = operation({
  name: 'messages.release',
  summary: 'Release the lease of a message.',
  scope: 'mail:write',
  http: 'DELETE /api/v1/mailboxes/{address}/messages/{message_id}/claim',
  input: object({ address: AddressPart, message_id: MessageId }),
  output: Released,
  errors: ['not_found', 'conflict'],
  async handle({ ctx, principal }, { address, message_id }) {
    await releaseClaim(ctx, principal, { address, messageId: message_id })
    return { released: true }
  },
})

export const markAllRead = operation({
  name: 'messages.readAll',
  summary: 'Mark every message of a folder as seen.',
  scope: 'mail:write',
  http: 'POST /api/v1/mailboxes/{address}/messages/read-all',
  tools: [
    {
      name: 'mark_all_read',
      description: 'Mark every message of a folder as seen. For single messages use flag_message.',
      toolset: 'mail',
      effect: 'write',
      expose: ['address', 'folder'],
      describe: { folder: 'Its path, or a role such as inbox.' },
    },
  ],
  input: object({ address: AddressPart, folder: FolderPath }),
  output: object({ updated: integer({ description: 'How many messages were unseen before.' }) }),
  errors: ['not_found'],
  async handle({ ctx, principal }, { address, folder }) {
    return { updated: await markRead(ctx, principal, { address, folder }) }
  },
})

export const emptyTrash = operation({
  name: 'trash.empty',
  summary: 'Permanently delete everything in Trash.',
  scope: 'mail:write',
  http: 'POST /api/v1/mailboxes/{address}/trash/empty',
  tools: [
    {
      name: 'empty_trash',
      description: 'Permanently delete everything in Trash. Only when a person asks for exactly this.',
      toolset: 'mail',
      effect: 'delete',
      expose: ['address'],
    },
  ],
  input: object({ address: AddressPart }),
  output: object({ deleted: integer({ description: 'How many messages were deleted.' }) }),
  errors: [],
  async handle({ ctx, principal }, { address }) {
    return { deleted: await empty(ctx, principal, address, arrivalsFirst(ctx, principal.accountId)) }
  },
})
