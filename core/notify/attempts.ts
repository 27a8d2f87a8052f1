/** Attempts at deliveries: one is made of each that this process has claimed, as soon as its endpoint has its turn. */

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
/** A process that ends waits so long for attempts in flight; what is cut off is made again. */
const endMs = 3 * secondMs
/** Deliveries held behind one that has ended, which are taken on with one look. */
const behindMax = 20

/** Until when a delivery is claimed, by the clock of the context. */
export function leaseEnd({ clock, settings }: Context): Date {
  return after(clock.now(), settings.webhooks.timeoutMs + turnMs)
}

/**
 * Attempts deliveries that this process has just claimed. Resolves when all attempts are recorded; what fails here is due again
 * at the end of its lease.
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
 * Ends the attempts of this process: none begins any more, and what it had claimed is due for others. Resolves when those in
 * flight are recorded; they are not waited for long, and `withinMs` at most.
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
        // Of a mailbox whose order is kept the next begins after it is written down how this one ended.
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
    ctx.log.warn({ err: error, deliveryId: delivery._id }, 'webhook attempt failed; it is made again')
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
  // A redelivery leaves when the account may resend something.
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
        // Receivers hold it against their own clock, also that of a sandbox's event.
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
 * Holds a delivery behind an earlier one, whose end takes it on. It is due some time after that one, in case a process did not
 * live to do that; and at once, when that one has ended meanwhile and did not see it.
 */
async function hold(ctx: Context, delivery: DeliveryDoc, aheadDueAt: Date): Promise<void> {
  const dueMs = Math.max(aheadDueAt.getTime(), ctx.clock.now().getTime())
  await holdDelivery(ctx, delivery, after(new Date(dueMs), ctx.settings.webhooks.timeoutMs + turnMs))
  if ((await dueAhead(ctx.store, delivery)) === null) await takeBehind(ctx, { ...delivery, order: delivery.order! - 1 })
}

/** Takes on what is held behind a delivery that has ended. */
async function takeBehind(ctx: Context, delivery: DeliveryDoc): Promise<void> {
  if ((await dueAhead(ctx.store, { ...delivery, order: delivery.order! + 1 })) !== null) return
  const claim = { until: leaseEnd(ctx), token: newToken(), max: behindMax }
  const next = await claimBehind(ctx.store, delivery, claim)
  // Nobody waits for them: they are attempts of their own.
  void attemptAll(ctx, next)
}
