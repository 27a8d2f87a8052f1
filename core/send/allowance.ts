/**
 * The allowance of a send: everything that its limits count is taken before it is sent, from all limits or from none
 * (decisions.md 3, Order of checks).
 */
import type { Failure } from '../../schemas/failures.ts'
import { newToken } from '../../schemas/ids.ts'
import type { MessageDoc } from '../../store/documents/mail.ts'
import type { EmailDoc } from '../../store/documents/sending.ts'
import {
  afterRefusal,
  countOf,
  findUsage,
  giveBack,
  isPossible,
  type Take,
  takesClosed,
  takesTo,
} from '../../store/usage.ts'
import type { Write } from '../../store/writes.ts'
import type { Principal } from '../access/principal.ts'
import {
  counterIn,
  figuresOwner,
  figuresPeriod,
  giveBackFigure,
  giveBackUsage,
  type Period,
  usagePeriod,
} from '../access/usage.ts'
import type { Context } from '../process/context.ts'
import { type Limit, limitKinds, limitsOf } from './send-limits.ts'

type AllowanceInput = {
  readonly sender: string
  readonly recipients: readonly string[]
  /** The message that it answers or forwards, if any. */
  readonly parent?: MessageDoc | null
  /** The mailbox that sends; null for a send without one. */
  readonly mailboxId: string | null
  /** Id of the send or batch that the allowance is for. */
  readonly purpose: string
  /** The kinds of limits to take from; without it all. */
  readonly kinds?: readonly Limit['kind'][]
}

/** The allowance of a send. */
export type Allowance = {
  /** What is counted for the account, to be given back when the send is cancelled. */
  readonly taken: NonNullable<EmailDoc['taken']>
  /** Identifies the take; stored as `takenBy` in the document that commits the send or batch. */
  readonly token: string
  /** The writes that take it; a refused one means a limit. None when it is taken already. */
  readonly takes: readonly Write[]
  /** The writes that mark it as used. A sweep checks what stays open. */
  readonly closing: readonly Write[]
  /** Gives back what was taken: everything, or what the first `count` of `takes` took. Call when nothing was committed. */
  giveBack(count?: number): Promise<void>
  /** The failure when one of `takes` was refused. */
  refusal(): Promise<Failure>
}

/**
 * The allowance of a send to these recipients, still to be taken. Simulated recipients do not count in rate limits. Fails as
 * `takeAllowance` does with what can never be granted.
 */
export async function allowanceOfSend(
  ctx: Context,
  { account, accountId }: Pick<Principal, 'account' | 'accountId'>,
  { sender, recipients, parent = null, mailboxId, purpose, kinds = limitKinds }: AllowanceInput,
): Promise<Allowance> {
  const at = ctx.clock.now()
  const token = newToken()
  const all = await limitsOf(ctx, account, { sender, recipients, parent, at })
  const limits = all.filter(({ kind }) => kinds.includes(kind))
  const byPeriod = Map.groupBy(limits, ({ owner, period }) => usagePeriod(owner, period, at).id)
  const takes = [...byPeriod.values()].map((own): Take => {
    const { owner, period } = own[0]!
    const counts = own.map(({ period, counter, by, limit }) => ({ counter: counterIn(period, counter, at), by, limit }))
    return { ...usagePeriod(owner, period, at), counts, ...(isOpen(period) && { open: { token, purpose, at } }) }
  })
  if (!takes.every(isPossible)) throw await refusalOf(ctx, limits, at)
  const own = limits.filter(({ owner }) => owner === accountId)
  const sent = { counter: 'sent', by: recipients.length }
  // A batch takes its volume as a whole, and is sent mail by mail.
  const isSent = kinds.includes('pace') && sent.by > 0
  if (isSent)
    takes.push({
      ...figuresPeriod(accountId, mailboxId, at),
      counts: [{ ...sent, limit: null }],
      open: { token, purpose, at },
    })
  return {
    taken: [
      ...own.map(({ period, counter, by }) => ({ period, counter, by })),
      ...(isSent ? [{ owner: figuresOwner(accountId, mailboxId), period: 'day' as const, ...sent }] : []),
    ],
    token,
    takes: takesTo(ctx.store, takes),
    closing: takesClosed(
      ctx.store,
      takes.flatMap(({ id, open }) => (open === undefined ? [] : [id])),
      token,
    ),
    giveBack: (count = takes.length) => giveTakes(ctx, takes.slice(0, count)),
    refusal: () => refusalOf(ctx, limits, at),
  }
}

/**
 * Takes the allowance of a send, or nothing. Fails with `CLAIM_REQUIRED` (the replies of the day are used),
 * `AGENT_EMAIL_LIMIT`, `send_limit_reached`, `shared_domain_send_limit`, `send_rate_limited`.
 */
export async function takeAllowance(
  ctx: Context,
  principal: Pick<Principal, 'account' | 'accountId'>,
  input: AllowanceInput,
): Promise<Allowance> {
  const allowance = await allowanceOfSend(ctx, principal, input)
  await takeWith(ctx, allowance, [])
  return { ...allowance, takes: [] }
}

/**
 * Takes an allowance and makes further writes, in one command. Returns whether all writes were made: false when a unique key
 * refused one of the further writes, in which case the allowance is given back. Fails as `takeAllowance` does, and then
 * nothing was written.
 */
export async function takeWith(
  { store }: Context,
  { takes, giveBack, refusal }: Allowance,
  further: readonly Write[],
): Promise<boolean> {
  const writes = [...takes, ...further]
  const first = await store.writeTogether(writes)
  const refused = first === null || first >= takes.length ? first : await afterRefusal(store, writes, first)
  if (refused === null) return true
  if (refused >= takes.length) {
    await giveBack()
    return false
  }
  await giveBack(refused)
  throw await refusal()
}

/** Whether a take in this period is noted as open. A minute ends before a sweep could correct it. */
const isOpen = (period: Period) => period !== 'minute'

async function giveTakes(ctx: Context, takes: readonly Take[]): Promise<void> {
  for (const { id, counts, open } of takes)
    for (const { counter, by } of counts) await giveBack(ctx.store, { id, counter, by, token: open?.token })
}

/** The failure of a refused take: of the first limit that refuses now, or of the last limit when none does any more. */
async function refusalOf(ctx: Context, limits: readonly Limit[], at: Date): Promise<Failure> {
  return ((await firstPassed(ctx, limits, at)) ?? limits.at(-1)!).refusal()
}

/** The first limit that the send would exceed. */
async function firstPassed(ctx: Context, limits: readonly Limit[], at: Date): Promise<Limit | undefined> {
  const ids = limits.map(({ owner, period }) => usagePeriod(owner, period, at).id)
  const usage = new Map((await findUsage(ctx.store, [...new Set(ids)])).map((doc) => [doc._id, doc]))
  return limits.find(
    ({ period, counter, by, limit }, n) =>
      limit !== null && countOf(usage.get(ids[n]!), counterIn(period, counter, at)) + by > limit,
  )
}

/** Gives back what a send took at `at`, when it was cancelled. */
export async function giveSendAllowance(
  ctx: Context,
  { accountId, taken, at }: { accountId: string; taken: NonNullable<EmailDoc['taken']>; at: Date },
): Promise<void> {
  for (const { owner, period, counter, by } of taken)
    await (owner === undefined
      ? giveBackUsage(ctx, { owner: accountId, period, counter, by, at })
      : giveBackFigure(ctx, { owner, counter, by, at }))
}

/** The failure that taking the allowance would have now; null when it would be granted. Takes nothing. */
export async function allowanceRefusal(
  ctx: Context,
  principal: Principal,
  { sender, recipients, parent = null }: Pick<AllowanceInput, 'sender' | 'recipients' | 'parent'>,
): Promise<Failure | null> {
  const at = ctx.clock.now()
  const limits = await limitsOf(ctx, principal.account, { sender, recipients, parent, at })
  return (await firstPassed(ctx, limits, at))?.refusal() ?? null
}
