/**
 * Agenda holds the clocks: when things happen. What happens is in core. A clock's run is locked in the database, so with
 * several processes each tick still runs once. A machine whose clock is wrong takes none, and one that was ahead holds none up
 * once it is right again. What is due at a known time has an alarm beside its clock: the alarm does it
 * then, and the clock finds what a process wrote down that did not live to do it.
 */
import { MongoBackend } from '@agendajs/mongo-backend'
import { Agenda, type JobRepository } from 'agenda'
import { sweepCustomerChanges } from '../core/account/customer-changes.ts'
import { sweepPauseChanges } from '../core/account/reputation.ts'
import { noteWantedCertificates } from '../core/certificates/names.ts'
import { watchDomains } from '../core/domains/watching.ts'
import { replaceOldZoneKeys, rotateZoneKeys } from '../core/domains/zone-key-rotation.ts'
import { sweepUploads } from '../core/drive/put.ts'
import { sweepParts } from '../core/drive/unused-parts.ts'
import { sweepIntakes } from '../core/intake/retention.ts'
import { repeatStorageWarnings } from '../core/mailbox/storage-limit.ts'
import { eraseOldSecrets } from '../core/notify/webhooks.ts'
import { tellOfApprovals } from '../core/people/approval-notices.ts'
import { tellOfEndpoints } from '../core/people/endpoint-notices.ts'
import { sweepMoves } from '../core/people/move.ts'
import { eraseUnclaimed, sweepErasures } from '../core/personal/erase.ts'
import { makeExports } from '../core/personal/export-jobs.ts'
import { hourMs, minuteMs, secondMs } from '../core/process/clock.ts'
import type { Context } from '../core/process/context.ts'
import { sendTlsReports } from '../core/reporting/tls-reports.ts'
import { sweepSandboxes } from '../core/sandbox/test-clock.ts'
import { sweepSearch, tidySearch } from '../core/search/sweep.ts'
import { sweepOpenTakes } from '../core/send/open-allowances.ts'
import { bringClocksBack } from '../core/upkeep/clocks-ahead.ts'
import { recountQuotas } from '../core/upkeep/quota-recount.ts'
import {
  purgeDeletedMailboxes,
  sweepArrivals,
  sweepDiscarded,
  sweepEventFloors,
  sweepMailboxDeletions,
  sweepMailboxes,
  sweepReservations,
} from '../core/upkeep/sweep.ts'
import { sweepBlobs, sweepObjects } from '../core/upkeep/unused-blobs.ts'
import type { Alarms } from './alarms.ts'

type Task = (ctx: Context) => Promise<unknown>

type Clock = {
  readonly name: string
  readonly everyMs: number
  readonly lockMs: number
  readonly run: () => Promise<unknown>
}

/** How often Agenda asks which clocks are due soon; it takes them then and runs them on time. */
const pollMs = 10 * secondMs
/**
 * A run that takes longer than this, with the wait before it, is taken for dead and may start elsewhere: every run is safe to
 * repeat. A crash holds the clocks up for so long that the process had taken; sweeps look at nothing younger than that.
 */
const promptMs = 30 * secondMs
const patientMs = minuteMs

/** What happens how often. Every clock costs a look at the database with each poll, so tasks of the same pace share one. */
function clocksOf(ctx: Context, alarms: Alarms): readonly Clock[] {
  const each = (...tasks: readonly Task[]) => inTurn(ctx, tasks)
  return [
    {
      name: 'what is due',
      everyMs: 30 * secondMs,
      lockMs: promptMs,
      run: alarms.run,
    },
    {
      name: 'what a crash left',
      everyMs: 10 * secondMs,
      lockMs: promptMs,
      run: each(refreshClocks, sweepArrivals, sweepSearch, sweepMoves),
    },
    {
      name: 'each minute',
      everyMs: minuteMs,
      lockMs: patientMs,
      run: each(
        sweepMailboxes,
        sweepMailboxDeletions,
        sweepReservations,
        sweepPauseChanges,
        sweepCustomerChanges,
        sweepIntakes,
        sweepBlobs,
        sweepOpenTakes,
        recountQuotas,
        tellOfEndpoints,
        tellOfApprovals,
        noteWantedCertificates,
      ),
    },
    // Apart from the others: resolvers may take long to answer.
    { name: 'domains', everyMs: minuteMs, lockMs: patientMs, run: each(watchDomains, rotateZoneKeys) },
    // Apart from the others: a large account takes long.
    {
      name: 'personal data',
      everyMs: minuteMs,
      lockMs: patientMs,
      run: each(eraseUnclaimed, sweepErasures, makeExports),
    },
    {
      name: 'every ten minutes',
      everyMs: 10 * minuteMs,
      lockMs: patientMs,
      run: each(
        tidySearch,
        sweepDiscarded,
        sweepUploads,
        sweepParts,
        sweepObjects,
        repeatStorageWarnings,
        eraseOldSecrets,
        sweepSandboxes,
        sendTlsReports,
      ),
    },
    {
      name: 'each hour',
      everyMs: hourMs,
      lockMs: patientMs,
      run: each(purgeDeletedMailboxes, sweepEventFloors, replaceOldZoneKeys),
    },
  ]
}

const refreshClocks = ({ testClocks }: Context) => testClocks.refresh()

export type Clocks = { stop(): Promise<void> }

/** Starts all clocks; `alarms` are those of this process. A run that fails is logged; the next tick tries again. */
export async function startClocks(ctx: Context, alarms: Alarms): Promise<Clocks> {
  const backend = new MongoBackend({ mongo: ctx.store.db })
  await backend.connect()
  // Agenda connects once more, and nobody would hear of it when that fails.
  backend.connect = async () => undefined
  const agenda = new Agenda({
    backend,
    processEvery: pollMs,
    defaultLockLifetime: patientMs,
    removeOnComplete: false,
  })
  agenda.on('error', (error: unknown) => ctx.log.error({ err: error }, 'agenda'))
  const ended = runsOf(agenda)
  const endTakes = takesOf(ctx, backend.repository)
  const clocks = clocksOf(ctx, alarms)
  for (const { name, lockMs, run } of clocks)
    agenda.define(name, async () => void (await run()), { concurrency: 1, lockLifetime: lockMs })
  await agenda.start()
  for (const { name, everyMs } of clocks) await agenda.every(everyMs, name)
  const endWatch = watchClocksAhead(ctx, clocks)
  return {
    async stop() {
      // Clocks that were taken and have not begun are free for others at once.
      endWatch()
      const untaken = endTakes()
      await agenda.stop()
      await untaken
      await ended()
    },
  }
}

/** Returns what waits until all runs that have begun are over and written down. */
function runsOf(agenda: Agenda): () => Promise<void> {
  let runs = 0
  let tell: (() => void) | undefined
  agenda.on('start', () => {
    runs += 1
  })
  agenda.on('complete', () => {
    runs -= 1
    if (runs === 0) tell?.()
  })
  return () =>
    new Promise((resolve) => {
      tell = resolve
      if (runs === 0) resolve()
    })
}

/**
 * Returns what ends the taking of clocks: one that Agenda asked for before it was stopped and gets afterwards is free again at once, since
 * nobody would run it until its lock ends. Resolves when none is asked for any more.
 */
function takesOf({ skew }: Context, repository: JobRepository): () => Promise<void> {
  const takes = new Set<Promise<unknown>>()
  const take = repository.getNextJobToRun.bind(repository)
  let isEnded = false
  async function takeUnlessEnded(...asked: Parameters<typeof take>) {
    // It would set when they run next by its clock.
    if (isEnded || !skew.isSound()) return undefined
    const taken = await take(...asked)
    if (!isEnded || taken?._id === undefined) return taken
    await repository.unlockJobs([taken._id])
    return undefined
  }
  repository.getNextJobToRun = (...asked) => {
    const taking = takeUnlessEnded(...asked)
    const over = () => void takes.delete(taking)
    takes.add(taking)
    taking.then(over, over)
    return taking
  }
  return async () => {
    isEnded = true
    await Promise.allSettled(takes)
  }
}

/** Brings back, now and with each poll, what a machine set whose clock was ahead. Returns what ends this. */
function watchClocksAhead(ctx: Context, clocks: readonly Clock[]): () => void {
  const look = () =>
    void bringClocksBack(ctx, clocks).catch((error: unknown) => ctx.log.error({ err: error }, 'clocks that are ahead'))
  look()
  const timer = setInterval(look, pollMs)
  timer.unref()
  return () => clearInterval(timer)
}

/**
 * One after the other, so that a tick is no burst; what fails is left for the next tick. A run that outlives its lock is
 * joined by none of this process.
 */
function inTurn(ctx: Context, tasks: readonly Task[]): () => Promise<void> {
  let running: Promise<void> | null = null
  async function runAll(): Promise<void> {
    // Another node's run is as good.
    if (!ctx.skew.isSound()) return
    for (const task of tasks)
      await task(ctx).catch((error: unknown) => ctx.log.error({ err: error, task: task.name }, 'clock'))
  }
  return () => {
    running ??= runAll().finally(() => {
      running = null
    })
    return running
  }
}
