/** What administrators of the service see and change (decisions.md 2, People). */
import { Account, UsageDays } from './accounts.ts'
import { reasonLine } from './fields.ts'
import {
  array,
  boolean,
  extended,
  integer,
  nullable,
  number,
  object,
  oneOf,
  optional,
  record,
  string,
  timestamp,
} from './infer.ts'
import { agentsPlanNames, figureNames, mailPlanNames } from './plans.ts'
import { AccountRequest } from './requests.ts'

const Hold = nullable(object({ reason: string(), at: timestamp() }))

export const AdministeredAccount = extended(Account, {
  suspended: Hold,
  sendingPaused: Hold,
  raised: record(integer(), { description: 'The figures that are raised above those of the plans.' }),
})

/** An account with its people, what it used this month, and what it sent and received on each of the last 30 days. */
export const AccountDetails = extended(AdministeredAccount, {
  people: array(object({ email: string(), role: string(), status: oneOf(['active', 'invited']) })),
  usage: object({
    sent: integer(),
    received: integer(),
    inboxes: integer(),
    webhooks: integer(),
    storage: integer({ description: 'Bytes.' }),
  }),
  days: UsageDays,
})

export const HoldReason = reasonLine(500, { description: 'Shown to the account.' })
const NewHold = nullable(object({ reason: HoldReason }))
export const accountChange = {
  plan: optional(oneOf([...mailPlanNames, 'none'], { description: 'The mail plan.' })),
  agentsPlan: optional(oneOf([...agentsPlanNames, 'none'], { description: 'The Agents plan.' })),
  raise: optional(
    object(
      {
        figure: oneOf(figureNames),
        to: nullable(integer({ minimum: 0, description: 'null: as the plans have it.' })),
      },
      { description: 'One figure of the plans, raised for this account.' },
    ),
  ),
  suspended: optional({ ...NewHold, description: 'Begins a suspension; null ends it.' }),
  sendingPaused: optional({ ...NewHold, description: 'Pauses sending; null lets the account send again.' }),
} as const

/** A request of an account, with who asks. */
export const OpenRequest = extended(AccountRequest, {
  account: object({ id: string(), name: string() }),
  email: nullable(string({ description: 'Of the person who asks; null when the person is gone.' })),
})

export const Destination = object({
  domain: string(),
  waiting: integer({ description: 'Recipients whose mail has not gone out.' }),
  attempted: integer({ description: 'Those of them that were attempted before.' }),
  oldestAt: timestamp({ description: 'Since when the oldest of them waits.' }),
  nextAt: timestamp({ description: 'When the next attempt is due.' }),
  answers: array(object({ at: timestamp(), answer: string() }), { description: 'What the domain answered last.' }),
})
export const Outbox = object({
  destinations: array(Destination, { description: 'The largest first, at most 200.' }),
  waiting: integer({ description: 'All recipients that wait.' }),
  complete: boolean({ description: 'Whether all that wait were looked at: it are 10,000 at most.' }),
})

export const Refusals = object({
  refusals: array(
    object({
      from: timestamp({ description: 'The beginning of the hour.' }),
      codes: record(integer(), {
        description: 'How often each reply refused a command or a mail: code and enhanced code, such as "550 5.1.1".',
      }),
    }),
    { description: 'The hours in which anything was refused, the oldest first.' },
  ),
})

export const Processes = object({
  processes: array(
    object({
      host: string(),
      process: string({ description: 'service, smtp, imap or dns.' }),
      pid: integer(),
      startedAt: timestamp(),
      alive: boolean({ description: 'Whether it was heard of within three minutes.' }),
      samples: array(
        object({
          at: timestamp(),
          memory: integer({ description: 'Bytes that lie in RAM.' }),
          eventLoopMs: number({ description: 'How late the event loop was, exceeded by one look in a hundred.' }),
          databaseMs: number({ description: 'How long the database took to answer.' }),
        }),
        { description: 'The oldest first; of a long time the worst of some minutes each.' },
      ),
    }),
  ),
})
