/**
 * What was sent and received on each day, for charts. The figures are stored by mailbox and day: sends are counted together with the
 * send, and the rest is derived from the account's events, at each reading up to the last event.
 */
import { splitAddress } from '../../mail/message/address.ts'
import { Failure } from '../../schemas/failures.ts'
import { lastEventNumber } from '../../store/events.ts'
import { findMailboxesOfAccount } from '../../store/mailboxes.ts'
import { countOf, findUsageOf } from '../../store/usage.ts'
import { accountById } from '../access/known-callers.ts'
import { type Principal, reaches } from '../access/principal.ts'
import { figuresOf, figuresOwner } from '../access/usage.ts'
import { reachMailbox } from '../mailbox/mailboxes.ts'
import { after, dayMs, periodsOf } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { tallyEventsUpTo } from '../receive/received-counts.ts'

/** Days that are returned without `since`, and the most that can be asked for. */
const daysDefault = 30
const daysMax = 91

export const dailyFigures = ['sent', 'received', 'delivered', 'bounced', 'complained', 'bytes'] as const
export type DailyFigure = (typeof dailyFigures)[number]
/** A UTC day (`2026-07-15`) and its figures. `bytes`: of the messages received. */
export type DayUsage = { readonly day: string } & { readonly [figure in DailyFigure]: number }

/**
 * The figures of each day from `since` to today, the oldest first, for all mailboxes that the key reaches, or for one. Fails with
 * `mailbox_not_found`, `validation_error` (`since` is more than 90 days ago).
 */
export async function dailyUsage(
  ctx: Context,
  principal: Principal,
  { since, mailbox }: { since?: Date; mailbox?: string },
): Promise<readonly DayUsage[]> {
  const { accountId } = principal
  const today = periodsOf(ctx.clock.now()).day
  const days = daysFrom(since ?? after(ctx.clock.now(), -(daysDefault - 1) * dayMs), today)
  const only = mailbox === undefined ? null : (await reachMailbox(ctx, principal, mailbox))._id
  await tallyEventsUpTo(ctx, accountId, await lastEventNumber(ctx.store, accountId))
  const counted = await figuresIn(ctx, accountId, only)
  const byDay = Map.groupBy(
    counted.filter(({ mailboxId }) => reaches(principal, mailboxId)),
    ({ day }) => day,
  )
  return days.map((day) => {
    const sum = (figure: DailyFigure) =>
      (byDay.get(day) ?? []).reduce((total, { doc }) => total + countOf(doc, figure), 0)
    const figures = dailyFigures.map((figure) => [figure, sum(figure)] as const)
    return { day, ...(Object.fromEntries(figures) as { [figure in DailyFigure]: number }) }
  })
}

/** The outcomes of mail from a domain, summed over the mailboxes that exist on it now. */
export type DomainFigures = { readonly [figure in (typeof outcomeFigures)[number]]: number }
const outcomeFigures = ['sent', 'delivered', 'bounced', 'complained'] as const

/** The figures of a domain on the days (UTC) from `since` to `until`, as far as they are still stored. */
export async function domainFigures(
  ctx: Context,
  { accountId, domain, since, until }: { accountId: string; domain: string; since: Date; until: Date },
): Promise<DomainFigures> {
  await tallyEventsUpTo(ctx, accountId, await lastEventNumber(ctx.store, accountId))
  const counted = (await figuresIn(ctx, accountId, null)).filter(
    ({ day }) => day >= periodsOf(since).day && Date.parse(day) < until.getTime(),
  )
  const ids = [...new Set(counted.map(({ mailboxId }) => mailboxId))]
  const mailboxes = await findMailboxesOfAccount(ctx.store, { accountId, ids })
  const own = new Set(mailboxes.flatMap(({ _id, address }) => (splitAddress(address).domain === domain ? [_id] : [])))
  const docs = counted.filter(({ mailboxId }) => own.has(mailboxId)).map(({ doc }) => doc)
  const sums = outcomeFigures.map((figure) => [figure, docs.reduce((sum, doc) => sum + countOf(doc, figure), 0)])
  return Object.fromEntries(sums) as DomainFigures
}

/**
 * The daily figures of the mailboxes of an account, or of one of them. What a mailbox sent before it was claimed into the account stays
 * with the claimed account; everything else is counted here from the events, which moved.
 */
async function figuresIn(ctx: Context, accountId: string, only: string | null) {
  const { joined = [] } = (await accountById(ctx, accountId)) ?? {}
  const [own, ...before] = await Promise.all([accountId, ...joined].map((id) => figuresUnder(ctx, id, only)))
  const sent = before
    .flat()
    .map((each) => ({ ...each, doc: { ...each.doc, counts: { sent: countOf(each.doc, 'sent') } } }))
  return [...(own ?? []), ...sent]
}

/** The documents of daily figures that are stored under an account, with their mailbox and day. */
async function figuresUnder(ctx: Context, accountId: string, only: string | null) {
  const all = figuresOf(accountId)
  const docs = await findUsageOf(ctx.store, only === null ? all : `${figuresOwner(accountId, only)}:`)
  return docs.map((doc) => {
    const [mailboxId = '', day = ''] = doc._id.slice(all.length).split(':')
    return { doc, mailboxId, day }
  })
}

function daysFrom(since: Date, today: string): readonly string[] {
  const first = Date.parse(periodsOf(since).day)
  const count = Math.round((Date.parse(today) - first) / dayMs) + 1
  if (count > daysMax)
    throw new Failure('validation_error', `The figures of ${daysMax} days are kept, and "since" is before them.`, {
      param: 'since',
      fix: `Give a day from ${periodsOf(new Date(Date.parse(today) - (daysMax - 1) * dayMs)).day} on.`,
    })
  return Array.from({ length: Math.max(0, count) }, (_, n) => periodsOf(new Date(first + n * dayMs)).day)
}
