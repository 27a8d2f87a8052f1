/** Deliveries that are due: those that failed, and those whose process did not live to attempt them. */
import { newToken } from '../../schemas/ids.ts'
import * as store from '../../store/deliveries.ts'
import type { DeliveryDoc } from '../../store/documents/events.ts'
import { dueNow, inTimeOf } from '../process/account-time.ts'
import { after, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { attemptQueue, queuedMax } from './attempt-queue.ts'
import { attemptAll, leaseEnd } from './attempts.ts'

/** Endpoints that are looked at together. */
const endpointsMax = 50
/** An endpoint that has less room is full: one command claims many, and no more. */
const claimMax = queuedMax / 2
/**
 * Endpoints of which deliveries are claimed at once. A claim writes up to `claimMax` documents without a break, and what has just
 * happened waits for it in the database and in this process.
 */
const claimsAtOnce = 3
/** A run ends after this time; the next goes on. */
const runMs = 5 * secondMs
/** When what is full is looked at again, unless half of its attempts are over before. */
const fullMs = 100
/** When an endpoint is looked at again that did not answer, while it has an attempt before it. */
const silentMs = 10 * secondMs

/**
 * Makes the attempts that are due, of an account or of all. Returns how many there were; those of all accounts may still be under
 * way then, so that an endpoint that does not answer holds up no other.
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

/** Claims as much of an endpoint as it has room for. What is left is due behind the other endpoints. */
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
