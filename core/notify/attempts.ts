/** Makes attempts: one of each delivery that this process has claimed, as soon as it is the turn of its endpoint. */

import { setTimeout as sleep } from 'node:timers/promises'
import { newToken } from '../../schemas/ids.ts'
import { claimBehind, dueAhead } from '../../store/deliveries.ts'
import type { DeliveryDoc } from '../../store/documents/events.ts'
import { inTimeOf } from '../process/account-time.ts'
import { noteFailed } from '../process/alarms.ts'
import { after, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { perProcess } from '../process/per-process.ts'
import { attemptQueue, type Ended } from './attempt-queue.ts'
import { type Endpoint, enabledEndpoint, isMoving } from './endpoints.ts'
import { holdDelivery, recordAttempt, skipDelivery } from './outcomes.ts'
import { takeResend } from './resend-limit.ts'
import { signatureHeaders } from './signature.ts'
import { postWebhook } from './webhook-post.ts'

/** How long a claimed delivery may wait for its turn, before the time that the attempt itself may take. */
const turnMs = 20 * secondMs
/** How long an ending process waits for attempts in flight; those that it cuts off are made again. */
const endMs = 3 * secondMs
/** Most deliveries held behind one that has ended that are claimed with one command. */
const behindMax = 20

/** Until when a delivery is claimed, by the clock of the context. */
export function leaseEnd({ clock, settings }: Context): Date {
  return after(clock.now(), settings.webhooks.timeoutMs + turnMs)
}

/**
 * Attempts deliveries that this process has just claimed. Resolves when all attempts are recorded; a delivery for which this fails
 * is due again at the end of its lease.
 */
export async function attemptAll(ctx: Context, deliveries: readonly DeliveryDoc[]): Promise<void> {
  const open = underWay(ctx)
  await Promise.all(
    deliveries.map((delivery) => {
      const attempting = attemptInTurn(inTimeOf(ctx, delivery.accountId), delivery).finally(() =>
        open.delete(attempting),
      )
      open.add(attempting)
      return attempting
    }),
  )
}

/**
 * Ends the attempts of this process: no further attempt begins, and the deliveries that it had claimed are due for others. Resolves
 * when the attempts in flight are recorded, or after `withinMs`, at most `endMs`.
 */
export async function endAttempts(ctx: Context, withinMs: number = endMs): Promise<void> {
  attemptQueue(ctx).close()
  const late = sleep(Math.min(withinMs, endMs), undefined, { ref: false })
  await Promise.race([Promise.all(underWay(ctx)), late])
}

const underWay = perProcess(() => new Set<Promise<void>>())

async function attemptInTurn(ctx: Context, delivery: DeliveryDoc): Promise<void> {
  const recorded = Promise.withResolvers<void>()
  const work = {
    delivery,
    beginBefore: after(ctx.machineClock.now(), turnMs),
    async run(): Promise<Ended> {
      try {
        const made = await attempt(ctx, delivery)
        made.recorded.then(recorded.resolve, failed)
        // In a mailbox whose order is kept, the next attempt begins only after the outcome of this one is recorded.
        if (delivery.order !== undefined) await made.recorded.catch(() => undefined)
        return made
      } catch (error) {
        failed(error)
        return { hasAnswered: true }
      }
    },
  }
  const failed = (error: unknown) => {
    noteFailed(ctx, 'deliveries')
    ctx.log.warn(
      { err: error, deliveryId: delivery._id },
      'webhook attempt could not be made or recorded; it is made again',
    )
    recorded.resolve()
  }
  if (await attemptQueue(ctx).add(work)) await recorded.promise
  else await holdDelivery(ctx, delivery, ctx.clock.now()).catch(failed)
}

/** Makes an attempt, unless the endpoint is off or an earlier event of the mailbox is still to be delivered to it. */
async function attempt(ctx: Context, delivery: DeliveryDoc): Promise<Ended & { readonly recorded: Promise<void> }> {
  const endpoint = await enabledEndpoint(ctx, delivery)
  if (endpoint === null) {
    const recorded = (await isMoving(ctx, delivery))
      ? holdDelivery(ctx, delivery, leaseEnd(ctx))
      : skipDelivery(ctx, delivery)
    return { hasAnswered: true, recorded }
  }
  if (endpoint.webhook.ordering === 'mailbox' && delivery.order !== undefined) {
    const ahead = await dueAhead(ctx.store, delivery)
    if (ahead !== null) return { hasAnswered: true, recorded: hold(ctx, delivery, ahead) }
  }
  // A redelivery leaves when the resend limit of the account allows it.
  const waitMs = delivery.isPaced === true ? await takeResend(ctx, delivery.accountId) : null
  if (waitMs !== null)
    return { hasAnswered: true, recorded: holdDelivery(ctx, delivery, after(ctx.clock.now(), waitMs)) }
  const { answer, attempt: made } = await post(ctx, delivery, endpoint)
  const recording = recordAttempt(ctx, {
    delivery,
    webhook: endpoint.webhook,
    attempt: made,
    retryAfterMs: answer.retryAfterMs,
  })
  const recorded = delivery.order === undefined ? recording : recording.then(() => takeBehind(ctx, delivery))
  return { hasAnswered: answer.status !== null, recorded }
}

async function post(ctx: Context, delivery: DeliveryDoc, { webhook, secretsAt }: Endpoint) {
  const { body, eventId: id } = delivery
  const { _id: webhookId, url } = webhook
  const at = ctx.clock.now()
  const answer = await ctx.tracing.span('webhook', { cause: delivery, kind: 'client' }, () =>
    postWebhook(ctx, {
      webhookId,
      url,
      body,
      headers: {
        // Receivers compare the time with their own clock, also for events of a sandbox.
        ...signatureHeaders({ id, body, secrets: secretsAt(at), at: ctx.machineClock.now() }),
        // The span of the attempt, so that the receiver's spans lie below it.
        ...ctx.tracing.cause(),
      },
    }),
  )
  const { headers, status, responseHeaders, response, error, durationMs } = answer
  return { answer, attempt: { at, url, headers, status, responseHeaders, response, error, durationMs } }
}

/**
 * Holds a delivery behind an earlier one, whose end starts it. It is also due some time after the earlier one, in case that
 * process dies first. When the earlier one has ended meanwhile without seeing it, it is started at once.
 */
async function hold(ctx: Context, delivery: DeliveryDoc, aheadDueAt: Date): Promise<void> {
  const dueMs = Math.max(aheadDueAt.getTime(), ctx.clock.now().getTime())
  await holdDelivery(ctx, delivery, after(new Date(dueMs), ctx.settings.webhooks.timeoutMs + turnMs))
  if ((await dueAhead(ctx.store, delivery)) === null) await takeBehind(ctx, { ...delivery, order: delivery.order! - 1 })
}

/** Claims and attempts the deliveries that are held behind one that has ended. */
async function takeBehind(ctx: Context, delivery: DeliveryDoc): Promise<void> {
  if ((await dueAhead(ctx.store, { ...delivery, order: delivery.order! + 1 })) !== null) return
  const claim = { until: leaseEnd(ctx), token: newToken(), max: behindMax }
  const next = await claimBehind(ctx.store, delivery, claim)
  // Not awaited: these are attempts of their own.
  void attemptAll(ctx, next)
}
