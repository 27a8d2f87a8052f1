/**
 * The allowance of a send. Everything that its limits count is taken before the mail is sent: from all limits, or from none
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
import { isSimulated } from '../deliver/simulator.ts'
import type { Context } from '../process/context.ts'
import { type Limit, limitKinds, limitsOf } from './send-limits.ts'

type AllowanceInput = {
  readonly sender: string
  readonly recipients: readonly string[]
  /** The message that the send answers or forwards, if any. */
  readonly parent?: MessageDoc | null
  /** The mailbox that sends; null for a send without one. */
  readonly mailboxId: string | null
  /** Id of the send or batch that the allowance is for. */
  readonly purpose: string
  /** Whether that id is new, so that no other try can commit it. */
  readonly isNew?: boolean
  /** A write that the database refuses once another try may commit the same send (`BegunRequest`). */
  readonly hold?: Write
  /** The kinds of limits to take from; all if absent. */
  readonly kinds?: readonly Limit['kind'][]
}

/** The allowance of a send. */
export type Allowance = {
  /** What was counted for the account; given back when the send is cancelled. */
  readonly taken: NonNullable<EmailDoc['taken']>
  /** Identifies the take; stored as `takenBy` in the document that commits the send or batch. */
  readonly token: string
  /** The takes still to be made, in this order. A refused take means that a limit is reached. */
  readonly takes: readonly Take[]
  /** Counts without a limit, which are recorded together with the send. */
  readonly figures: readonly Take[]
  /** Ids of the usage periods that hold an open take of this allowance. A sweep checks takes that stay open. */
  readonly open: readonly string[]
  readonly isNew: boolean
  /** A write that the database refuses once another try may commit the same send or batch; null if there is none. */
  readonly hold: Write | null
  /** Gives back what was already taken. Call it if nothing was committed. */
  giveBack(): Promise<void>
  /** The failure when one of `takes` was refused. */
  refusal(): Promise<Failure>
}

/** An allowance that takes nothing, for mail that no limit counts. */
export const freeAllowance = (): Allowance => ({
  taken: [],
  token: newToken(),
  takes: [],
  figures: [],
  open: [],
  isNew: true,
  hold: null,
  giveBack: async () => undefined,
  refusal: async () => {
    throw new Error('An allowance without takes cannot be refused.')
  },
})

/**
 * Computes the allowance of a send to these recipients, without taking it. Simulated recipients do not count in rate limits. Fails
 * as `takeAllowance` does if the allowance can never be granted.
 */
export async function allowanceOfSend(
  ctx: Context,
  { account, accountId }: Pick<Principal, 'account' | 'accountId'>,
  { sender, recipients, parent = null, mailboxId, purpose, isNew = false, hold, kinds = limitKinds }: AllowanceInput,
): Promise<Allowance> {
  const at = ctx.clock.now()
  const token = newToken()
  const open = { token, purpose, at }
  const all = await limitsOf(ctx, account, { sender, recipients, parent, at })
  const limits = all.filter(({ kind }) => kinds.includes(kind))
  const inOrder = limits.toSorted((a, b) => Number(isOfMonth(a)) - Number(isOfMonth(b)))
  const byPeriod = Map.groupBy(inOrder, ({ owner, period }) => usagePeriod(owner, period, at).id)
  const takes = [...byPeriod.values()].map((own): Take => {
    const { owner, period } = own[0]!
    const counts = own.map(({ period, counter, by, limit }) => ({ counter: counterIn(period, counter, at), by, limit }))
    return { ...usagePeriod(owner, period, at), counts, ...(isOpen(period) && { open }) }
  })
  if (!takes.every(isPossible)) throw await refusalOf(ctx, limits, at)
  const own = limits.filter(({ owner }) => owner === accountId)
  const sent = { counter: 'sent', by: recipients.length }
  // A batch takes its volume once as a whole; its mails take the pace limits one by one.
  const isSent = kinds.includes('pace') && sent.by > 0
  return {
    taken: [
      ...own.map(({ period, counter, by }) => ({ period, counter, by })),
      ...(isSent ? [{ owner: figuresOwner(accountId, mailboxId), period: 'day' as const, ...sent }] : []),
    ],
    token,
    takes,
    figures: isSent ? [{ ...figuresPeriod(accountId, mailboxId, at), counts: [{ ...sent, limit: null }], open }] : [],
    open: [],
    isNew,
    hold: hold ?? null,
    giveBack: async () => undefined,
    refusal: () => refusalOf(ctx, limits, at),
  }
}

/**
 * Takes the whole allowance of a send, or nothing. Fails with `CLAIM_REQUIRED` (the day's replies are used up),
 * `AGENT_EMAIL_LIMIT`, `send_limit_reached`, `shared_domain_send_limit`, `send_rate_limited`.
 */
export async function takeAllowance(
  ctx: Context,
  principal: Pick<Principal, 'account' | 'accountId'>,
  input: AllowanceInput,
): Promise<Allowance> {
  return takeFirst(ctx, await allowanceOfSend(ctx, principal, input))
}

/** Takes an allowance ahead of the list of writes that commits the send or batch. Fails as `takeAllowance` does. */
export async function takeFirst(ctx: Context, allowance: Allowance): Promise<Allowance> {
  const takes = [...allowance.figures, ...allowance.takes]
  await take(ctx, takes, [], allowance.refusal)
  return { ...allowance, takes: [], figures: [], open: openIn(takes), giveBack: () => giveTakes(ctx, takes) }
}

/**
 * Takes an allowance and makes the writes that commit a send, in one command. Returns whether all writes were made; false if a
 * unique key refused one, in which case the allowance is given back. Fails as `takeAllowance` does; then nothing was written.
 * If the store commits lists as a whole (`listsAreWhole`) and no other try can commit this send, no crash can fall between the
 * last take and the commit, so that take is not noted as open. The same holds behind a hold: a try that lost it takes nothing.
 */
export async function takeWith(ctx: Context, allowance: Allowance, writes: readonly Write[]): Promise<boolean> {
  const { store } = ctx
  const { takes, figures, open, token, isNew, hold, refusal } = allowance
  const isWhole = (isNew || hold !== null) && store.listsAreWhole
  const heldBy = isWhole && hold !== null ? [hold] : []
  const taking = isWhole
    ? takes.map((each, n) => (n === takes.length - 1 ? notOpened(each) : each))
    : [...figures, ...takes]
  const counting = isWhole ? takesTo(store, figures.map(notOpened)) : []
  const closing = takesClosed(store, [...open, ...openIn(taking)], token)
  const refused = await take(ctx, taking, [...writes, ...closing, ...counting], refusal, heldBy)
  if (refused === null) return true
  if (refused < writes.length) {
    if (refused >= 0) await giveTakes(ctx, taking)
    await allowance.giveBack()
    return false
  }
  // Another process inserted the usage document of these figures at the same time. The second try finds it.
  await store.writeTogether(counting)
  return true
}

/** Closes the takes of `takeAllowance`, once the send or batch that they were made for is committed. */
export async function closeAllowance({ store }: Context, { open, token }: Allowance): Promise<void> {
  await store.writeTogether(takesClosed(store, open, token))
}

/**
 * Makes the takes and then the writes, all behind `hold` if there is one. Returns null if all were made, the index of the write
 * that a unique key refused, or a negative number if the hold was refused; in that case nothing is taken. Fails with `refusal` if
 * a take was refused; then nothing is taken either.
 */
async function take(
  ctx: Context,
  takes: readonly Take[],
  writes: readonly Write[],
  refusal: Allowance['refusal'],
  hold: readonly Write[] = [],
): Promise<number | null> {
  const all = [...takesTo(ctx.store, takes), ...writes]
  const made = await ctx.store.writeTogether([...hold, ...all])
  if (made === null) return null
  const first = made - hold.length
  const isTake = first >= 0 && first < takes.length
  const refused = isTake ? await afterRefusal(ctx.store, all, first, hold) : first
  if (refused === null) return null
  if (isTake && refused < takes.length) {
    await giveTakes(ctx, takes.slice(0, refused))
    throw await refusal()
  }
  return refused - takes.length
}

/** Whether takes in this period are noted as open. A minute is over before a sweep could correct its count. */
const isOpen = (period: Period) => period !== 'minute'

/** Ids of the usage periods in which these takes are open. */
const openIn = (takes: readonly Take[]) => takes.flatMap(({ id, open }) => (open === undefined ? [] : [id]))

/** Whether the counts of this period are kept in the document of the month, which is written after the others. */
const isOfMonth = ({ period }: Limit) => period === 'month' || period === 'day'

const notOpened = ({ open: _, ...take }: Take): Take => take

async function giveTakes(ctx: Context, takes: readonly Take[]): Promise<void> {
  for (const { id, counts, open } of takes)
    for (const { counter, by } of counts) await giveBack(ctx.store, { id, counter, by, token: open?.token })
}

/** The failure of a refused take: that of the first limit that refuses now, or of the last limit if none refuses any more. */
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

/** Gives back what a send took at `at` for those `accepted` recipients who receive no mail (`unsent`). */
export async function giveSendAllowance(
  ctx: Context,
  {
    accountId,
    taken,
    at,
    accepted,
    unsent,
  }: {
    accountId: string
    taken: NonNullable<EmailDoc['taken']>
    at: Date
    accepted: readonly string[]
    unsent: readonly string[]
  },
): Promise<void> {
  if (unsent.length === 0) return
  const real = (addresses: readonly string[]) => addresses.filter((address) => !isSimulated(address)).length
  // `by` counted all recipients, only the real ones, or the send as a whole.
  const shareOf = (by: number) => {
    if (by === accepted.length) return unsent.length
    if (by === real(accepted)) return real(unsent)
    return unsent.length === accepted.length ? by : 0
  }
  const shares = taken.map((each) => ({ ...each, by: shareOf(each.by) }))
  for (const { owner, period, counter, by } of shares.filter(({ by }) => by > 0))
    await (owner === undefined
      ? giveBackUsage(ctx, { owner: accountId, period, counter, by, at })
      : giveBackFigure(ctx, { owner, counter, by, at }))
}

/** The failure with which the allowance would be refused now; null if it would be granted. Takes nothing. */
export async function allowanceRefusal(
  ctx: Context,
  principal: Principal,
  { sender, recipients, parent = null }: Pick<AllowanceInput, 'sender' | 'recipients' | 'parent'>,
): Promise<Failure | null> {
  const at = ctx.clock.now()
  const limits = await limitsOf(ctx, principal.account, { sender, recipients, parent, at })
  return (await firstPassed(ctx, limits, at))?.refusal() ?? null
}
