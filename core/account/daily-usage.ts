/**
 * What was sent and received on each day, for charts. The figures are kept by mailbox and day: what was sent is taken with the
 * send, the rest is derived from the account's events, up to the last one at each reading.
 */
import { Failure } from '../../schemas/failures.ts'
import { lastEventNumber } from '../../store/events.ts'
import { countOf, findUsageOf } from '../../store/usage.ts'
import { type Principal, reaches } from '../access/principal.ts'
import { figuresOf, figuresOwner } from '../access/usage.ts'
import { reachMailbox } from '../mailbox/mailboxes.ts'
import { after, dayMs, periodsOf } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { countReceivedUpTo } from '../receive/received-counts.ts'

/** Days that are told without a beginning, and that can be asked for. */
const daysDefault = 30
const daysMax = 91

export const dailyFigures = ['sent', 'received', 'delivered', 'bounced', 'complained', 'bytes'] as const
export type DailyFigure = (typeof dailyFigures)[number]
/** A UTC day (`2026-07-15`) and its figures. `bytes`: of the messages received. */
export type DayUsage = { readonly day: string } & { readonly [figure in DailyFigure]: number }

/**
 * The figures of each day from `since` to today, the oldest first: of all that the key reaches, or of one mailbox. Fails with
 * `mailbox_not_found`, `validation_error` (more than 90 days ago).
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
  await countReceivedUpTo(ctx, accountId, await lastEventNumber(ctx.store, accountId))
  const all = figuresOf(accountId)
  const docs = await findUsageOf(ctx.store, only === null ? all : `${figuresOwner(accountId, only)}:`)
  const counted = docs.map((doc) => {
    const [mailboxId = '', day = ''] = doc._id.slice(all.length).split(':')
    return { doc, mailboxId, day }
  })
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
