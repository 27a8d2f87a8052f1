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
  raised: record(integer(), { description: 'Figures that were raised above those of the plans.' }),
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
        to: nullable(integer({ minimum: 0, description: 'null: back to the figure of the plans.' })),
      },
      { description: 'One figure of the plans, raised for this account.' },
    ),
  ),
  suspended: optional({ ...NewHold, description: 'Begins a suspension, or replaces the reason of one; null ends it.' }),
  sendingPaused: optional({
    ...NewHold,
    description: 'Pauses sending, or replaces the reason of a pause; null lets the account send again.',
  }),
} as const

/** A request of an account, with the account and the person who made it. */
export const OpenRequest = extended(AccountRequest, {
  account: object({ id: string(), name: string() }),
  email: nullable(string({ description: 'Address of the person who made it; null if the person is gone.' })),
})

export const Destination = object({
  domain: string(),
  waiting: integer({ description: 'Recipients whose mail has not gone out.' }),
  attempted: integer({ description: 'How many of them were attempted before.' }),
  oldestAt: timestamp({ description: 'When the oldest of them began to wait.' }),
  nextAt: timestamp({ description: 'When the next attempt is due.' }),
  answers: array(object({ at: timestamp(), answer: string() }), { description: 'The latest answers of the domain.' }),
})
export const Outbox = object({
  destinations: array(Destination, { description: 'At most 200, the largest first.' }),
  waiting: integer({ description: 'All waiting recipients, counted up to 10,000.' }),
  complete: boolean({ description: 'False if 10,000 or more wait: only 10,000 are counted.' }),
})

export const Refusals = object({
  refusals: array(
    object({
      from: timestamp({ description: 'The beginning of the hour.' }),
      codes: record(integer(), {
        description:
          'How often each reply refused a command or a mail, by code and enhanced code, such as "550 5.1.1".',
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
      alive: boolean({ description: 'Whether its newest sample is at most three minutes old.' }),
      samples: array(
        object({
          at: timestamp(),
          memory: integer({ description: 'Resident memory in bytes.' }),
          eventLoopMs: number({ description: 'Delay of the event loop, 99th percentile.' }),
          databaseMs: number({ description: 'How long the database took to answer.' }),
        }),
        {
          description: 'The oldest first; over a long time, one sample with the worst values for several minutes each.',
        },
      ),
    }),
  ),
})
