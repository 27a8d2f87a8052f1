/** What an account may send: claim rules and allowances, each count one conditional atomic update (decisions.md 3, Order of checks). */
import { splitAddress } from '../mail/address.ts'
import { Failure } from '../schemas/failures.ts'
import { idAt } from '../schemas/ids.ts'
import { allowanceOf, emailsGrace, sharedDomainSendsPerDay, unclaimedRepliesPerDay } from '../schemas/plans.ts'
import type { MailboxDoc, MessageDoc } from '../store/documents/mail.ts'
import { hasMailFrom } from '../store/messages.ts'
import { findContacts } from '../store/records.ts'
import { after, minuteMs, periodsOf, secondsUntil } from './clock.ts'
import type { Context } from './context.ts'
import type { Principal } from './principal.ts'
import { isSimulated } from './simulator.ts'
import { counted, give, type Period, take } from './usage.ts'

/** Contacts are derived a moment after the arrival; within this time the messages themselves are asked. */
const contactsLagMs = 5 * minuteMs

/**
 * An unclaimed account may only answer: every recipient must be the From of a message the mailbox received. Fails with
 * `CLAIM_REQUIRED`.
 */
export async function requireClaim(
  ctx: Context,
  principal: Principal,
  { mailbox, recipients, parent }: { mailbox: MailboxDoc; recipients: readonly string[]; parent: MessageDoc | null },
): Promise<void> {
  if (principal.account.status !== 'unclaimed') return
  const wrote = new Set(parent?.fingerprint !== undefined && parent.from !== null ? [parent.from.address] : [])
  for (const { address, received } of await findContacts(ctx.store, mailbox._id, recipients))
    if (received > 0) wrote.add(address)
  for (const address of recipients) {
    if (wrote.has(address)) continue
    const since = idAt('msg', after(ctx.clock.now(), -contactsLagMs))
    if (await hasMailFrom(ctx.store, { mailboxId: mailbox._id, address, since })) continue
    throw new Failure(
      'CLAIM_REQUIRED',
      `Until a person claims this account it may only reply: ${address} has not written to ${mailbox.address}.`,
    )
  }
}

type Limit = {
  readonly owner: string
  readonly period: Period
  readonly counter: string
  readonly by: number
  readonly limit: number | null
  readonly refusal: () => Failure
}

/**
 * Takes the allowance of a send to these recipients, or nothing; simulated ones do not count in rates. Answers how to give it back. Fails with `CLAIM_REQUIRED`
 * (5 replies used), `AGENT_EMAIL_LIMIT`, `send_limit_reached`, `shared_domain_send_limit`, `send_rate_limited`.
 */
export async function takeSendAllowance(
  ctx: Context,
  principal: Principal,
  { mailbox, recipients }: { mailbox: MailboxDoc; recipients: readonly string[] },
): Promise<() => Promise<void>> {
  const at = ctx.clock.now()
  const limits = await limitsOf(ctx, principal, { mailbox, recipients, now: at })
  const taken: Limit[] = []
  const giveBack = async () => {
    for (const limit of taken) await give(ctx, { ...limit, at })
  }
  for (const limit of limits) {
    if (await take(ctx, { ...limit, at })) {
      taken.push(limit)
      continue
    }
    await giveBack()
    throw limit.refusal()
  }
  return giveBack
}

async function limitsOf(
  ctx: Context,
  { account, accountId }: Principal,
  { mailbox, recipients, now }: { mailbox: MailboxDoc; recipients: readonly string[]; now: Date },
): Promise<Limit[]> {
  const { dayEnd, minuteEnd, monthEnd } = periodsOf(now)
  const allowance = allowanceOf(account)
  const shared = splitAddress(mailbox.address).domain.endsWith(`.${ctx.settings.sharedDomain}`)
  const month = await counted(ctx, accountId, 'month')
  const limits: Limit[] = []
  const real = recipients.filter((address) => !isSimulated(address)).length
  const add = (period: Period, counter: string, limit: number | null, refusal: () => Failure, by = recipients.length) =>
    by > 0 && limits.push({ owner: accountId, period, counter, by, limit, refusal })
  if (account.status === 'unclaimed') {
    add(
      'day',
      'replies',
      unclaimedRepliesPerDay,
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
      'month',
      'sentAsAgent',
      Math.max(0, graced - month('received')),
      () =>
        new Failure(
          'AGENT_EMAIL_LIMIT',
          `The plan has ${allowance.emailsPerMonth} emails a month, and they are used up; they come back at ${monthEnd.toISOString()}.`,
        ),
    )
  }
  add(
    'month',
    'sent',
    allowance.sendsPerMonth,
    () =>
      new Failure(
        'send_limit_reached',
        `The plan has ${allowance.sendsPerMonth} sends a month, and they do not suffice; they come back at ${monthEnd.toISOString()}.`,
      ),
  )
  if (shared && account.status !== 'unclaimed') {
    add(
      'day',
      'sharedSends',
      sharedDomainSendsPerDay,
      () =>
        new Failure(
          'shared_domain_send_limit',
          `The free address has ${sharedDomainSendsPerDay} sends a day, and they are used; they come back at ${dayEnd.toISOString()}.`,
          { retryAfter: secondsUntil(now, dayEnd) },
        ),
    )
  }
  if (allowance.sendsPerDay !== null) {
    add(
      'day',
      'sent',
      allowance.sendsPerDay,
      () =>
        new Failure(
          'send_rate_limited',
          `The plan has ${allowance.sendsPerDay} sends a day, and they are used; they come back at ${dayEnd.toISOString()}.`,
          { retryAfter: secondsUntil(now, dayEnd) },
        ),
      real,
    )
  }
  const tooMany = real > allowance.recipientsPerMinute ? ` This send alone has ${real}.` : ''
  add(
    'minute',
    'sent',
    allowance.recipientsPerMinute,
    () =>
      new Failure('send_rate_limited', `The plan has ${allowance.recipientsPerMinute} recipients a minute.${tooMany}`, {
        retryAfter: secondsUntil(now, minuteEnd),
      }),
    real,
  )
  return limits
}
