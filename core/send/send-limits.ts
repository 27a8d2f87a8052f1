/**
 * The limits of a send: a table in the contract's order (decisions.md 3, Order of checks of a send). Each row says whether it
 * applies, which counter of which period it counts in, and what to say when it is used up.
 */
import { normaliseAddress, splitAddress } from '../../mail/message/address.ts'
import { Failure, type FailureCode } from '../../schemas/failures.ts'
import {
  type Allowance,
  allowanceOf,
  emailsGrace,
  sharedDomainSendsPerDay,
  unclaimedRepliesPerDay,
} from '../../schemas/plans.ts'
import type { MessageDoc } from '../../store/documents/mail.ts'
import { agentEmails, type CounterIncrement } from '../../store/usage.ts'
import type { Account } from '../access/account-record.ts'
import type { Period } from '../access/usage.ts'
import { warmUpVolume } from '../account/reputation.ts'
import { isSimulated } from '../deliver/simulator.ts'
import { isSharedDomain } from '../mailbox/domains.ts'
import { periodsOf, secondsUntil } from '../process/clock.ts'
import type { Context } from '../process/context.ts'

/** A limit as it applies to one send. */
export type Limit = CounterIncrement & {
  /** The account, or what else is counted by itself. */
  readonly owner: string
  /** Volume is used up; pace comes back within a day, and a batch waits for it. */
  readonly kind: 'volume' | 'pace'
  readonly period: Period
  readonly refusal: () => Failure
}

export const limitKinds = ['volume', 'pace'] as const

/** What the rows look at. */
type Send = {
  readonly account: Account
  readonly allowance: Allowance
  /** From an address of the free domain. */
  readonly isShared: boolean
  /** How much a new account may send today; null: as much as its plan says. */
  readonly warmUp: number | null
  readonly recipients: number
  /** Without simulated ones, which do not count in rates. */
  readonly realRecipients: number
  /** The thread it answers in, null when it answers nobody. */
  readonly answeredThread: string | null
  readonly repliesPerThread: number
}

type Row = {
  readonly code: FailureCode
  readonly kind: Limit['kind']
  readonly period: Period
  readonly counter: string
  readonly applies?: (send: Send) => boolean
  readonly limit: (send: Send) => number | null
  readonly by: (send: Send) => number
  /** Without: the account. */
  readonly owner?: (send: Send) => string
  /** `back` is when there is more again. */
  readonly text: (send: Send, back: string) => string
  /** Whether the wait is told, so that programs come again by themselves. */
  readonly tellsWait?: boolean
}

const isWarmingUp = ({ allowance, warmUp }: Send) =>
  warmUp !== null && warmUp < (allowance.sendsPerDay ?? Number.MAX_SAFE_INTEGER)

const rows: readonly Row[] = [
  {
    code: 'CLAIM_REQUIRED',
    kind: 'volume',
    period: 'day',
    counter: 'replies',
    applies: ({ account }) => account.status === 'unclaimed',
    limit: () => unclaimedRepliesPerDay,
    by: ({ recipients }) => recipients,
    text: (_, back) =>
      `An unclaimed account may send ${unclaimedRepliesPerDay} replies a day, and they are used; they come back at ${back}.`,
  },
  {
    code: 'AGENT_EMAIL_LIMIT',
    kind: 'volume',
    period: 'month',
    counter: agentEmails,
    applies: ({ allowance }) => allowance.emailsPerMonth !== null,
    limit: ({ allowance }) => Math.floor((allowance.emailsPerMonth ?? 0) * emailsGrace),
    by: ({ recipients }) => recipients,
    text: ({ allowance }, back) =>
      `The plan has ${allowance.emailsPerMonth} emails a month, and they are used up; they come back at ${back}.`,
  },
  {
    code: 'send_limit_reached',
    kind: 'volume',
    period: 'month',
    counter: 'sent',
    limit: ({ allowance }) => allowance.sendsPerMonth,
    by: ({ recipients }) => recipients,
    text: ({ allowance }, back) =>
      `The plan has ${allowance.sendsPerMonth} sends a month, and they do not suffice; they come back at ${back}.`,
  },
  {
    code: 'shared_domain_send_limit',
    kind: 'pace',
    period: 'day',
    counter: 'sharedSends',
    applies: ({ account, isShared }) => isShared && account.status !== 'unclaimed',
    limit: () => sharedDomainSendsPerDay,
    by: ({ recipients }) => recipients,
    text: (_, back) =>
      `The free address has ${sharedDomainSendsPerDay} sends a day, and they are used; they come back at ${back}.`,
    tellsWait: true,
  },
  {
    code: 'send_rate_limited',
    kind: 'pace',
    period: 'day',
    counter: 'sent',
    limit: (send) => (isWarmingUp(send) ? send.warmUp : send.allowance.sendsPerDay),
    by: ({ realRecipients }) => realRecipients,
    text: (send, back) =>
      isWarmingUp(send)
        ? `A new account warms up: it has ${send.warmUp} sends today, and they are used; there are more tomorrow, at ${back}.`
        : `The plan has ${send.allowance.sendsPerDay} sends a day, and they are used; they come back at ${back}.`,
    tellsWait: true,
  },
  {
    code: 'send_rate_limited',
    kind: 'pace',
    period: 'minute',
    counter: 'sent',
    limit: ({ allowance }) => allowance.recipientsPerMinute,
    by: ({ realRecipients }) => realRecipients,
    text: ({ allowance: { recipientsPerMinute }, realRecipients }, back) =>
      `The plan has ${recipientsPerMinute} recipients a minute, and ${
        realRecipients > recipientsPerMinute
          ? `this send alone has ${realRecipients}`
          : `they are used; there are more at ${back}`
      }.`,
    tellsWait: true,
  },
  {
    // Two programs that answer each other come to an end (decisions.md 4, Loops).
    code: 'send_rate_limited',
    kind: 'pace',
    period: 'hour',
    counter: 'replies',
    applies: ({ answeredThread }) => answeredThread !== null,
    limit: ({ repliesPerThread }) => repliesPerThread,
    by: () => 1,
    owner: ({ account, answeredThread }) => answeredThread ?? account.id,
    text: ({ repliesPerThread }, back) =>
      `A thread has ${repliesPerThread} replies an hour, and they are used; there are more at ${back}.`,
    tellsWait: true,
  },
]

/** The limits of a send to these recipients, in the order in which they refuse. `parent` is the message it goes with. */
export async function limitsOf(
  ctx: Context,
  account: Account,
  {
    sender,
    recipients,
    parent,
    at,
  }: { sender: string; recipients: readonly string[]; parent: MessageDoc | null; at: Date },
): Promise<Limit[]> {
  const send: Send = {
    account,
    allowance: allowanceOf(account),
    isShared: isSharedDomain(ctx, splitAddress(sender).domain),
    warmUp: await warmUpVolume(ctx, account),
    recipients: recipients.length,
    realRecipients: recipients.filter((address) => !isSimulated(address)).length,
    answeredThread: parent !== null && answers(parent, recipients) ? parent.threadId : null,
    repliesPerThread: ctx.settings.limits.repliesPerThread,
  }
  return rows.filter((row) => (row.applies?.(send) ?? true) && row.by(send) > 0).map((row) => limitOf(row, send, at))
}

function limitOf(row: Row, send: Send, at: Date): Limit {
  const { code, kind, period, counter, owner, tellsWait = false } = row
  const end = periodsOf(at)[`${period}End`]
  return {
    owner: owner?.(send) ?? send.account.id,
    kind,
    period,
    counter,
    by: row.by(send),
    limit: row.limit(send),
    refusal: () =>
      new Failure(code, row.text(send, end.toISOString()), tellsWait ? { retryAfter: secondsUntil(at, end) } : {}),
  }
}

/** Whether mail goes back to who wrote the message. */
function answers({ from, replyTo }: MessageDoc, recipients: readonly string[]): boolean {
  const writers = [...(from === null ? [] : [from]), ...replyTo]
  return writers.some(({ address }) => recipients.includes(normaliseAddress(address) ?? address))
}
