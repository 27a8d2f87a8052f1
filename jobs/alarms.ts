/**
 * The alarms of a process that writes down what is due later (core/process/alarms.ts): the service process has them, also where it
 * runs no clocks, so that what a node wrote down is done on time wherever the clocks are.
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
  /** Begins nothing more, and waits for what is under way. */
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
