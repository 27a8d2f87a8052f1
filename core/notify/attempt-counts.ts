/** Counts, for each hour, the attempts that an endpoint accepted and that failed, and their durations. Written with the outcomes. */
import type { DeliveryAttempt, DeliveryDoc } from '../../store/documents/events.ts'
import type { Store } from '../../store/open.ts'
import { countOf, findUsageOf } from '../../store/usage.ts'
import { updateIn, type Write } from '../../store/writes.ts'
import type { Principal } from '../access/principal.ts'
import { attemptsOwner, attemptsPeriod } from '../access/usage.ts'
import { after, dayMs, hourMs, periodsOf } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { reachWebhook } from './webhooks.ts'

/** How many hours, or days, are shown. */
const hoursShown = 48
const daysShown = 30

/** One attempt, and whether the endpoint accepted it. */
export type Counted = {
  readonly delivery: Pick<DeliveryDoc, 'accountId' | 'webhookId' | 'origin'>
  readonly attempt: Pick<DeliveryAttempt, 'at' | 'durationMs'>
  readonly isTaken: boolean
}

/** The writes that count attempts. Test events are not counted: they say nothing about how events arrive. */
export function countsIn(store: Store, attempts: readonly Counted[]): Write[] {
  const told = attempts.filter(({ delivery }) => delivery.origin !== 'test')
  const hourOf = ({ delivery, attempt }: Counted) =>
    `${delivery.webhookId} ${Math.floor(attempt.at.getTime() / hourMs)}`
  return [...Map.groupBy(told, hourOf).values()].map((own) => {
    const { delivery, attempt } = own[0]!
    const { id, expiresAt, hour } = attemptsPeriod(delivery.accountId, delivery.webhookId, attempt.at)
    const taken = own.filter(({ isTaken }) => isTaken).length
    return updateIn(
      store.usage,
      { _id: id },
      {
        $inc: {
          [`counts.${hour}.delivered`]: taken,
          [`counts.${hour}.failed`]: own.length - taken,
          [`counts.${hour}.ms`]: own.reduce((sum, { attempt }) => sum + attempt.durationMs, 0),
        },
        $setOnInsert: { expiresAt },
      },
      { upsert: true },
    )
  })
}

/** The attempts of an hour or a day. `averageMs` is null without attempts. */
export type AttemptCount = {
  readonly from: Date
  readonly delivered: number
  readonly failed: number
  readonly averageMs: number | null
}

/** The attempts of the last 48 hours or 30 days, oldest first, including hours and days without attempts. Fails with `not_found`. */
export async function attemptCounts(
  ctx: Context,
  principal: Principal,
  { webhookId, by }: { webhookId: string; by: 'hour' | 'day' },
): Promise<readonly AttemptCount[]> {
  await reachWebhook(ctx, principal, webhookId)
  const owner = attemptsOwner(principal.accountId, webhookId)
  const docs = new Map((await findUsageOf(ctx.store, `${owner}:`)).map((doc) => [doc._id, doc]))
  const [count, stepMs] = by === 'hour' ? [hoursShown, hourMs] : [daysShown, dayMs]
  const now = ctx.clock.now().getTime()
  return Array.from({ length: count }, (_, n) => {
    const from = new Date((Math.floor(now / stepMs) - (count - 1 - n)) * stepMs)
    const hours = Array.from({ length: stepMs / hourMs }, (_each, hour) => after(from, hour * hourMs))
    const doc = docs.get(`${owner}:${periodsOf(from).day}`)
    const sum = (figure: string) =>
      hours.reduce((total, at) => total + countOf(doc, `h${at.toISOString().slice(11, 13)}.${figure}`), 0)
    const [delivered, failed] = [sum('delivered'), sum('failed')]
    const attempts = delivered + failed
    return { from, delivered, failed, averageMs: attempts === 0 ? null : Math.round(sum('ms') / attempts) }
  })
}
