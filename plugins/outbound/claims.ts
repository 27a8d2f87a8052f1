/**
 * Claims recipients that are due and delivers them. Invariants: at most `outbound.concurrency` attempts are in flight, besides
 * slow ones, which hold up nobody until they are four times as many; as many wait for their turn, so that a claim is large and
 * nobody waits for it; a claimed attempt is renewed until its outcome is recorded; one that is claimed anew because its lease
 * ran out while the database was away is not delivered anew: the delivery under way counts for both; no claim is made and no
 * attempt begun after `stop()`; an outcome is kept until it is recorded, because losing it sends the mail again.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Attempt, Outcome } from '../../core/deliver/attempt.ts'
import { claimAttempts, onDue, renewAttempts } from '../../core/deliver/outbox.ts'
import { recordOutcome } from '../../core/deliver/outcomes.ts'
import type { Context } from '../../core/process/context.ts'

export type Claims = {
  /** Claims no more, and resolves when what is in flight is recorded, or after `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>
}

/** Rows can become due by time alone, of which no change note tells. */
const pollMs = 1_000
const recordPauseMs = 1_000
const recordPausesMax = 10
/** An attempt that takes longer gives its place to another: somebody's servers may be slow, or made to be. */
const slowAfterMs = 2_000
const slowFactor = 4
/** Mail in flight is in memory: beyond this, large mail waits for other. */
const bytesInFlightMax = 256 * 1024 * 1024

/** Starts claiming under the name `owner`, which no other process has. `deliver` must not reject. */
export function startClaims(
  ctx: Context,
  { owner, deliver }: { owner: string; deliver: (attempt: Attempt) => Promise<Outcome> },
): Claims {
  const { concurrency, leaseSeconds } = ctx.settings.outbound
  const claimedMax = 2 * concurrency
  const leaseMs = leaseSeconds * 1_000
  const claimed = new Map<Attempt, Promise<void>>()
  const deliveries = new Map<string, Promise<Outcome>>()
  const waiting: { readonly sizeBytes: number; begin(): void }[] = []
  let inFlight = 0
  let slow = 0
  let bytesInFlight = 0
  let stopped = false
  let claiming: Promise<void> | null = null
  let wanted = false
  /** The last claim gave all that was asked for: there may be more. */
  let more = false

  const places = () => claimedMax + slow - claimed.size

  function claim(): void {
    wanted = true
    claiming ??= claimWhileWanted().finally(() => {
      claiming = null
    })
  }

  async function claimWhileWanted(): Promise<void> {
    try {
      while (wanted && !stopped && places() > 0) {
        wanted = false
        const max = places()
        const attempts = await claimAttempts(ctx, { owner, max })
        more = attempts.length >= max
        for (const attempt of attempts) claimed.set(attempt, run(attempt))
      }
    } catch (error) {
      ctx.log.warn({ err: error }, 'no mail could be claimed')
    }
  }

  async function run(attempt: Attempt): Promise<void> {
    const delivery = deliveries.get(attempt.id) ?? begin(attempt)
    deliveries.set(attempt.id, delivery)
    const counted = await record(attempt, await delivery)
    claimed.delete(attempt)
    const forget = () => deliveries.get(attempt.id) === delivery && deliveries.delete(attempt.id)
    // One that was claimed anew may be on its way to us.
    if (counted) forget()
    else setTimeout(forget, leaseMs).unref()
    // A claim costs the same for one row and for many: wait until half of the places are free.
    if (more && places() >= claimedMax / 2) claim()
  }

  async function begin(attempt: Attempt): Promise<Outcome> {
    await turn(attempt)
    let isSlow = false
    const patience = setInterval(() => {
      if (isSlow || slow >= slowFactor * concurrency) return
      isSlow = true
      giveWay()
    }, slowAfterMs)
    const outcome = stopped ? untried() : await deliver(attempt)
    clearInterval(patience)
    // The next one goes while this one is written down.
    if (isSlow) slow -= 1
    else inFlight -= 1
    bytesInFlight -= attempt.sizeBytes
    admit()
    return outcome
  }

  function giveWay(): void {
    slow += 1
    inFlight -= 1
    admit()
    claim()
  }

  function turn({ sizeBytes }: Attempt): Promise<void> {
    return new Promise((begin) => {
      waiting.push({ sizeBytes, begin })
      admit()
    })
  }

  function admit(): void {
    const fits = (sizeBytes: number) =>
      inFlight + slow === 0 || (inFlight < concurrency && bytesInFlight + sizeBytes <= bytesInFlightMax)
    for (let [next] = waiting; next !== undefined && (stopped || fits(next.sizeBytes)); [next] = waiting) {
      waiting.shift()
      inFlight += 1
      bytesInFlight += next.sizeBytes
      next.begin()
    }
  }

  /** It is due again at once, for whoever comes after us. */
  function untried(): Outcome {
    const response = '451 4.3.2 the service is stopping'
    return { status: 'deferred', response, mx: null, tls: false, at: ctx.clock.now(), untried: true }
  }

  /** False when it did not count. */
  async function record(attempt: Attempt, outcome: Outcome): Promise<boolean> {
    for (let tries = 1; ; tries++) {
      try {
        return await recordOutcome(ctx, attempt, outcome)
      } catch (error) {
        ctx.log.error({ err: error, attempt: attempt.id, status: outcome.status }, 'outcome not recorded yet')
        await sleep(recordPauseMs * Math.min(tries, recordPausesMax))
      }
    }
  }

  async function renew(): Promise<void> {
    if (claimed.size === 0) return
    try {
      await renewAttempts(ctx, [...claimed.keys()])
    } catch (error) {
      ctx.log.warn({ err: error }, 'leases not renewed')
    }
  }

  const unsubscribe = onDue(ctx, claim)
  const timers = [setInterval(claim, pollMs), setInterval(() => void renew(), leaseMs / 3)]
  claim()

  return {
    async stop(timeoutMs) {
      stopped = true
      unsubscribe()
      admit()
      const finished = Promise.resolve(claiming).then(() => Promise.all(claimed.values()))
      await Promise.race([finished, sleep(timeoutMs, undefined, { ref: false })])
      for (const timer of timers) clearInterval(timer)
    },
  }
}
