/** What an account may send is taken before it is sent: all of the limits of a send, or none (decisions.md 3, Order of checks). */
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

/** Sends whose allowance is taken together. */
const takingsMax = 100

type AllowanceAsked = {
  readonly sender: string
  readonly recipients: readonly string[]
  /** The message it goes with, if any. */
  readonly parent?: MessageDoc | null
  /** Id of the send or batch that it is for. */
  readonly purpose: string
  /** Both, unless told otherwise. */
  readonly kinds?: readonly Limit['kind'][]
}

export type Taken = {
  /** What was taken, to be given back when the send is taken back. */
  readonly taken: NonNullable<EmailDoc['taken']>
  /** To be noted as `takenBy` in the document that commits what it is for. */
  readonly token: string
  /** Nothing was committed. */
  giveBack(): Promise<void>
  /** It was committed. Until then a sweep asks after it. */
  close(): Promise<void>
}

/**
 * Takes the allowance of a send to these recipients, or nothing; simulated ones do not count in rates. Fails with
 * `CLAIM_REQUIRED` (5 replies used), `AGENT_EMAIL_LIMIT`, `send_limit_reached`, `shared_domain_send_limit`,
 * `send_rate_limited`.
 */
export async function takeSendAllowance(
  ctx: Context,
  principal: Pick<Principal, 'account' | 'accountId'>,
  { sender, recipients, parent = null, purpose, kinds = limitKinds }: AllowanceAsked,
): Promise<Taken> {
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

/** A minute is over before anybody could mend it. */
const isOpen = (period: Period) => period !== 'minute'

type Taking = { readonly ctx: Context; readonly takes: readonly Take[] }

const takings = perProcess(() => createGroupCommit<Taking, boolean>(takingsMax, takeGroup))

/** Makes all of the takes, or none. */
const takeTogether = (ctx: Context, takes: readonly Take[]) => takings(ctx)({ ctx, takes })

/** Makes the takes of several sends at once. Those that were refused ask again one by one. */
async function takeGroup(group: readonly Taking[]): Promise<boolean[]> {
  const { ctx } = group[0]!
  const flat = group.flatMap(({ takes }, n) => takes.map((take) => ({ n, take })))
  const refused = await takeCounts(
    ctx.store,
    flat.map(({ take }) => take),
  )
  if (refused.size === 0) return group.map(() => true)
  const again = new Set([...refused].map((place) => flat[place]!.n))
  const got = flat.filter(({ n }, place) => again.has(n) && !refused.has(place))
  await giveTakes(
    ctx,
    got.map(({ take }) => take),
  )
  // What one took for nothing may have been missing to the next.
  const granted = group.map(() => true)
  for (const n of again) granted[n] = await takeInTurn(group[n]!)
  return granted
}

/** Takes period by period. What was taken before a refusal is given back. */
async function takeInTurn({ ctx, takes }: Taking): Promise<boolean> {
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

/** Why a take was refused: the first limit that is in its way now, or the last one when none is any more. */
async function refusalOf(ctx: Context, limits: readonly Limit[], at: Date): Promise<Failure> {
  return ((await firstPassed(ctx, limits, at)) ?? limits.at(-1)!).refusal()
}

/** The first of the limits that the account would pass. */
async function firstPassed(ctx: Context, limits: readonly Limit[], at: Date): Promise<Limit | undefined> {
  const ids = limits.map(({ owner, period }) => usagePeriod(owner, period, at).id)
  const usage = new Map((await findUsage(ctx.store, [...new Set(ids)])).map((doc) => [doc._id, doc]))
  return limits.find(({ counter, by, limit }, n) => limit !== null && countOf(usage.get(ids[n]!), counter) + by > limit)
}

/** Gives back what was taken at `at`. */
export async function giveSendAllowance(
  ctx: Context,
  { accountId, taken, at }: { accountId: string; taken: NonNullable<EmailDoc['taken']>; at: Date },
): Promise<void> {
  for (const { period, counter, by } of taken) await giveBackUsage(ctx, { owner: accountId, period, counter, by, at })
}

/** What taking the allowance would fail with now; null when it would be granted. Takes nothing. */
export async function sendRefusal(
  ctx: Context,
  principal: Principal,
  { sender, recipients, parent = null }: Pick<AllowanceAsked, 'sender' | 'recipients' | 'parent'>,
): Promise<Failure | null> {
  const at = ctx.clock.now()
  const limits = await limitsOf(ctx, principal.account, { sender, recipients, parent, at })
  return (await firstPassed(ctx, limits, at))?.refusal() ?? null
}
