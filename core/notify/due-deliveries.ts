/** Attempts the deliveries that are due: those that failed, and those whose process died before it attempted them. */
import { newToken } from '../../schemas/ids.ts'
import * as store from '../../store/deliveries.ts'
import type { DeliveryDoc } from '../../store/documents/events.ts'
import { dueNow, inTimeOf } from '../process/account-time.ts'
import { after, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { attemptQueue, queuedMax } from './attempt-queue.ts'
import { attemptAll, leaseEnd } from './attempts.ts'

/** Most endpoints that are read in one query. */
const endpointsMax = 50
/** Most deliveries that one command claims. An endpoint with less room counts as full, so that each command claims many. */
const claimMax = queuedMax / 2
/**
 * Endpoints whose deliveries are claimed at the same time. A claim writes up to `claimMax` documents without a break, and new events
 * wait for it in the database and in this process.
 */
const claimsAtOnce = 3
/** A run ends after this time; the next one continues. */
const runMs = 5 * secondMs
/** How long until full endpoints are looked at again, unless half of the attempts end earlier. */
const fullMs = 100
/** How long until an endpoint that did not answer is looked at again, while an attempt to it is queued or in flight. */
const silentMs = 10 * secondMs

/**
 * Makes the attempts that are due, of one account or of all. Returns their number. Attempts for all accounts may still be in flight
 * then, so that an endpoint that does not answer holds up no other; those for one account have ended.
 */
export async function attemptDueDeliveries(ctx: Context, accountId?: string): Promise<number> {
  const end = performance.now() + runMs
  const attempts = new Set<Promise<void>>()
  let made = 0
  let half: { readonly open: number; tell(): void } | null = null
  for (;;) {
    const { deliveries, isFull } = await claimDue(ctx, accountId)
    made += deliveries.length
    for (const delivery of deliveries) {
      const attempt = attemptAll(ctx, [delivery]).finally(() => {
        attempts.delete(attempt)
        if (half !== null && attempts.size <= half.open) half.tell()
      })
      attempts.add(attempt)
    }
    if (attempts.size === 0 || (deliveries.length === 0 && !isFull) || performance.now() > end) break
    if (!isFull) continue
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, fullMs)
      const tell = () => {
        clearTimeout(timer)
        resolve()
      }
      half = { open: attempts.size / 2, tell }
    })
  }
  if (accountId !== undefined) await Promise.all(attempts)
  return made
}

/** When the next attempt may be due, of an account or of all; null when none waits. */
export function nextAttempt(ctx: Context, accountId?: string): Promise<Date | null> {
  return store.nextDelivery(ctx.store, accountId)
}

type Claimed = { readonly deliveries: readonly DeliveryDoc[]; readonly isFull: boolean }

async function claimDue(ctx: Context, accountId: string | undefined): Promise<Claimed> {
  const endpoints = await store.findDueEndpoints(ctx.store, dueNow(ctx, accountId), endpointsMax)
  const claimed: Claimed[] = []
  const left = endpoints.values()
  await Promise.all(
    Array.from({ length: claimsAtOnce }, async () => {
      for (const endpoint of left) claimed.push(await claimOf(inTimeOf(ctx, endpoint.accountId), endpoint))
    }),
  )
  return {
    deliveries: claimed.flatMap(({ deliveries }) => deliveries),
    isFull: endpoints.length === endpointsMax || claimed.some(({ isFull }) => isFull),
  }
}

/** Claims as many deliveries of an endpoint as it has room for. The rest is due after those of the other endpoints. */
async function claimOf(ctx: Context, endpoint: store.DueEndpoint): Promise<Claimed> {
  const { accountId, _id: webhookId } = endpoint
  const now = ctx.clock.now()
  const queue = attemptQueue(ctx)
  const isSilent = queue.isSilent(webhookId)
  const room = queue.roomFor(webhookId)
  const max = room < claimMax && !isSilent ? 0 : Math.min(room, claimMax)
  const claim = { accountId, webhookId, now, until: leaseEnd(ctx), token: newToken(), max }
  const deliveries = max === 0 ? [] : await store.claimDeliveries(ctx.store, claim)
  const isFull = deliveries.length === max
  await store.settleDue(ctx.store, endpoint, { now, notBefore: after(now, isFull && isSilent ? silentMs : 0) })
  return { deliveries, isFull: isFull && !isSilent }
}
