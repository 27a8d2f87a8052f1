/**
 * Claims recipients that are due and delivers to them. Invariants:
 * - Besides the attempts in the slots, as many again are claimed and waiting, so that claims are large and no slot is idle.
 * - The lease of a claimed attempt is renewed until its outcome is recorded.
 * - If the lease of an attempt lapses while the database is unreachable and it is claimed again, it is not delivered again: the
 *   delivery in flight counts for both.
 * - After `stop()` nothing is claimed and no delivery starts.
 * - An outcome is kept until it is recorded, because losing it would send the mail again.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Attempt, Outcome } from '../../core/deliver/attempt.ts'
import { claimAttempts, nextDue, onDue, renewAttempts } from '../../core/deliver/outbox.ts'
import { recordOutcome } from '../../core/deliver/outcomes.ts'
import { type Alarm, startAlarm } from '../../core/process/alarms.ts'
import type { Context } from '../../core/process/context.ts'
import { Slots } from './slots.ts'

export type Claims = {
  /** Stops claiming, and resolves when the outcomes of all attempts in flight are recorded, or after `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>
}

/** How often to look for recipients that a dead process had claimed, or that another process deferred. */
const sweepMs = 30_000
/** A claim costs the same for one attempt as for many, so after a claim that left room, the next one waits this long for more. */
const pauseMs = 25
const recordPauseMs = 1_000
const recordPausesMax = 10

type Delivering = { readonly owner: string; deliver(attempt: Attempt): Promise<Outcome> }

type State = Delivering & {
  readonly slots: Slots
  readonly claimedMax: number
  readonly leaseMs: number
  /** Attempts under a lease of ours, each with a promise that resolves when its outcome is recorded. */
  readonly claimed: Map<Attempt, Promise<void>>
  /** Deliveries in flight, and some that ended recently, by the id of their attempt. */
  readonly deliveries: Map<string, Promise<Outcome>>
  isStopped: boolean
  claiming: Promise<void> | null
  /** Whether something may be due that no claim has asked for yet. */
  isWanted: boolean
  /** Whether the last claim got as many attempts as it asked for, so that there may be more. */
  mayBeMore: boolean
}

/** Starts claiming as `owner`, a name that no other process has. `deliver` must not reject. */
export function startClaims(ctx: Context, delivering: Delivering): Claims {
  const { concurrency, leaseSeconds } = ctx.settings.outbound
  const state: State = {
    ...delivering,
    slots: new Slots({ concurrency, onSlow: () => claim(ctx, state) }),
    claimedMax: 2 * concurrency,
    leaseMs: leaseSeconds * 1_000,
    claimed: new Map(),
    deliveries: new Map(),
    isStopped: false,
    claiming: null,
    isWanted: false,
    mayBeMore: false,
  }
  const alarm = startAlarm(ctx, {
    kind: 'lanes',
    async work() {
      claim(ctx, state)
      await state.claiming
    },
    next: () => nextDue(ctx),
  })
  const unsubscribe = onDue(ctx, () => claim(ctx, state))
  const timers = [
    setInterval(() => void sweep(ctx, alarm), sweepMs),
    setInterval(() => void renew(ctx, state), state.leaseMs / 3),
  ]
  return {
    async stop(timeoutMs) {
      state.isStopped = true
      unsubscribe()
      void alarm.stop()
      state.slots.open()
      const finished = Promise.resolve(state.claiming).then(() => Promise.all(state.claimed.values()))
      await Promise.race([finished, sleep(timeoutMs, undefined, { ref: false })])
      for (const timer of timers) clearInterval(timer)
    },
  }
}

/** Claims what no change note reported, including rows that are due by a test clock whose move no note reported. */
async function sweep(ctx: Context, alarm: Alarm): Promise<void> {
  await ctx.testClocks
    .refresh()
    .catch((error: unknown) => ctx.log.warn({ err: error }, 'test clocks could not be read'))
  await alarm.run()
}

/** How many more attempts may be claimed. Slow deliveries do not count, since they have given their slots back. */
const room = ({ claimedMax, slots, claimed }: State) => claimedMax + slots.slow - claimed.size

function claim(ctx: Context, state: State): void {
  state.isWanted = true
  state.claiming ??= claimWhileWanted(ctx, state).finally(() => {
    state.claiming = null
  })
}

async function claimWhileWanted(ctx: Context, state: State): Promise<void> {
  try {
    while (state.isWanted && !state.isStopped && room(state) > 0) {
      state.isWanted = false
      const max = room(state)
      const attempts = await claimAttempts(ctx, { owner: state.owner, max })
      state.mayBeMore = attempts.length >= max
      for (const attempt of attempts) state.claimed.set(attempt, run(ctx, state, attempt))
      if (attempts.length > 0 && !state.mayBeMore) await sleep(pauseMs)
    }
  } catch (error) {
    ctx.log.warn({ err: error }, 'due mail could not be claimed')
  }
}

async function run(ctx: Context, state: State, attempt: Attempt): Promise<void> {
  const { claimed, deliveries } = state
  const delivery = deliveries.get(attempt.id) ?? deliverInTurn(ctx, state, attempt)
  deliveries.set(attempt.id, delivery)
  const isCounted = await record(ctx, attempt, await delivery)
  claimed.delete(attempt)
  const forget = () => deliveries.get(attempt.id) === delivery && deliveries.delete(attempt.id)
  // The outcome did not count: the attempt was claimed again, and that claim may not have arrived here yet.
  if (isCounted) forget()
  else setTimeout(forget, state.leaseMs).unref()
  // The next claim waits until half of the claimed attempts are done.
  if (state.mayBeMore && room(state) >= state.claimedMax / 2) claim(ctx, state)
}

async function deliverInTurn(ctx: Context, state: State, attempt: Attempt): Promise<Outcome> {
  const slot = await state.slots.take(attempt.sizeBytes)
  const outcome = state.isStopped ? stopping(ctx) : await state.deliver(attempt)
  // The slot is released first, so that the next delivery starts while this outcome is recorded.
  slot.release()
  return outcome
}

/** A deferral that is due again at once, for the process that replaces this one. */
function stopping(ctx: Context): Outcome {
  const response = '451 4.3.2 the service is stopping'
  return { status: 'deferred', response, mx: null, tls: false, at: ctx.clock.now(), untried: true }
}

/** Returns false if the outcome did not count, because the lease had lapsed. */
async function record(ctx: Context, attempt: Attempt, outcome: Outcome): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    try {
      return await recordOutcome(ctx, attempt, outcome)
    } catch (error) {
      ctx.log.error(
        { err: error, attempt: attempt.id, status: outcome.status },
        'an outcome could not be recorded; it is tried again',
      )
      await sleep(recordPauseMs * Math.min(tries, recordPausesMax))
    }
  }
}

async function renew(ctx: Context, { claimed }: State): Promise<void> {
  if (claimed.size === 0) return
  try {
    await renewAttempts(ctx, [...claimed.keys()])
  } catch (error) {
    ctx.log.warn({ err: error }, 'the leases of attempts could not be renewed')
  }
}
