import { verificationKinds } from '../core/wait/filters.ts'
import { claimSecondsMax } from '../core/wait/message-leases.ts'
import { regexCharsMax } from '../core/wait/patterns.ts'
import { type Found, waitForVerification } from '../core/wait/verification.ts'
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
  oneOf,
  optional,
  perhapsTime,
  string,
  timestamp,
  untrusted,
} from '../schemas/infer.ts'
import { messageFilters, WaitedMessage } from '../schemas/messages.ts'
import { type Call, operation } from './registry.ts'
import { waitedMessage } from './summaries.ts'

const fields = {
  address: AddressPart,
  ...messageFilters,
  regex: optional(
    string({
      minLength: 1,
      maxLength: regexCharsMax,
      description: 'Matches the subject or text. RE2, such as (?i)code: \\d{6}.',
    }),
  ),
  has_code: optional(boolean({ description: 'Whether it has a verification code.' })),
  has_link: optional(boolean({ description: 'Whether it has a verification link.' })),
  from_domain: optional(
    string({ minLength: 1, maxLength: 253, description: 'Authenticated domain of the sender, or a parent.' }),
  ),
  since: optional(
    perhapsTime(identifier('Cursor of a list or wait, or time, from before you trigger the mail. Default: now.')),
  ),
  timeout: optional(
    integer({
      minimum: 1,
      maximum: timeoutSecondsMax,
      default: timeoutSecondsDefault,
      description: 'Seconds, at most 55.',
    }),
  ),
}
/** Leaves out filters that new mail cannot pass yet (labels, flags, read state) and those that hardly tell it from other mail. */
const exposed = [
  ...['address', 'folder', 'thread_id', 'from', 'from_domain', 'subject'],
  ...['has_code', 'regex', 'since', 'timeout'],
]

/** Arguments shared with wait_for_message, whose descriptions a model sees as well. */
const describe = Object.fromEntries(['from_domain', 'since'].map((name) => [name, 'As in wait_for_message.']))

const NearMisses = array(object({ message_id: string(), why: string({ description: 'The filter that it fails.' }) }), {
  description: 'Messages that arrived meanwhile but failed a filter, newest first.',
})
const Cursor = string({ description: 'Pass as since to wait for mail after this answer.' })

const Answer = object({
  message: described('The first message that passes the filters; null after the timeout.', nullable(WaitedMessage)),
  near_misses: NearMisses,
  cursor: Cursor,
})

const errors = ['not_found', 'agent_inbox_only'] as const

export const waitForMessage = operation({
  name: 'messages.wait',
  summary:
    'Wait for a message that passes all filters; the answer comes at once if there is one. Spam and Trash count only if named as folder.',
  scope: 'mail:read',
  http: 'GET /api/v1/mailboxes/{address}/wait',
  tools: [
    {
      name: 'wait_for_message',
      description:
        'Wait for a message that passes all filters. Before you trigger the mail, note the time or the cursor of list_messages; pass it as since. For a code or link to verify use get_verification_code, for mail that has arrived list_messages.',
      toolset: 'mail',
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
    'Wait for a message and lease it: with claim, the lease in seconds, parallel waits receive distinct messages.',
  scope: ['mail:read', 'mail:write'],
  http: 'POST /api/v1/mailboxes/{address}/wait',
  tools: [
    {
      name: 'claim_next_message',
      description: 'Like wait_for_message, but leases the message to you. Only where several workers share a mailbox.',
      toolset: 'mail',
      effect: 'create',
      expose: ['address', 'from', 'from_domain', 'subject', 'has_code', 'since', 'timeout', 'claim'],
      describe,
      require: ['claim'],
    },
  ],
  input: object({
    ...fields,
    claim: optional(integer({ minimum: 1, maximum: claimSecondsMax, description: 'Seconds of the lease.' })),
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

export const getVerification = operation({
  name: 'messages.verification',
  summary:
    'Wait for a mail with a verification code or link, and return only the code or link. Without since, only mail stored from now on counts.',
  scope: 'mail:read',
  http: 'GET /api/v1/mailboxes/{address}/verification',
  tools: [
    {
      name: 'get_verification_code',
      description:
        'Wait for the code or link that a site mails you to sign in or verify an address, and get only that. Before you trigger the mail, note the time; pass it as since, and the domain of the site as from_domain. For the whole mail use wait_for_message.',
      toolset: 'mail',
      effect: 'read',
      expose: ['address', 'from_domain', 'kind', 'since', 'timeout'],
      describe,
    },
  ],
  input: object({
    address: AddressPart,
    kind: optional(
      oneOf(verificationKinds, { default: 'any', description: 'any: the code, or the link of a mail without one.' }),
    ),
    from_domain: fields.from_domain,
    since: fields.since,
    timeout: fields.timeout,
  }),
  output: object({
    found: described(
      'null after the timeout.',
      nullable(
        object({
          kind: oneOf(['code', 'link']),
          value: untrusted(string({ description: 'The code, or the URL of the link.' })),
          domain: nullable(
            string({ description: 'Authenticated domain of the sender; null: anybody may have sent it.' }),
          ),
          same_org: nullable(boolean({ description: 'Whether the link leads to that domain; null for a code.' })),
          message_id: string(),
          received_at: timestamp(),
        }),
      ),
    ),
    near_misses: NearMisses,
    cursor: Cursor,
  }),
  errors,
  async handle({ ctx, principal, again, hungUp }, { address, kind = 'any', from_domain: fromDomain, since, timeout }) {
    const wait = { address, kind, fromDomain, since, timeoutSeconds: timeout }
    const { found, nearMisses, cursor } = await waitForVerification(ctx, { principal, again }, wait, hungUp)
    return { found: found === null ? null : verificationFound(found), near_misses: nearMisses.map(nearMiss), cursor }
  },
})

function verificationFound({ kind, value, domain, sameOrg, message }: Found) {
  const { id, receivedAt } = message
  return { kind, value, domain, same_org: sameOrg, message_id: id, received_at: receivedAt.toISOString() }
}

const nearMiss = ({ messageId, why }: Waited['nearMisses'][number]) => ({ message_id: messageId, why })

function waitFor(
  { ctx, principal, again, hungUp }: Call,
  { thread_id, has_attachment, has_code, has_link, from_domain, until, timeout, ...input }: InferFields<typeof fields>,
  claimSeconds?: number,
): Promise<Waited> {
  const asked = {
    ...input,
    threadId: thread_id,
    hasAttachment: has_attachment,
    hasCode: has_code,
    hasLink: has_link,
    fromDomain: from_domain,
    timeoutSeconds: timeout,
    claimSeconds,
    ...(until !== undefined && { until: new Date(until) }),
  }
  return wait(ctx, { principal, again }, asked, hungUp)
}

function answer({ message, nearMisses, cursor }: Waited) {
  return {
    message: message === null ? null : waitedMessage(message),
    near_misses: nearMisses.map(nearMiss),
    cursor,
  }
}
