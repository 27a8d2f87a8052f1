import { claimSecondsMax } from '../core/wait/message-leases.ts'
import { regexCharsMax } from '../core/wait/patterns.ts'
import { timeoutSecondsDefault, timeoutSecondsMax, type Waited, waitForMessage as wait } from '../core/wait/wait.ts'
import { AddressPart, identifier } from '../schemas/fields.ts'
import {
  array,
  boolean,
  described,
  extended,
  type InferFields,
  integer,
  nullable,
  object,
  optional,
  string,
  timestamp,
} from '../schemas/infer.ts'
import { messageFilterNames, messageFilters, WaitedMessage } from '../schemas/messages.ts'
import { type Call, operation } from './registry.ts'
import { waitedMessage } from './summaries.ts'

const fields = {
  address: AddressPart,
  ...messageFilters,
  regex: optional(
    string({
      minLength: 1,
      maxLength: regexCharsMax,
      description: 'Found in the subject or the text; in the syntax of RE2, such as (?i)code: \\d{6}.',
    }),
  ),
  has_code: optional(boolean({ description: 'Whether there is a verification code in it.' })),
  from_domain: optional(
    string({ minLength: 1, maxLength: 253, description: 'The authenticated domain of the sender, or one above it.' }),
  ),
  since: optional(
    identifier(
      'A cursor of a list or a wait, or a time, taken before what makes the mail come. Without it only mail stored from now on counts.',
    ),
  ),
  timeout: optional(
    integer({
      minimum: 1,
      maximum: timeoutSecondsMax,
      default: timeoutSecondsDefault,
      description: 'Seconds to wait.',
    }),
  ),
}
const exposed = ['address', ...messageFilterNames, 'regex', 'has_code', 'from_domain', 'since', 'timeout']

const Answer = object({
  message: described('The first that passes the filters; null when the time was over.', nullable(WaitedMessage)),
  near_misses: array(object({ message_id: string(), why: string({ description: 'The filter that it fails.' }) }), {
    description: 'What came meanwhile and failed a filter, newest first.',
  }),
  cursor: string({ description: 'Pass as since to wait for what comes after this answer.' }),
})

const errors = ['not_found', 'agent_inbox_only'] as const

export const waitForMessage = operation({
  name: 'messages.wait',
  summary:
    'Wait for a message: answered at once or as soon as one lands that passes all filters. Spam and Trash count only when asked for as folder.',
  scope: 'mail:read',
  http: 'GET /api/v1/mailboxes/{address}/wait',
  tools: [
    {
      name: 'wait_for_message',
      description:
        'Wait until a message lands that passes all filters, and get it with its verification codes and links. Do what makes the mail come after noting the time or the cursor of list_messages, and pass that as since.',
      effect: 'read',
      expose: exposed,
    },
  ],
  input: object(fields),
  output: Answer,
  errors,
  async handle(call, input) {
    return answer(await waitFor(call, input))
  },
})

export const claimNextMessage = operation({
  name: 'messages.wait_and_claim',
  summary:
    'Wait for a message and take it: with claim, a lease of so many seconds, parallel waits get distinct messages.',
  scope: ['mail:read', 'mail:write'],
  http: 'POST /api/v1/mailboxes/{address}/wait',
  tools: [
    {
      name: 'claim_next_message',
      description:
        'Like wait_for_message, and takes the message, so that no other worker gets it while the lease lasts.',
      effect: 'create',
      expose: [...exposed, 'claim'],
      require: ['claim'],
    },
  ],
  input: object({
    ...fields,
    claim: optional(
      integer({ minimum: 1, maximum: claimSecondsMax, description: 'Seconds of the lease; without it none is taken.' }),
    ),
  }),
  output: extended(Answer, {
    claimed_until: described('When the lease ends; null without one.', nullable(timestamp())),
  }),
  errors,
  async handle(call, { claim, ...input }) {
    const waited = await waitFor(call, input, claim)
    return { ...answer(waited), claimed_until: waited.claimedUntil?.toISOString() ?? null }
  },
})

function waitFor(
  { ctx, principal, hungUp }: Call,
  { thread_id, has_attachment, has_code, from_domain, until, timeout, ...input }: InferFields<typeof fields>,
  claimSeconds?: number,
): Promise<Waited> {
  const asked = {
    ...input,
    threadId: thread_id,
    hasAttachment: has_attachment,
    hasCode: has_code,
    fromDomain: from_domain,
    timeoutSeconds: timeout,
    claimSeconds,
    ...(until !== undefined && { until: new Date(until) }),
  }
  return wait(ctx, principal, asked, hungUp)
}

function answer({ message, nearMisses, cursor }: Waited) {
  return {
    message: message === null ? null : waitedMessage(message),
    near_misses: nearMisses.map(({ messageId, why }) => ({ message_id: messageId, why })),
    cursor,
  }
}
