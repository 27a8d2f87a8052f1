/**
 * The allowance of a send: everything that its limits count is taken before it is sent, from all limits or from none
 * (decisions.md 3, Order of checks).
 */
import type { Failure } from '../../schemas/failures.ts'
import { newToken } from '../../schemas/ids.ts'
import type { MessageDoc } from '../../store/documents/mail.ts'
import type { EmailDoc } from '../../store/documents/sending.ts'
import { countOf, findUsage, giveBack, type Take, takeCounts } from '../../store/usage.ts'
import type { Principal } from '../access/principal.ts'
import { giveBackUsage, type Period, usagePeriod } from '../access/usage.ts'
import type { Context } from '../process/context.ts'
import { createGroupCommit } from '../process/group-commit.ts'
import { perProcess } from '../process/per-process.ts'
import { closeTake } from './open-allowances.ts'
import { type Limit, limitKinds, limitsOf } from './send-limits.ts'

/** Sends whose allowance is taken in one group. */
const groupMax = 100

type AllowanceInput = {
  readonly sender: string
  readonly recipients: readonly string[]
  /** The message that it answers or forwards, if any. */
  readonly parent?: MessageDoc | null
  /** Id of the send or batch that the allowance is for. */
  readonly purpose: string
  /** The kinds of limits to take from; without it all. */
  readonly kinds?: readonly Limit['kind'][]
}

export type TakenAllowance = {
  /** What was taken, to be given back when the send is cancelled. */
  readonly taken: NonNullable<EmailDoc['taken']>
  /** Identifies the take; stored as `takenBy` in the document that commits the send or batch. */
  readonly token: string
  /** Gives everything back: call when nothing was committed. */
  giveBack(): Promise<void>
  /** Marks the take as used: call when it was committed. A sweep checks takes that stay open. */
  close(): Promise<void>
}

/**
 * Takes the allowance of a send to these recipients, or nothing. Simulated recipients do not count in rate limits.
 * Fails with `CLAIM_REQUIRED` (the replies of the day are used), `AGENT_EMAIL_LIMIT`, `send_limit_reached`,
 * `shared_domain_send_limit`, `send_rate_limited`.
 */
export async function takeSendAllowance(
  ctx: Context,
  principal: Pick<Principal, 'account' | 'accountId'>,
  { sender, recipients, parent = null, purpose, kinds = limitKinds }: AllowanceInput,
): Promise<TakenAllowance> {
  const { accountId } = principal
  const at = ctx.clock.now()
  const token = newToken()
  const all = await limitsOf(ctx, principal.account, { sender, recipients, parent, at })
  const limits = all.filter(({ kind }) => kinds.includes(kind))
  const byPeriod = Map.groupBy(limits, ({ owner, period }) => usagePeriod(owner, period, at).id)
  const takes = [...byPeriod.values()].map((own): Take => {
    const { owner, period } = own[0]!
    const counts = own.map(({ counter, by, limit }) => ({ counter, by, limit }))
    return { ...usagePeriod(owner, period, at), counts, ...(isOpen(period) && { open: { token, purpose, at } }) }
  })
  if (!(await takeTogether(ctx, takes))) throw await refusalOf(ctx, limits, at)
  const own = limits.filter(({ owner }) => owner === accountId)
  const taken = own.map(({ period, counter, by }) => ({ period, counter, by }))
  return {
    taken,
    token,
    giveBack: () => giveTakes(ctx, takes),
    close: () => closeTake(ctx, { ids: takes.flatMap(({ id, open }) => (open === undefined ? [] : [id])), token }),
  }
}

/** Whether a take in this period is noted as open. A minute ends before a sweep could correct it. */
const isOpen = (period: Period) => period !== 'minute'

type TakeRequest = { readonly ctx: Context; readonly takes: readonly Take[] }

const takeGroups = perProcess(() => createGroupCommit<TakeRequest, boolean>(groupMax, takeGroup))

/** Makes all takes of one send, or none. Returns whether they were made. */
const takeTogether = (ctx: Context, takes: readonly Take[]) => takeGroups(ctx)({ ctx, takes })

/** Makes the takes of several sends in one command. Sends of which a take was refused are tried again one by one. */
async function takeGroup(group: readonly TakeRequest[]): Promise<boolean[]> {
  const { ctx } = group[0]!
  const flat = group.flatMap(({ takes }, n) => takes.map((take) => ({ n, take })))
  const refused = await takeCounts(
    ctx.store,
    flat.map(({ take }) => take),
  )
  if (refused.size === 0) return group.map(() => true)
  const refusedSends = new Set([...refused].map((index) => flat[index]!.n))
  const got = flat.filter(({ n }, index) => refusedSends.has(n) && !refused.has(index))
  await giveTakes(
    ctx,
    got.map(({ take }) => take),
  )
  // What a refused send took in vain may have been missing for the next one.
  const granted = group.map(() => true)
  for (const n of refusedSends) granted[n] = await takeInTurn(group[n]!)
  return granted
}

/** Takes period by period; a refusal gives back what was taken before it. */
async function takeInTurn({ ctx, takes }: TakeRequest): Promise<boolean> {
  for (const [n, take] of takes.entries()) {
    if ((await takeCounts(ctx.store, [take])).size === 0) continue
    await giveTakes(ctx, takes.slice(0, n))
    return false
  }
  return true
}

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
  return limits.find(({ counter, by, limit }, n) => limit !== null && countOf(usage.get(ids[n]!), counter) + by > limit)
}

/** Gives back what a send took at `at`, when it was cancelled. */
export async function giveSendAllowance(
  ctx: Context,
  { accountId, taken, at }: { accountId: string; taken: NonNullable<EmailDoc['taken']>; at: Date },
): Promise<void> {
  for (const { period, counter, by } of taken) await giveBackUsage(ctx, { owner: accountId, period, counter, by, at })
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
