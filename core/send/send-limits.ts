/**
 * The limits of a send, as a table in the contract's order (decisions.md 3, Order of checks of a send). Each row says
 * when it applies, which counter of which period it uses, and the text when it is used up.
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
  /** Who is counted: the account, or a thread. */
  readonly owner: string
  /** 'volume' is used up by sends; 'pace' limits a rate and is free again within a day, so a batch waits for it. */
  readonly kind: 'volume' | 'pace'
  readonly period: Period
  readonly refusal: () => Failure
}

export const limitKinds = ['volume', 'pace'] as const

/** What the limits depend on. */
type Send = {
  readonly account: Account
  readonly allowance: Allowance
  /** Whether it is sent from an address on the shared domain. */
  readonly isShared: boolean
  /** Sends that a new account may make today; null when only the plan limits them. */
  readonly warmUp: number | null
  readonly recipients: number
  /** The recipients without simulated ones, which do not count in rates. */
  readonly realRecipients: number
  /** The thread in which it is a reply; null when it is no reply. */
  readonly answeredThread: string | null
  readonly repliesPerThread: number
}

type LimitRow = {
  readonly code: FailureCode
  readonly kind: Limit['kind']
  readonly period: Period
  readonly counter: string
  readonly applies?: (send: Send) => boolean
  readonly limit: (send: Send) => number | null
  readonly by: (send: Send) => number
  /** Who is counted; without it the account. */
  readonly owner?: (send: Send) => string
  /** The text of the failure; `resetAt` is the time when the period ends. */
  readonly text: (send: Send, resetAt: string) => string
  /** Whether the failure gives the time to wait, so that programs try again by themselves. */
  readonly hasRetryAfter?: boolean
}

const isWarmingUp = ({ allowance, warmUp }: Send) =>
  warmUp !== null && warmUp < (allowance.sendsPerDay ?? Number.MAX_SAFE_INTEGER)

const rows: readonly LimitRow[] = [
  {
    code: 'CLAIM_REQUIRED',
    kind: 'volume',
    period: 'day',
    counter: 'replies',
    applies: ({ account }) => account.status === 'unclaimed',
    limit: () => unclaimedRepliesPerDay,
    by: ({ recipients }) => recipients,
    text: (_, resetAt) =>
      `An unclaimed account may send ${unclaimedRepliesPerDay} replies a day, all used; the limit is reset at ${resetAt}.`,
  },
  {
    code: 'AGENT_EMAIL_LIMIT',
    kind: 'volume',
    period: 'month',
    counter: agentEmails,
    applies: ({ allowance }) => allowance.emailsPerMonth !== null,
    limit: ({ allowance }) => Math.floor((allowance.emailsPerMonth ?? 0) * emailsGrace),
    by: ({ recipients }) => recipients,
    text: ({ allowance }, resetAt) =>
      `The plan has ${allowance.emailsPerMonth} emails a month, all used up; the limit is reset at ${resetAt}.`,
  },
  {
    code: 'send_limit_reached',
    kind: 'volume',
    period: 'month',
    counter: 'sent',
    limit: ({ allowance }) => allowance.sendsPerMonth,
    by: ({ recipients }) => recipients,
    text: ({ allowance }, resetAt) =>
      `The plan has ${allowance.sendsPerMonth} sends a month, and too few are left; the limit is reset at ${resetAt}.`,
  },
  {
    code: 'shared_domain_send_limit',
    kind: 'pace',
    period: 'day',
    counter: 'sharedSends',
    applies: ({ account, isShared }) => isShared && account.status !== 'unclaimed',
    limit: () => sharedDomainSendsPerDay,
    by: ({ recipients }) => recipients,
    text: (_, resetAt) =>
      `The shared domain allows ${sharedDomainSendsPerDay} sends a day, all used up; the limit is reset at ${resetAt}.`,
    hasRetryAfter: true,
  },
  {
    code: 'send_rate_limited',
    kind: 'pace',
    period: 'day',
    counter: 'sent',
    limit: (send) => (isWarmingUp(send) ? send.warmUp : send.allowance.sendsPerDay),
    by: ({ realRecipients }) => realRecipients,
    text: (send, resetAt) =>
      isWarmingUp(send)
        ? `A new account warms up: ${send.warmUp} sends today, all used up; the limit is reset at ${resetAt}.`
        : `The plan has ${send.allowance.sendsPerDay} sends a day, all used up; the limit is reset at ${resetAt}.`,
    hasRetryAfter: true,
  },
  {
    code: 'send_rate_limited',
    kind: 'pace',
    period: 'minute',
    counter: 'sent',
    limit: ({ allowance }) => allowance.recipientsPerMinute,
    by: ({ realRecipients }) => realRecipients,
    text: ({ allowance: { recipientsPerMinute }, realRecipients }, resetAt) =>
      `The plan has ${recipientsPerMinute} recipients a minute, and ${
        realRecipients > recipientsPerMinute
          ? `this send alone has ${realRecipients}`
          : `they are used up; the limit is reset at ${resetAt}`
      }.`,
    hasRetryAfter: true,
  },
  {
    // Stops two programs that keep answering each other (decisions.md 4, Loops).
    code: 'send_rate_limited',
    kind: 'pace',
    period: 'hour',
    counter: 'replies',
    applies: ({ answeredThread }) => answeredThread !== null,
    limit: ({ repliesPerThread }) => repliesPerThread,
    by: () => 1,
    owner: ({ account, answeredThread }) => answeredThread ?? account.id,
    text: ({ repliesPerThread }, resetAt) =>
      `A thread has ${repliesPerThread} replies an hour, all used up; the limit is reset at ${resetAt}.`,
    hasRetryAfter: true,
  },
]

/**
 * The limits of a send to these recipients, in the order in which they refuse. `parent` is the message that it answers
 * or forwards.
 */
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

function limitOf(row: LimitRow, send: Send, at: Date): Limit {
  const { code, kind, period, counter, owner, hasRetryAfter = false } = row
  const end = periodsOf(at)[`${period}End`]
  return {
    owner: owner?.(send) ?? send.account.id,
    kind,
    period,
    counter,
    by: row.by(send),
    limit: row.limit(send),
    refusal: () =>
      new Failure(code, row.text(send, end.toISOString()), hasRetryAfter ? { retryAfter: secondsUntil(at, end) } : {}),
  }
}

/** Whether one of the recipients wrote the message. */
function answers({ from, replyTo }: MessageDoc, recipients: readonly string[]): boolean {
  const writers = [...(from === null ? [] : [from]), ...replyTo]
  return writers.some(({ address }) => recipients.includes(normaliseAddress(address) ?? address))
}
