/**
 * The alarms of a process, for work that is due at a known time (core/process/alarms.ts). The service process has them even if it runs no
 * clocks, so work that a node schedules is done on time, wherever the clocks run.
 */
import { advanceCertificates, nextAdvance } from '../core/certificates/orders.ts'
import { doDueIntake, nextIntake } from '../core/intake/due.ts'
import { attemptDueDeliveries, nextAttempt } from '../core/notify/due-deliveries.ts'
import { type DueKind, startAlarm } from '../core/process/alarms.ts'
import type { Context } from '../core/process/context.ts'
import { nextApproval, settleApprovals } from '../core/send/approvals.ts'
import { nextStep, stepBatches } from '../core/send/batches.ts'
import { nextSettling, settleDue } from '../core/send/settle.ts'

export type Alarms = {
  /** Does all that is due now. */
  run(): Promise<unknown>
  /** Starts nothing more, and waits for work in progress. */
  stop(): Promise<void>
}

type Work = (ctx: Context) => Promise<unknown>
type Next = (ctx: Context) => Promise<Date | null>

const kinds: readonly (readonly [DueKind, Work, Next])[] = [
  ['deliveries', attemptDueDeliveries, nextAttempt],
  ['batches', stepBatches, nextStep],
  ['sends', settleDue, nextSettling],
  ['approvals', settleApprovals, nextApproval],
  ['certificates', advanceCertificates, nextAdvance],
  ['intake', doDueIntake, nextIntake],
]

export function startAlarms(ctx: Context): Alarms {
  const alarms = kinds.map(([kind, work, next]) =>
    startAlarm(ctx, { kind, work: () => work(ctx), next: () => next(ctx) }),
  )
  return {
    run: () => Promise.all(alarms.map((alarm) => alarm.run())),
    stop: async () => void (await Promise.all(alarms.map((alarm) => alarm.stop()))),
  }
}
