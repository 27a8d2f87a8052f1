/**
 * The limits of a send, as a table in the contract's order (decisions.md 3, Order of checks of a send). Each row says
 * when it applies, which counter of which period it uses, and what the failure says when it is reached.
 */
import { normaliseAddress, splitAddress } from '../../mail/message/address.ts'
import { Failure, type FailureOfOneCause } from '../../schemas/failures.ts'
import { type Allowance, allowanceOf, unclaimedRepliesPerDay, withGrace } from '../../schemas/plans.ts'
import type { MessageDoc } from '../../store/documents/mail.ts'
import { agentEmails, type CounterIncrement } from '../../store/usage.ts'
import { type Account, isUnclaimed } from '../access/account-record.ts'
import type { Period } from '../access/usage.ts'
import { warmUpVolume } from '../account/reputation.ts'
import { isSimulated } from '../deliver/simulator.ts'
import { isSharedDomain } from '../mailbox/domains.ts'
import { periodsOf, secondsUntil } from '../process/clock.ts'
import type { Context } from '../process/context.ts'

/** A limit as it applies to one send. */
export type Limit = CounterIncrement & {
  /** Id under which the limit is counted: an account's, or a thread's. */
  readonly owner: string
  /** 'volume' is used up by sends; 'pace' limits a rate and has room again within a day, so a batch waits for it. */
  readonly kind: 'volume' | 'pace'
  readonly period: Period
  readonly refusal: () => Failure
}

export const limitKinds = ['volume', 'pace'] as const

/** The properties of a send that the limits depend on. */
type Send = {
  readonly account: Account
  readonly allowance: Allowance
  /** Whether the sender's address is on the shared domain. */
  readonly isShared: boolean
  /** Sends that a new account may make today; null if only the plan limits them. */
  readonly warmUp: number | null
  readonly recipients: number
  /** The recipients without simulated ones, which do not count in rates. */
  readonly realRecipients: number
  /** The thread in which the send is a reply; null if it is not a reply. */
  readonly answeredThread: string | null
  readonly repliesPerThread: number
}

type LimitRow = {
  readonly code: FailureOfOneCause
  readonly kind: Limit['kind']
  readonly period: Period
  readonly counter: string
  readonly applies?: (send: Send) => boolean
  readonly limit: (send: Send) => number | null
  /** The value to which the limit rises by itself; absent if it stays the same. */
  readonly risesTo?: (send: Send) => number | null
  readonly by: (send: Send) => number
  /** Id under which the limit is counted; the account's if absent. */
  readonly owner?: (send: Send) => string
  /** The limit in words: the beginning of the failure's text. */
  readonly says: (send: Send) => string
  /** What the caller can do, besides using fewer recipients, if the send alone exceeds the whole limit. */
  readonly otherwise: string
  /** Whether the failure says how long to wait, so that programs retry by themselves. */
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
    applies: ({ account }) => isUnclaimed(account),
    limit: () => unclaimedRepliesPerDay,
    by: ({ recipients }) => recipients,
    says: () => `An unclaimed account may send ${unclaimedRepliesPerDay} replies a day`,
    otherwise: 'have a person open the claim link',
  },
  {
    code: 'AGENT_EMAIL_LIMIT',
    kind: 'volume',
    period: 'month',
    counter: agentEmails,
    applies: ({ allowance }) => allowance.emailsPerMonth !== null,
    limit: ({ allowance }) => withGrace(allowance.emailsPerMonth ?? 0),
    by: ({ recipients }) => recipients,
    says: ({ allowance }) => `The plan has ${allowance.emailsPerMonth} emails a month`,
    otherwise: 'upgrade the plan',
  },
  {
    code: 'send_limit_reached',
    kind: 'volume',
    period: 'month',
    counter: 'sent',
    // On an Agents plan every send counts as an e-mail, which the row above limits, with grace.
    limit: ({ allowance }) => Math.max(allowance.sendsPerMonth, withGrace(allowance.emailsPerMonth ?? 0)),
    by: ({ recipients }) => recipients,
    says: ({ allowance }) => `The plan has ${allowance.sendsPerMonth} sends a month`,
    otherwise: 'upgrade the plan',
  },
  {
    code: 'shared_domain_send_limit',
    kind: 'pace',
    period: 'day',
    counter: 'sharedSends',
    applies: ({ account, isShared }) => isShared && !isUnclaimed(account),
    limit: ({ allowance }) => allowance.sharedDomainSendsPerDay,
    by: ({ recipients }) => recipients,
    says: ({ allowance }) => `The shared domain allows ${allowance.sharedDomainSendsPerDay} sends a day`,
    otherwise: 'send from a domain of your own',
    hasRetryAfter: true,
  },
  {
    code: 'send_rate_limited',
    kind: 'pace',
    period: 'day',
    counter: 'sent',
    limit: (send) => (isWarmingUp(send) ? send.warmUp : send.allowance.sendsPerDay),
    risesTo: ({ allowance }) => allowance.sendsPerDay,
    by: ({ realRecipients }) => realRecipients,
    says: (send) =>
      isWarmingUp(send)
        ? `A new account warms up, with ${send.warmUp} sends today`
        : `The plan has ${send.allowance.sendsPerDay} sends a day`,
    otherwise: 'upgrade the plan',
    hasRetryAfter: true,
  },
  {
    code: 'send_rate_limited',
    kind: 'pace',
    period: 'minute',
    counter: 'sent',
    limit: ({ allowance }) => allowance.recipientsPerMinute,
    by: ({ realRecipients }) => realRecipients,
    says: ({ allowance }) => `The plan has ${allowance.recipientsPerMinute} recipients a minute`,
    otherwise: 'upgrade the plan',
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
    owner: ({ account, answeredThread }) => (answeredThread === null ? account.id : `${account.id}:${answeredThread}`),
    says: ({ repliesPerThread }) => `A thread has ${repliesPerThread} replies an hour`,
    otherwise: 'write in a new thread',
    hasRetryAfter: true,
  },
]

/**
 * The limits of a send to these recipients, in the order in which they are checked. `parent` is the message that the send
 * answers or forwards.
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
  const { owner, kind, period, counter } = row
  return {
    owner: owner?.(send) ?? send.account.id,
    kind,
    period,
    counter,
    by: row.by(send),
    limit: row.limit(send),
    refusal: () => refusalOf(row, send, at),
  }
}

/** The failure of a send that exceeds a limit. A send that exceeds the whole limit by itself is not told to wait. */
function refusalOf(row: LimitRow, send: Send, at: Date): Failure {
  const { code, period, says, otherwise, hasRetryAfter = false } = row
  const [by, most] = [row.by(send), (row.risesTo ?? row.limit)(send)]
  if (most !== null && by > most)
    return new Failure(code, `${says(send)}, and this send alone has ${by}: it can never pass.`, {
      retryAfter: null,
      fix: `Write to at most ${most} recipients in one request, or ${otherwise}.`,
    })
  const end = periodsOf(at)[`${period}End`]
  return new Failure(
    code,
    `${says(send)}, and too few are left for this send; the limit is reset at ${end.toISOString()}.`,
    hasRetryAfter ? { retryAfter: secondsUntil(at, end) } : {},
  )
}

/** Whether one of the recipients wrote the message or is named in its Reply-To. */
function answers({ from, replyTo }: MessageDoc, recipients: readonly string[]): boolean {
  const writers = [...(from === null ? [] : [from]), ...replyTo]
  return writers.some(({ address }) => recipients.includes(normaliseAddress(address) ?? address))
}
