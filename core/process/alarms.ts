/**
 * Work that is due at a known time. Code that stores something due later announces the time here, and the alarm of this process
 * runs then, so that the database need not be asked every second whether anything is due. Invariants: an alarm has one run at a
 * time; runs begin at least a second apart; after each run the database says when the next item is due, whichever process stored
 * it. Items of a process that died are found by the sweeps of the clocks.
 */

import { after, hourMs, secondMs } from './clock.ts'
import type { Context } from './context.ts'
import { perProcess } from './per-process.ts'

/**
 * The kinds of alarms: webhook deliveries, batches, sends with something to derive, approvals that expire or are to be sent,
 * lanes of mail to be delivered, records of Intake, certificates that are ordered.
 */
export type DueKind = 'deliveries' | 'batches' | 'sends' | 'approvals' | 'lanes' | 'intake' | 'certificates'

export type Alarm = {
  /** Starts a run, or joins the one under way. Never rejects: a failure is logged, and the run is tried again. */
  run(): Promise<void>
  /** Begins no more runs. Resolves when the run under way has ended. */
  stop(): Promise<void>
}

/** Between the starts of two runs, and before another try after a failed one. */
const paceMs = secondMs
/** After this time the next run may begin while the work of an earlier one continues: every run is safe to repeat. */
const patienceMs = 10 * secondMs
/** The longest delay of a timer: it fires early for a later time, and the run that finds nothing due sets it again. */
const timerMaxMs = hourMs

/** Added to each delay, since a timer may fire this much early: its run would find nothing due, and the next one is a pace later. */
const earlyMs = 1

const listenersOf = perProcess(() => new Map<DueKind, Set<(at: Date) => void>>())

/** Announces that something of a kind is due at a time, by the clock of the context. */
export function noteDue(ctx: Context, kind: DueKind, at: Date): void {
  for (const listener of listenersOf(ctx).get(kind) ?? []) listener(after(at, -(ctx.clock.aheadMs ?? 0)))
}

/** Announces that something due has failed, so that it is tried again after `paceMs`. */
export function noteFailed(ctx: Context, kind: DueKind): void {
  noteDue(ctx, kind, after(ctx.clock.now(), paceMs))
}

/** Runs `work` whenever something of a kind is due. `next` returns when the earliest item is due; null when none waits. */
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
      await atMost(work(), patienceMs, failed)
      const at = await next()
      if (at !== null) arm(at)
    } catch (error) {
      failed(error)
    }
  }

  function failed(error: unknown): void {
    ctx.log.error({ err: error, due: kind }, 'a run of due work failed; it is tried again')
    arm(after(ctx.clock.now(), paceMs))
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

/** Waits for work, at most `ms`; after that the work continues on its own, and `failed` is called if it fails. */
async function atMost(work: Promise<unknown>, ms: number, failed: (error: unknown) => void): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(() => {
    work.catch(failed)
    resolve()
  }, ms)
  await Promise.race([work, late]).finally(() => clearTimeout(timer))
}
