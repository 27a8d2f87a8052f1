import type { Message } from '../core/mailbox/messages.ts'
import { readMessage } from '../core/read/bodies.ts'
import { type Thread as Found, listThreads as list, getThread as read } from '../core/read/threads.ts'
import { Failure } from '../schemas/failures.ts'
import { AddressPart, page, pageSizeDefault, paging, ThreadId } from '../schemas/fields.ts'
import { integer, object, oneOf, optional, timestamp } from '../schemas/infer.ts'
import { bodyViews, messageFilters, type ThreadMessage } from '../schemas/messages.ts'
import { Thread, WholeThread } from '../schemas/threads.ts'
import { cutBodies } from './bodies.ts'
import { type Call, operation } from './registry.ts'
import { messageSummary } from './summaries.ts'

const { thread_id: _, ...filters } = messageFilters
/** Most messages with bodies in one answer: each body has to be read and parsed. */
const bodiesMax = 20
const charsDefault = 4_000

export const listThreads = operation({
  name: 'threads.list',
  summary:
    "Conversations of an agent's mailbox, ordered by their newest message; one matches if each filter matches one of its messages. Those wholly in Trash, Spam or Drafts are left out unless folder is given.",
  scope: 'mail:read',
  http: 'GET /api/v1/mailboxes/{address}/threads',
  input: object({
    address: AddressPart,
    ...filters,
    since: optional(timestamp({ description: 'Only those whose newest message was stored at this time or later.' })),
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
  summary: 'One conversation with its messages, oldest first; a long one is paged from its end.',
  scope: 'mail:read',
  http: 'GET /api/v1/mailboxes/{address}/threads/{thread_id}',
  tools: [
    {
      name: 'get_thread',
      description:
        'A conversation as summaries of its messages, oldest first; with view also their bodies. One message: read_message.',
      toolset: 'mail',
      effect: 'read',
      expose: ['address', 'thread_id', 'view', 'max_chars', 'limit', 'before'],
      preset: { limit: 20 },
      sizedBy: 'limit',
    },
  ],
  input: object({
    address: AddressPart,
    thread_id: ThreadId,
    view: optional(
      oneOf(bodyViews, { description: `Include the body of each message, for at most ${bodiesMax} of them.` }),
    ),
    max_chars: optional(
      integer({
        minimum: 1,
        maximum: 100_000,
        default: charsDefault,
        description: 'Most characters of each body.',
      }),
    ),
    ...paging,
  }),
  output: WholeThread,
  errors: ['not_found', 'agent_inbox_only'],
  async handle(call, { address, thread_id: threadId, view, max_chars, limit = pageSizeDefault, before }) {
    const page = view === undefined ? limit : Math.min(limit, bodiesMax)
    const { messages, next, ...thread } = await read(call.ctx, call.principal, {
      address,
      threadId,
      limit: page,
      before,
    })
    const told: ThreadMessage[] = []
    for (const message of messages)
      told.push(
        view === undefined ? messageSummary(message) : await withBody(call, message, { view, maxChars: max_chars }),
      )
    return { ...record(thread), messages: told, next }
  },
})

/** Returns a message with its body, or its summary alone if it was deleted meanwhile. */
async function withBody(
  { ctx, principal }: Call,
  message: Message,
  { view, maxChars = charsDefault }: { view: (typeof bodyViews)[number]; maxChars?: number },
): Promise<ThreadMessage> {
  const { id: messageId, mailbox: address } = message
  const whole = await readMessage(ctx, principal, { address, messageId, view }).catch((error: unknown) => {
    if (error instanceof Failure && error.code === 'not_found') return null
    throw error
  })
  if (whole === null) return messageSummary(message)
  const { next, ...bodies } = cutBodies(whole, { from: 0, maxChars })
  return { ...messageSummary(message), ...bodies, truncated: whole.truncated || next !== null, next }
}

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
