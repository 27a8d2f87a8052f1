/**
 * Records the outcomes of attempts, those of attempts that end at the same time in one command. A failed attempt is made again
 * after a pause; an endpoint that failed for days is turned off.
 */
import * as store from '../../store/deliveries.ts'
import type { DeliveryAttempt, DeliveryDoc, WebhookDoc } from '../../store/documents/events.ts'
import { failureIn, successIn, turnOffFailing } from '../../store/webhooks.ts'
import { type Write, writeAll } from '../../store/writes.ts'
import { noteDue } from '../process/alarms.ts'
import { after, dayMs, hourMs, minuteMs, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { createGroupCommit, isolateFailures } from '../process/group-commit.ts'
import { perProcess } from '../process/per-process.ts'
import { countsIn } from './attempt-counts.ts'
import { enabledEndpoint, endpointsChanged, isMoving } from './endpoints.ts'

/** Pauses after the first failed attempts; later ones are 8 hours (decisions.md 2, Webhooks and events). */
const pausesMs = [
  5 * secondMs,
  30 * secondMs,
  2 * minuteMs,
  10 * minuteMs,
  30 * minuteMs,
  hourMs,
  2 * hourMs,
  4 * hourMs,
]
const finalPauseMs = 8 * hourMs
const jitter = 0.2
/** The time reserved for each final pause that follows: the shortest such pause, and the time that the attempts between them take. */
const keptFreeMs = finalPauseMs * (1 - (3 / 4) * jitter)
/** No attempt begins later than a day after the first. The last is due a minute before that, so that it can still begin. */
const retryForMs = dayMs - minuteMs
const disableAfterMs = 5 * dayMs
/** Most outcomes that one command records, and the pause during which they are gathered. */
const groupMax = 200
const pauseMs = 10

/** An attempt that was made, or a delivery that is not attempted now. */
type Recorded = { readonly ctx: Context; readonly outcome: store.Outcome; readonly webhook: WebhookDoc | null }

const groups = perProcess(() => createGroupCommit<Recorded>(groupMax, isolateFailures(write), { pauseMs }))

/** Records an attempt, and when the next attempt follows. */
export async function recordAttempt(
  ctx: Context,
  {
    delivery,
    webhook,
    attempt,
    retryAfterMs,
  }: {
    readonly delivery: DeliveryDoc
    readonly webhook: WebhookDoc
    readonly attempt: DeliveryAttempt
    readonly retryAfterMs: number | null
  },
): Promise<void> {
  const isTaken = isSuccess(attempt)
  const retryAt = isTaken ? null : retryOf(delivery, attempt, retryAfterMs)
  // An endpoint that was turned off or deleted during the attempt gets no other.
  const isOff = retryAt !== null && (await enabledEndpoint(ctx, delivery)) === null
  const isSkipped = isOff && !(await isMoving(ctx, delivery))
  const nextAt = isSkipped ? null : retryAt
  const state = isTaken ? 'delivered' : isSkipped ? 'skipped' : nextAt === null ? 'failed' : 'waiting'
  ctx.metrics.count('mailroom_webhook_attempts_total', { result: isTaken ? 'delivered' : 'failed' })
  if (isTaken) {
    const lagMs = ctx.clock.now().getTime() - delivery.createdAt.getTime()
    ctx.metrics.observe('mailroom_webhook_lag_seconds', {}, lagMs / secondMs)
  }
  await groups(ctx)({ ctx, webhook, outcome: { delivery, attempt, state, nextAt } })
  if (!isTaken && delivery.origin !== 'test') await turnOffIfFailing(ctx, webhook, attempt.at)
}

/** Gives up the claim of a delivery without an attempt: it is due again at `nextAt`. */
export function holdDelivery(ctx: Context, delivery: DeliveryDoc, nextAt: Date): Promise<void> {
  return groups(ctx)({ ctx, webhook: null, outcome: { delivery, attempt: null, state: 'waiting', nextAt } })
}

/** Ends a claimed delivery whose endpoint is off or gone. */
export function skipDelivery(ctx: Context, delivery: DeliveryDoc): Promise<void> {
  return groups(ctx)({ ctx, webhook: null, outcome: { delivery, attempt: null, state: 'skipped', nextAt: null } })
}

const isSuccess = ({ status }: DeliveryAttempt) => status !== null && status >= 200 && status < 300

/**
 * When a failed delivery is attempted again; null when it is given up. The pauses add up to almost a day. Jitter makes a pause only
 * so long that the pauses after it, at their shortest, end within the day too.
 */
function retryOf(
  { origin, firstAt, attempts }: DeliveryDoc,
  { at, durationMs }: DeliveryAttempt,
  retryAfterMs: number | null,
): Date | null {
  if (origin !== 'event') return null
  // The pause begins at the end of the attempt, so that a slow endpoint gets its whole pause too.
  const endedAt = after(at, durationMs)
  const leftMs = (firstAt ?? at).getTime() + retryForMs - endedAt.getTime()
  const usualMs = pausesMs[attempts.length] ?? finalPauseMs
  const following = Math.max(0, Math.floor(leftMs / keptFreeMs) - 1)
  const longestMs = leftMs - following * keptFreeMs
  if (longestMs < usualMs * (1 - jitter)) return null
  const pauseMs = Math.min(usualMs * (1 - jitter + 2 * jitter * Math.random()), longestMs)
  const nextMs = Math.max(pauseMs, retryAfterMs ?? 0)
  return nextMs > leftMs ? null : after(endedAt, nextMs)
}

async function write(recorded: readonly Recorded[]): Promise<[]> {
  const { store: db } = recorded[0]!.ctx
  const again = recorded.flatMap(({ outcome: { delivery, nextAt } }) =>
    nextAt === null ? [] : { ...delivery, nextAt },
  )
  const changed: WebhookDoc[] = []
  const changes: Write[] = []
  for (const own of Map.groupBy(recorded, ({ webhook }) => webhook?._id).values()) {
    const { webhook } = own[0]!
    if (webhook === null) continue
    const health = healthIn(own, webhook)
    if (health.clears) changes.push(successIn(db, webhook))
    if (health.failedAt !== null) changes.push(failureIn(db, webhook, health.failedAt))
    if (health.clears || health.failedAt !== null) changed.push(webhook)
  }
  const outcomes = recorded.map(({ outcome }) => store.outcomeIn(db, outcome))
  const counts = countsIn(db, recorded.flatMap(countedOf))
  const writes = [...store.duesOf(db, again), ...changes, ...outcomes]
  const refused = await writeAll(db, [...writes, ...counts])
  // When two processes insert the counters of a day at once, one of them is refused; its second try finds them.
  await writeAll(
    db,
    counts.filter((_, n) => refused.includes(writes.length + n)),
  )
  for (const { ctx, outcome } of recorded) if (outcome.nextAt !== null) noteDue(ctx, 'deliveries', outcome.nextAt)
  for (const { accountId } of changed) endpointsChanged(recorded[0]!.ctx, accountId)
  return []
}

const countedOf = ({ outcome: { delivery, attempt } }: Recorded) =>
  attempt === null ? [] : [{ delivery, attempt, isTaken: isSuccess(attempt) }]

/**
 * What a series of attempts changes about the health of an endpoint: whether it ends earlier failures, and the time of the first
 * failure after that. Test events do not count.
 */
function healthIn(recorded: readonly Recorded[], { failingSince }: WebhookDoc) {
  let clears = false
  let failedAt: Date | null = null
  for (const { outcome } of recorded) {
    const { attempt, delivery } = outcome
    if (attempt === null || delivery.origin === 'test') continue
    if (!isSuccess(attempt)) failedAt ??= attempt.at
    else {
      failedAt = null
      clears = failingSince !== null
    }
  }
  return { clears, failedAt: failingSince !== null && !clears ? null : failedAt }
}

async function turnOffIfFailing(
  ctx: Context,
  { accountId, _id, failingSince, sandbox }: WebhookDoc,
  at: Date,
): Promise<void> {
  const since = after(at, -disableAfterMs)
  if (failingSince === null || failingSince > since) return
  // No mail leaves a sandbox, so its owner gets no notice.
  const isTold = sandbox !== true
  if (!(await turnOffFailing(ctx.store, { accountId, _id, since, at, isTold }))) return
  endpointsChanged(ctx, accountId)
  await store.skipDeliveries(ctx.store, { accountId, webhookId: _id })
  ctx.log.warn({ webhookId: _id, accountId, failingSince }, 'webhook endpoint turned off after 5 days of failures')
}
