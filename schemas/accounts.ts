/** Accounts, signup and usage as callers see them (interface.md, Signup result; decisions.md 2, Account). */
import { approvalModes } from './approvals.ts'
import {
  array,
  boolean,
  form,
  type Infer,
  integer,
  nullable,
  object,
  oneOf,
  optional,
  perhapsTime,
  record,
  string,
  timestamp,
} from './infer.ts'
import { agentsPlanNames, mailPlanNames } from './plans.ts'

export const SignupResult = object({
  address: string(),
  api_key: string({ description: 'Shown once.' }),
  claim_url: string({ format: 'uri' }),
  expires_at: timestamp(),
  base_url: string({ format: 'uri', description: 'Base URL of the mailbox in the REST API.' }),
  mcp_url: string({ format: 'uri' }),
})
export const ClaimLink = object({ claim_url: string({ format: 'uri' }), expires_at: timestamp() })

/** An export of the whole account. `url` opens the finished file without a key, for a day. */
export const AccountExport = object({
  id: string(),
  state: oneOf(['waiting', 'running', 'done', 'failed'], {
    description:
      'failed: it was tried several times, and the log of the service says what went wrong. Ask for another.',
  }),
  progress: object({
    written: integer({ minimum: 0, description: 'Records written so far.' }),
    total: integer({
      minimum: 0,
      description: 'Records to write, counted at the beginning; 0 until they are counted.',
    }),
  }),
  createdAt: timestamp(),
  url: nullable(string({ format: 'uri', description: 'Opens the zip file without a key; null until it is done.' })),
  size: nullable(integer({ minimum: 0, description: 'Bytes of the file.' })),
  expiresAt: nullable(timestamp()),
})

const planFields = {
  plan: nullable(oneOf(mailPlanNames)),
  agentsPlan: nullable(oneOf(agentsPlanNames)),
} as const
export const AccountApproval = oneOf(approvalModes, {
  description: 'required: sends by agent keys of the account wait until a person approves them.',
})

export const Account = object({
  id: string(),
  name: string(),
  status: oneOf(['unclaimed', 'active', 'paused', 'suspended']),
  ...planFields,
  claimExpiresAt: optional(timestamp()),
  owner: optional(string()),
  approval: AccountApproval,
  sandbox: boolean(),
  createdAt: timestamp(),
})

export const setupSteps = ['claim', 'name', 'domain', 'dns', 'first_mail', 'webhook'] as const
/** The setup steps of an account. */
export const Setup = object({
  steps: array(
    object({
      id: oneOf(setupSteps),
      done: boolean(),
      detail: string({ description: 'The state of the step.' }),
      fix: nullable(string({ description: 'What this caller has to do; null once it is done.' })),
    }),
  ),
})

/** One entry of the audit trail: who, what, when, from where (decisions.md 2, Audit). */
export const AuditEntry = object({
  id: string(),
  at: timestamp(),
  who: object(
    {
      kind: oneOf(['key', 'program', 'person', 'partner', 'administrator', 'service']),
      id: nullable(string()),
      name: nullable(
        string({ description: 'The name now; null without id, or when the key is gone, or the person is no member.' }),
      ),
    },
    {
      description:
        'A key (key_...), a program connected by OAuth (gnt_...), a person (usr_...), or a partner by its own key (key_...); without id: an administrator, or the service itself.',
    },
  ),
  action: string({ description: 'The operation, such as messages.send.' }),
  target: nullable(string({ description: 'The object of the operation; null if it was erased.' })),
  outcome: string({ description: 'done, or the code of the refusal.' }),
  address: nullable(string({ description: 'Network address; null if there is none, or if it was erased.' })),
  change: optional(
    object(
      { before: nullable(record<unknown>({})), after: nullable(record<unknown>({})) },
      { description: 'For a change of a DNS record: the record before and after it.' },
    ),
  ),
  requestId: string({ description: 'X-Request-Id of the request; empty without one.' }),
})
export type AuditEntry = Infer<typeof AuditEntry>

const used = (description: string) => integer({ minimum: 0, description })
const leapYear = '(\\d\\d(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)'
/** Only days that exist: Date reads the 30th of February as the 2nd of March. */
const day = `(\\d{4}-((0[1-9]|1[0-2])-(0[1-9]|1\\d|2[0-8])|(0[13-9]|1[0-2])-(29|30)|(0[13578]|1[02])-31)|${leapYear}-02-29)`
/** A UTC day, or a time on it. */
export const DayOrTime = perhapsTime(
  string({
    ...form(`^${day}(T([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d{1,9})?Z)?$`, 'a day, or a time in UTC', '2026-07-15'),
  }),
)

/** The figures of each day (decisions.md 2, Usage). */
export const DayUsage = object({
  day: string({ description: 'A UTC day, such as 2026-07-15.' }),
  sent: used('Recipients written to, by the day of the request, or of the send for batches.'),
  received: used('Messages received, per mailbox.'),
  delivered: used('Recipients whose server accepted the mail.'),
  bounced: used('Recipients who could not be reached.'),
  complained: used('Recipients who reported spam.'),
  bytes: used('Bytes of the messages received.'),
})
export const UsageDays = array(DayUsage, {
  description: 'Each day from the first to today, including days without mail.',
})
export const DailyUsage = object({ days: UsageDays })

export const Usage = object({
  ...planFields,
  period: object({ from: timestamp(), to: timestamp() }, { description: 'The current calendar month (UTC).' }),
  sends: object({ used: used('Recipients written to.'), limit: integer(), remaining: integer() }),
  emails: object({
    sent: used('Recipients written to.'),
    received: used('Messages received, per mailbox.'),
    limit: nullable(integer()),
    grace: nullable(integer({ description: 'The number of emails at which sending pauses.' })),
  }),
  inboxes: object({ used: used('Mailboxes.'), limit: integer() }),
  storage: object({ used: used('Bytes of all mailboxes, and of Drive.'), limit: integer() }),
  requestsPerMinute: integer(),
  batch: object({ recipientsPerCall: integer(), recipientsPerMinute: integer() }),
  webhooks: object({ used: used('Endpoints.'), limit: integer() }),
  marketing: object(
    { limit: integer() },
    { description: 'Marketing sends in a month, which have a budget of their own.' },
  ),
  lens: object({
    used: used('Mails that Lens read.'),
    limit: integer(),
    extra: used('How many of them are beyond the limit, as extra usage.'),
  }),
  eventsDropped: used('Message events dropped at 2,000 an hour.'),
})
