/** What an account may send: claim rules and allowances, each count one conditional atomic update (decisions.md 3, Order of checks). */
import { normaliseAddress, splitAddress } from '../../mail/message/address.ts'
import { Failure } from '../../schemas/failures.ts'
import { idAt, newToken } from '../../schemas/ids.ts'
import { allowanceOf, emailsGrace, sharedDomainSendsPerDay, unclaimedRepliesPerDay } from '../../schemas/plans.ts'
import { findContacts } from '../../store/contacts.ts'
import type { MailboxDoc, MessageDoc } from '../../store/documents/mail.ts'
import type { EmailDoc } from '../../store/documents/sending.ts'
import { hasMailFrom } from '../../store/messages.ts'
import { type Count, countOf, findUsage, giveBack, type Take, takeCounts } from '../../store/usage.ts'
import type { Principal } from '../access/principal.ts'
import { give, type Period, periodOf } from '../access/usage.ts'
import { warmUpVolume } from '../account/reputation.ts'
import { isSimulated } from '../deliver/simulator.ts'
import { isSharedDomain } from '../mailbox/domains.ts'
import { after, minuteMs, periodsOf, secondsUntil } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { createGroupCommit } from '../process/group-commit.ts'
import { perProcess } from '../process/per-process.ts'
import { closeTake } from './open-allowances.ts'

/** Contacts are derived a moment after the arrival; within this time the messages themselves are asked. */
const contactsLagMs = 5 * minuteMs
/** Sends whose allowance is taken together. */
const takingsMax = 100

/**
 * Who of the recipients an unclaimed account may not write to: it may only answer, so every recipient must be the From of a
 * message the mailbox received. Each with its `CLAIM_REQUIRED`.
 */
export async function claimRefusals(
  ctx: Context,
  { account }: Pick<Principal, 'account'>,
  {
    mailbox,
    recipients,
    parent,
  }: { mailbox: MailboxDoc | null; recipients: readonly string[]; parent: MessageDoc | null },
): Promise<ReadonlyMap<string, Failure>> {
  const refusals = new Map<string, Failure>()
  if (account.status !== 'unclaimed') return refusals
  const wrote = new Set(parent?.fingerprint !== undefined && parent.from !== null ? [parent.from.address] : [])
  if (mailbox !== null)
    for (const { address, received } of await findContacts(ctx.store, mailbox._id, recipients))
      if (received > 0) wrote.add(address)
  const since = idAt('msg', after(ctx.clock.now(), -contactsLagMs))
  for (const address of recipients) {
    if (wrote.has(address)) continue
    if (mailbox !== null && (await hasMailFrom(ctx.store, { mailboxId: mailbox._id, address, since }))) continue
    const text = `Until a person claims this account it may only reply: ${address} has not written to it.`
    refusals.set(address, new Failure('CLAIM_REQUIRED', text))
  }
  return refusals
}

type Limit = Count & {
  /** The account, or what else is counted by itself. */
  readonly owner: string
  /** Volume is used up; pace comes back within a day, and a batch waits for it. */
  readonly kind: 'volume' | 'pace'
  readonly period: Period
  readonly refusal: () => Failure
}

const limitKinds = ['volume', 'pace'] as const

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
  const all = await limitsOf(ctx, principal, { sender, recipients, parent, now: at })
  const limits = all.filter(({ kind }) => kinds.includes(kind))
  const byPeriod = Map.groupBy(limits, ({ owner, period }) => periodOf(owner, period, at).id)
  const takes = [...byPeriod.values()].map((own): Take => {
    const { owner, period } = own[0]!
    const counts = own.map(({ counter, by, limit, beside }) => ({ counter, by, limit, ...(beside && { beside }) }))
    return { ...periodOf(owner, period, at), counts, ...(isOpen(period) && { open: { token, purpose, at } }) }
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
  const ids = limits.map(({ owner, period }) => periodOf(owner, period, at).id)
  const usage = new Map((await findUsage(ctx.store, [...new Set(ids)])).map((doc) => [doc._id, doc]))
  return limits.find(({ counter, beside, by, limit }, n) => {
    const doc = usage.get(ids[n]!)
    const used = countOf(doc, counter) + (beside === undefined ? 0 : countOf(doc, beside))
    return limit !== null && used + by > limit
  })
}

/** Gives back what was taken at `at`. */
export async function giveSendAllowance(
  ctx: Context,
  { accountId, taken, at }: { accountId: string; taken: NonNullable<EmailDoc['taken']>; at: Date },
): Promise<void> {
  for (const { period, counter, by } of taken) await give(ctx, { owner: accountId, period, counter, by, at })
}

/** What taking the allowance would fail with now; null when it would be granted. Takes nothing. */
export async function sendRefusal(
  ctx: Context,
  principal: Principal,
  { sender, recipients, parent = null }: Pick<AllowanceAsked, 'sender' | 'recipients' | 'parent'>,
): Promise<Failure | null> {
  const at = ctx.clock.now()
  const limits = await limitsOf(ctx, principal, { sender, recipients, parent, now: at })
  return (await firstPassed(ctx, limits, at))?.refusal() ?? null
}

async function limitsOf(
  ctx: Context,
  { account }: Pick<Principal, 'account'>,
  {
    sender,
    recipients,
    parent,
    now,
  }: { sender: string; recipients: readonly string[]; parent: MessageDoc | null; now: Date },
): Promise<Limit[]> {
  const { dayEnd, minuteEnd, monthEnd } = periodsOf(now)
  const allowance = allowanceOf(account)
  const shared = isSharedDomain(ctx, splitAddress(sender).domain)
  const limits: Limit[] = []
  const real = recipients.filter((address) => !isSimulated(address)).length
  const add = (
    kind: Limit['kind'],
    [period, counter, limit, beside]: readonly [Period, string, number | null, string?],
    refusal: () => Failure,
    by = recipients.length,
  ) =>
    by > 0 && limits.push({ owner: account.id, kind, period, counter, by, limit, refusal, ...(beside && { beside }) })
  if (account.status === 'unclaimed') {
    add(
      'volume',
      ['day', 'replies', unclaimedRepliesPerDay],
      () =>
        new Failure(
          'CLAIM_REQUIRED',
          `An unclaimed account may send ${unclaimedRepliesPerDay} replies a day, and they are used; they come back at ${dayEnd.toISOString()}.`,
        ),
    )
  }
  if (allowance.emailsPerMonth !== null) {
    const graced = Math.floor(allowance.emailsPerMonth * emailsGrace)
    add(
      'volume',
      ['month', 'sentAsAgent', graced, 'received'],
      () =>
        new Failure(
          'AGENT_EMAIL_LIMIT',
          `The plan has ${allowance.emailsPerMonth} emails a month, and they are used up; they come back at ${monthEnd.toISOString()}.`,
        ),
    )
  }
  add(
    'volume',
    ['month', 'sent', allowance.sendsPerMonth],
    () =>
      new Failure(
        'send_limit_reached',
        `The plan has ${allowance.sendsPerMonth} sends a month, and they do not suffice; they come back at ${monthEnd.toISOString()}.`,
      ),
  )
  if (shared && account.status !== 'unclaimed') {
    add(
      'pace',
      ['day', 'sharedSends', sharedDomainSendsPerDay],
      () =>
        new Failure(
          'shared_domain_send_limit',
          `The free address has ${sharedDomainSendsPerDay} sends a day, and they are used; they come back at ${dayEnd.toISOString()}.`,
          { retryAfter: secondsUntil(now, dayEnd) },
        ),
    )
  }
  const warm = await warmUpVolume(ctx, account)
  const warming = warm !== null && warm < (allowance.sendsPerDay ?? Number.MAX_SAFE_INTEGER)
  add(
    'pace',
    ['day', 'sent', warming ? warm : allowance.sendsPerDay],
    () =>
      new Failure(
        'send_rate_limited',
        warming
          ? `A new account warms up: it has ${warm} sends today, and they are used; there are more tomorrow, at ${dayEnd.toISOString()}.`
          : `The plan has ${allowance.sendsPerDay} sends a day, and they are used; they come back at ${dayEnd.toISOString()}.`,
        { retryAfter: secondsUntil(now, dayEnd) },
      ),
    real,
  )
  const why =
    real > allowance.recipientsPerMinute
      ? `this send alone has ${real}`
      : `they are used; there are more at ${minuteEnd.toISOString()}`
  add(
    'pace',
    ['minute', 'sent', allowance.recipientsPerMinute],
    () =>
      new Failure(
        'send_rate_limited',
        `The plan has ${allowance.recipientsPerMinute} recipients a minute, and ${why}.`,
        {
          retryAfter: secondsUntil(now, minuteEnd),
        },
      ),
    real,
  )
  return parent !== null && answers(parent, recipients) ? [...limits, repliesLimit(ctx, parent, now)] : limits
}

/** Whether mail goes back to who wrote the message. */
function answers({ from, replyTo }: MessageDoc, recipients: readonly string[]): boolean {
  const writers = [...(from === null ? [] : [from]), ...replyTo]
  return writers.some(({ address }) => recipients.includes(normaliseAddress(address) ?? address))
}

/** Two programs that answer each other come to an end (decisions.md 4, Loops). */
function repliesLimit({ settings }: Context, { threadId }: MessageDoc, now: Date): Limit {
  const { repliesPerThread: limit } = settings.limits
  const { hourEnd } = periodsOf(now)
  const text = `A thread has ${limit} replies an hour, and they are used; there are more at ${hourEnd.toISOString()}.`
  return {
    owner: threadId,
    kind: 'pace',
    period: 'hour',
    counter: 'replies',
    by: 1,
    limit,
    refusal: () => new Failure('send_rate_limited', text, { retryAfter: secondsUntil(now, hourEnd) }),
  }
}
