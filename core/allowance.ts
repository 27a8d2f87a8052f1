/** What an account may send: claim rules and allowances, each count one conditional atomic update (decisions.md 3, Order of checks). */
import { splitAddress } from '../mail/address.ts'
import { Failure } from '../schemas/failures.ts'
import { idAt, newToken } from '../schemas/ids.ts'
import { allowanceOf, emailsGrace, sharedDomainSendsPerDay, unclaimedRepliesPerDay } from '../schemas/plans.ts'
import { findContacts } from '../store/contacts.ts'
import type { MailboxDoc, MessageDoc } from '../store/documents/mail.ts'
import type { EmailDoc } from '../store/documents/sending.ts'
import { hasMailFrom } from '../store/messages.ts'
import { after, minuteMs, periodsOf, secondsUntil } from './clock.ts'
import type { Context } from './context.ts'
import { isSharedDomain } from './domains.ts'
import type { Principal } from './principal.ts'
import { warmUpVolume } from './reputation.ts'
import { isSimulated } from './simulator.ts'
import { closeTake } from './takes.ts'
import { counted, give, type Period, take } from './usage.ts'

/** Contacts are derived a moment after the arrival; within this time the messages themselves are asked. */
const contactsLagMs = 5 * minuteMs

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

type Limit = {
  /** Volume is used up; pace comes back within a day, and a batch waits for it. */
  readonly kind: 'volume' | 'pace'
  readonly owner: string
  readonly period: Period
  readonly counter: string
  readonly by: number
  readonly limit: number | null
  readonly refusal: () => Failure
}

const limitKinds = ['volume', 'pace'] as const

type AllowanceAsked = {
  readonly sender: string
  readonly recipients: readonly string[]
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
  { sender, recipients, purpose, kinds = limitKinds }: AllowanceAsked,
): Promise<Taken> {
  const at = ctx.clock.now()
  const token = newToken()
  const taken: (Limit & { readonly token?: string })[] = []
  const giveBack = async () => {
    for (const limit of taken) await give(ctx, { ...limit, at })
  }
  // One after the other: what is taken for a send that another limit refuses would be missing to the next.
  for (const limit of await limitsOf(ctx, principal, { sender, recipients, now: at })) {
    if (!kinds.includes(limit.kind)) continue
    // A minute is over before anybody could mend it.
    const isOpen = limit.period !== 'minute'
    if (await take(ctx, { ...limit, at, ...(isOpen && { open: { token, purpose } }) })) {
      taken.push({ ...limit, ...(isOpen && { token }) })
      continue
    }
    await giveBack()
    throw limit.refusal()
  }
  const open = taken.filter((limit) => limit.token !== undefined).map(({ period }) => period)
  return {
    taken: taken.map(({ period, counter, by }) => ({ period, counter, by })),
    token,
    giveBack,
    close: () => closeTake(ctx, { accountId: principal.accountId, periods: open, at, token }),
  }
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
  { sender, recipients }: Pick<AllowanceAsked, 'sender' | 'recipients'>,
): Promise<Failure | null> {
  for (const limit of await limitsOf(ctx, principal, { sender, recipients, now: ctx.clock.now() })) {
    const used = await counted(ctx, limit.owner, limit.period)
    if (limit.limit !== null && used(limit.counter) + limit.by > limit.limit) return limit.refusal()
  }
  return null
}

async function limitsOf(
  ctx: Context,
  { account, accountId }: Pick<Principal, 'account' | 'accountId'>,
  { sender, recipients, now }: { sender: string; recipients: readonly string[]; now: Date },
): Promise<Limit[]> {
  const { dayEnd, minuteEnd, monthEnd } = periodsOf(now)
  const allowance = allowanceOf(account)
  const shared = isSharedDomain(ctx, splitAddress(sender).domain)
  const month = await counted(ctx, accountId, 'month')
  const limits: Limit[] = []
  const real = recipients.filter((address) => !isSimulated(address)).length
  const add = (
    kind: Limit['kind'],
    [period, counter, limit]: readonly [Period, string, number | null],
    refusal: () => Failure,
    by = recipients.length,
  ) => by > 0 && limits.push({ kind, owner: accountId, period, counter, by, limit, refusal })
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
      ['month', 'sentAsAgent', Math.max(0, graced - month('received'))],
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
  const tooMany = real > allowance.recipientsPerMinute ? ` This send alone has ${real}.` : ''
  add(
    'pace',
    ['minute', 'sent', allowance.recipientsPerMinute],
    () =>
      new Failure('send_rate_limited', `The plan has ${allowance.recipientsPerMinute} recipients a minute.${tooMany}`, {
        retryAfter: secondsUntil(now, minuteEnd),
      }),
    real,
  )
  return limits
}
