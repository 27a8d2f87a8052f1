import { type Thread as Found, listThreads as list, getThread as read } from '../core/read/threads.ts'
import { AddressPart, page, pageSizeDefault, paging, ThreadId } from '../schemas/fields.ts'
import { object, optional, timestamp } from '../schemas/infer.ts'
import { messageFilters } from '../schemas/messages.ts'
import { Thread, WholeThread } from '../schemas/threads.ts'
import { operation } from './registry.ts'
import { messageSummary } from './summaries.ts'

const { thread_id: _, ...filters } = messageFilters

export const listThreads = operation({
  name: 'threads.list',
  summary:
    "Conversations of an agent's mailbox, by their newest message; one passes when each filter fits one of its messages.",
  scope: 'mail:read',
  http: 'GET /api/v1/mailboxes/{address}/threads',
  input: object({
    address: AddressPart,
    ...filters,
    since: optional(timestamp({ description: 'Whose newest message came at this time or later.' })),
    ...paging,
  }),
  output: page('threads', Thread),
  errors: ['not_found', 'agent_inbox_only'],
  async handle({ ctx, principal }, { has_attachment, since, until, limit = pageSizeDefault, ...given }) {
    const { items, next } = await list(ctx, principal, {
      ...given,
      limit,
      hasAttachment: has_attachment,
      ...(since !== undefined && { since: new Date(since) }),
      ...(until !== undefined && { until: new Date(until) }),
    })
    return { threads: items.map(record), next }
  },
})

export const getThread = operation({
  name: 'threads.get',
  summary: 'One conversation with its messages, oldest first; long ones in pages from the end.',
  scope: 'mail:read',
  http: 'GET /api/v1/mailboxes/{address}/threads/{thread_id}',
  tools: [
    {
      name: 'get_thread',
      description: 'A conversation and its messages, oldest first. Read bodies with read_message.',
      effect: 'read',
      expose: ['address', 'thread_id', 'limit', 'before'],
      preset: { limit: 20 },
      sizedBy: 'limit',
    },
  ],
  input: object({ address: AddressPart, thread_id: ThreadId, ...paging }),
  output: WholeThread,
  errors: ['not_found', 'agent_inbox_only'],
  async handle({ ctx, principal }, { address, thread_id, limit = pageSizeDefault, before }) {
    const { messages, next, ...thread } = await read(ctx, principal, { address, threadId: thread_id, limit, before })
    return { ...record(thread), messages: messages.map(messageSummary), next }
  },
})

/** decisions.md 2, Messages, folders, threads, labels. */
function record({ id, subject, participants, messageCount, lastMessageAt, labels, awaiting }: Found): Thread {
  return {
    thread_id: id,
    subject,
    participants,
    labels,
    awaiting,
    message_count: messageCount,
    last_message_at: lastMessageAt.toISOString(),
  }
}
