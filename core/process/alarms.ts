/**
 * Work that is due at a time: whoever writes down that something is due later says so here, and the alarm of this process
 * does it then, so that nobody asks the database every second whether anything is due. Invariants: one run of an alarm at a
 * time; runs begin at least a second apart; after each the store tells when the next is due, whoever wrote it down. What
 * another process wrote down and did not live to do is found by the sweeps of the clocks.
 */

import { after, hourMs, secondMs } from './clock.ts'
import type { Context } from './context.ts'
import { perProcess } from './per-process.ts'

/**
 * What there are alarms for: webhook deliveries, batches, sends with something to derive, approvals that expire or are to be
 * sent, lanes of mail to be delivered, records of Intake, certificates that are ordered.
 */
export type DueKind = 'deliveries' | 'batches' | 'sends' | 'approvals' | 'lanes' | 'intake' | 'certificates'

export type Alarm = {
  /** Does what is due now, unless that is being done. Never rejects: what fails is logged, and tried again. */
  run(): Promise<void>
  /** Begins no more runs, and waits for the one under way. */
  stop(): Promise<void>
}

/** Between the beginnings of two runs, and until another try of one that failed. */
const paceMs = secondMs
/** A run that takes longer keeps nobody waiting: every run is safe to repeat. */
const patienceMs = 10 * secondMs
/** Timers reach only so far; one that comes early finds nothing and looks again. */
const timerMaxMs = hourMs

/** So much too early a timer may fire: a run would find nothing then, and the next one come only a pace later. */
const earlyMs = 1

const listenersOf = perProcess(() => new Map<DueKind, Set<(at: Date) => void>>())

/** Says that something of a kind will be due at a time, by the clock of the context. */
export function noteDue(ctx: Context, kind: DueKind, at: Date): void {
  for (const listener of listenersOf(ctx).get(kind) ?? []) listener(after(at, -(ctx.clock.aheadMs ?? 0)))
}

/** Says that something of a kind failed that was due: it is tried again in a moment. */
export function noteFailed(ctx: Context, kind: DueKind): void {
  noteDue(ctx, kind, after(ctx.clock.now(), paceMs))
}

/** Runs `work` whenever something of a kind is due. `next` tells when the earliest is, null when nothing waits. */
export function startAlarm(
  ctx: Context,
  { kind, work, next }: { kind: DueKind; work: () => Promise<unknown>; next: () => Promise<Date | null> },
): Alarm {
  /** When the timer fires, by the clock of the context. */
  let armedAt = Number.POSITIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | null = null
  let beganAt = Number.NEGATIVE_INFINITY
  let stopped = false

  function arm(at: Date): void {
    if (at.getTime() >= armedAt) return
    armedAt = at.getTime()
    if (running === null) setTimer()
  }

  function setTimer(): void {
    clearTimeout(timer)
    if (stopped || !Number.isFinite(armedAt)) return
    const paced = beganAt + paceMs - performance.now()
    const delayMs = Math.max(0, paced, armedAt - ctx.clock.now().getTime() + earlyMs)
    timer = setTimeout(() => void run(), Math.min(delayMs, timerMaxMs))
  }

  function run(): Promise<void> {
    if (!stopped)
      running ??= runOnce().finally(() => {
        running = null
        setTimer()
      })
    return running ?? Promise.resolve()
  }

  async function runOnce(): Promise<void> {
    clearTimeout(timer)
    armedAt = Number.POSITIVE_INFINITY
    beganAt = performance.now()
    try {
      ctx.skew.requireSound()
      await atMost(work(), patienceMs)
      const at = await next()
      if (at !== null) arm(at)
    } catch (error) {
      ctx.log.error({ err: error, due: kind }, 'what is due could not be done')
      arm(after(ctx.clock.now(), paceMs))
    }
  }

  const listeners = listenersOf(ctx).get(kind) ?? new Set()
  listenersOf(ctx).set(kind, listeners.add(arm))
  void run()

  return {
    run,
    async stop() {
      stopped = true
      listeners.delete(arm)
      clearTimeout(timer)
      await running
    },
  }
}

/** Waits for work, but not longer than `ms`; it goes on then. */
async function atMost(work: Promise<unknown>, ms: number): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  await Promise.race([work, late]).finally(() => clearTimeout(timer))
}
