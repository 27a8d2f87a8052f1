/**
 * Agenda holds the clocks: when things happen. What happens is in core. A clock's run is locked in the database, so with
 * several processes each tick still runs once.
 */
import { MongoBackend } from '@agendajs/mongo-backend'
import { Agenda } from 'agenda'
import { repeatStorageWarnings } from '../core/mailbox/storage-limit.ts'
import { attemptDueDeliveries } from '../core/notify/deliveries.ts'
import type { Context } from '../core/process/context.ts'
import { sweepSearch, tidySearch } from '../core/search/sweep.ts'
import { stepBatches } from '../core/send/batches.ts'
import { sweepTakes } from '../core/send/open-allowances.ts'
import { settleDue } from '../core/send/settle.ts'
import { recountQuotas } from '../core/upkeep/quota-recount.ts'
import {
  purgeDeletedMailboxes,
  sweepArrivals,
  sweepDiscarded,
  sweepEventFloors,
  sweepMailboxDeletions,
  sweepMailboxes,
  sweepReservations,
  sweepUnclaimed,
} from '../core/upkeep/sweep.ts'
import { sweepBlobs } from '../core/upkeep/unused-blobs.ts'

type Task = (ctx: Context) => Promise<unknown>

type Clock = {
  readonly name: string
  readonly every: string
  readonly tasks: readonly Task[]
  /** A run that takes longer than this is taken for dead and may start elsewhere: every run is safe to repeat. */
  readonly lockMs: number
}

/** A run that was broken off, by a crash or an outage of the database, holds its clock up for so long. */
const promptMs = 10_000
const patientMs = 60_000

/**
 * What happens how often. Every clock costs a look at the database with each poll, so slow tasks of the same pace share one;
 * what has to be prompt has one of its own.
 */
const clocks: readonly Clock[] = [
  { name: 'webhook retries', every: '1 second', tasks: [attemptDueDeliveries], lockMs: promptMs },
  { name: 'step batches', every: '1 second', tasks: [stepBatches], lockMs: promptMs },
  { name: 'settle sends', every: '1 second', tasks: [settleDue], lockMs: promptMs },
  { name: 'sweep arrivals', every: '10 seconds', tasks: [sweepArrivals], lockMs: patientMs },
  { name: 'sweep search', every: '10 seconds', tasks: [sweepSearch], lockMs: patientMs },
  {
    name: 'each minute',
    every: '1 minute',
    tasks: [
      sweepMailboxes,
      sweepMailboxDeletions,
      sweepReservations,
      sweepUnclaimed,
      sweepBlobs,
      sweepTakes,
      recountQuotas,
    ],
    lockMs: patientMs,
  },
  {
    name: 'every ten minutes',
    every: '10 minutes',
    tasks: [tidySearch, sweepDiscarded, repeatStorageWarnings],
    lockMs: patientMs,
  },
  { name: 'each hour', every: '1 hour', tasks: [purgeDeletedMailboxes, sweepEventFloors], lockMs: patientMs },
]

const pollMs = 1_000

export type Clocks = { stop(): Promise<void> }

/** Starts all clocks. A run that fails is logged; the next tick tries again. */
export async function startClocks(ctx: Context): Promise<Clocks> {
  const agenda = new Agenda({
    backend: new MongoBackend({ mongo: ctx.store.db }),
    processEvery: pollMs,
    defaultLockLifetime: patientMs,
    removeOnComplete: false,
  })
  agenda.on('error', (error: unknown) => ctx.log.error({ err: error }, 'agenda'))
  for (const { name, tasks, lockMs } of clocks)
    agenda.define(name, () => runAll(ctx, tasks), { concurrency: 1, lockLifetime: lockMs })
  await agenda.start()
  for (const { name, every } of clocks) await agenda.every(every, name)
  return {
    async stop() {
      await agenda.drain()
    },
  }
}

/** One after the other, so that a tick is no burst; what fails is left for the next tick. */
async function runAll(ctx: Context, tasks: readonly Task[]): Promise<void> {
  for (const task of tasks)
    await task(ctx).catch((error: unknown) => ctx.log.error({ err: error, task: task.name }, 'clock'))
}
