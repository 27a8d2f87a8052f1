/**
 * The clocks, held by Agenda, decide when things happen; what happens is in core. A run of a clock is locked in the database, so with
 * several processes each tick still runs once. A machine whose clock is wrong runs none; one whose clock was ahead does not delay
 * the clocks once it is right again. Work that is due at a known time has an alarm besides its clock: the alarm does it on time,
 * and the clock finds work that a process scheduled and did not live to do.
 */
import { MongoBackend } from '@agendajs/mongo-backend'
import { Agenda, type JobRepository } from 'agenda'
import { sweepCustomerChanges } from '../core/account/customer-changes.ts'
import { sweepPauseChanges } from '../core/account/reputation.ts'
import { sweepAdministered } from '../core/administration/accounts.ts'
import { noteWantedCertificates } from '../core/certificates/names.ts'
import { watchDomains } from '../core/domains/watching.ts'
import { replaceOldZoneKeys, rotateZoneKeys } from '../core/domains/zone-key-rotation.ts'
import { sweepUploads } from '../core/drive/put.ts'
import { sweepParts } from '../core/drive/unused-parts.ts'
import { sweepIntakes } from '../core/intake/retention.ts'
import { repeatStorageWarnings } from '../core/mailbox/storage-limit.ts'
import { eraseOldSecrets } from '../core/notify/webhooks.ts'
import { tellOfApprovals } from '../core/people/approval-notices.ts'
import { sweepClaims } from '../core/people/claim.ts'
import { tellOfEndpoints } from '../core/people/endpoint-notices.ts'
import { sweepJoins } from '../core/people/members.ts'
import { sweepMoves } from '../core/people/move.ts'
import { sweepAnswers } from '../core/people/requests.ts'
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

/** How often Agenda looks for clocks that are due soon. It takes them then and runs them on time. */
const pollMs = 10 * secondMs
/**
 * A run that takes longer than this, including the wait before it, counts as dead and may start elsewhere: every run is safe to
 * repeat. After a crash, the clocks that the process had taken are held up for this long; sweeps look at nothing younger than that.
 */
const promptMs = 30 * secondMs
const patientMs = minuteMs

/** Which tasks run how often. Each clock costs a query with every poll, so tasks with the same period share one. */
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
        sweepAdministered,
        sweepPauseChanges,
        sweepCustomerChanges,
        sweepIntakes,
        sweepBlobs,
        sweepOpenTakes,
        recountQuotas,
        tellOfEndpoints,
        tellOfApprovals,
        sweepAnswers,
        sweepClaims,
        sweepJoins,
        noteWantedCertificates,
      ),
    },
    // A clock of their own: resolvers may take long to answer.
    { name: 'domains', everyMs: minuteMs, lockMs: patientMs, run: each(watchDomains, rotateZoneKeys) },
    // A clock of their own: a large account takes long.
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

/** Starts all clocks; `alarms` are those of this process. A run that fails is logged, and the next tick tries again. */
export async function startClocks(ctx: Context, alarms: Alarms): Promise<Clocks> {
  const backend = new MongoBackend({ mongo: ctx.store.db })
  await backend.connect()
  // Agenda would connect a second time, and nobody would learn if that failed.
  backend.connect = async () => undefined
  const agenda = new Agenda({
    backend,
    processEvery: pollMs,
    defaultLockLifetime: patientMs,
    removeOnComplete: false,
  })
  agenda.on('error', (error: unknown) => ctx.log.error({ err: error }, 'the clocks failed in Agenda'))
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
      // Clocks that were taken but not started are free for other processes at once.
      endWatch()
      const untaken = endTakes()
      await agenda.stop()
      await untaken
      await ended()
    },
  }
}

/** Returns a function that waits until all started runs are over and recorded. */
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
 * Returns a function that stops the taking of clocks, and resolves when no request for one is open. A clock that Agenda requested before
 * and gets after this is released at once, since otherwise nobody would run it until its lock ends.
 */
function takesOf({ skew }: Context, repository: JobRepository): () => Promise<void> {
  const takes = new Set<Promise<unknown>>()
  const take = repository.getNextJobToRun.bind(repository)
  let isEnded = false
  async function takeUnlessEnded(...asked: Parameters<typeof take>) {
    // A machine whose clock is wrong would set the next run by it.
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

/** Corrects, now and at each poll, clocks that were set by a machine whose time was ahead. Returns a function that stops this. */
function watchClocksAhead(ctx: Context, clocks: readonly Clock[]): () => void {
  const look = () =>
    void bringClocksBack(ctx, clocks).catch((error: unknown) =>
      ctx.log.error({ err: error }, 'clocks that are ahead could not be set back'),
    )
  look()
  const timer = setInterval(look, pollMs)
  timer.unref()
  return () => clearInterval(timer)
}

/**
 * Runs tasks one after the other, so that a tick causes no burst. A task that fails is left to the next tick. While a run is in
 * progress, even beyond its lock, this process starts no second one.
 */
function inTurn(ctx: Context, tasks: readonly Task[]): () => Promise<void> {
  let running: Promise<void> | null = null
  async function runAll(): Promise<void> {
    // This machine's clock is wrong; another node runs the tasks.
    if (!ctx.skew.isSound()) return
    for (const task of tasks)
      await task(ctx).catch((error: unknown) =>
        ctx.log.error({ err: error, task: task.name }, 'a task of a clock failed'),
      )
  }
  return () => {
    running ??= runAll().finally(() => {
      running = null
    })
    return running
  }
}
