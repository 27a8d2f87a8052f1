/**
 * Moves the test clock of a sandbox (decisions.md 4, Sandbox). The clock does not jump: it stops at each time at which something is due,
 * and does the work there, by the same functions that the clocks and the outbound engine call for every account. So retries, limits
 * and expiries happen in their order and at their times. Invariants: the offset is written to the account before any work is done at the
 * new time, and only grows; the time is passed in the context, so no other account sees it.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../../schemas/failures.ts'
import { idAt } from '../../schemas/ids.ts'
import { moveTestClock } from '../../store/accounts.ts'
import { isDelivering } from '../../store/deliveries.ts'
import { lastEventNumber, raiseEventFloors } from '../../store/events.ts'
import { deleteExpired } from '../../store/expiry.ts'
import { listMailboxes } from '../../store/mailboxes.ts'
import { isCarrying, nextRow } from '../../store/outbox.ts'
import { findReceivedByAll } from '../../store/received.ts'
import { type Principal, requireSandbox } from '../access/principal.ts'
import { deriveMissed } from '../intake/derive.ts'
import { doDueIntake, nextIntake } from '../intake/due.ts'
import { sweepIntakes } from '../intake/retention.ts'
import { nextWarning, repeatStorageWarnings } from '../mailbox/storage-limit.ts'
import { attemptDueDeliveries, nextAttempt } from '../notify/due-deliveries.ts'
import { claimEnd, eraseUnclaimed } from '../personal/erase.ts'
import { inTimeOf } from '../process/account-time.ts'
import { after, dayMs, minuteMs, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { announceMissed } from '../receive/announce.ts'
import { tallyEventsUpTo } from '../receive/received-counts.ts'
import { nextApproval, settleApprovals } from '../send/approvals.ts'
import { nextStep, stepBatches } from '../send/batches.ts'
import { nextSettling, settleDue } from '../send/settle.ts'
import { purgeDeletedMailboxes, sweepDiscarded } from '../upkeep/sweep.ts'
import { deliverOwn } from './deliver-own.ts'

/** How far one call may move the clock, and how far it may be ahead in total. */
const moveMaxMs = 400 * dayMs
const aheadMaxMs = 3_660 * dayMs
/** Stops at the exact times of due work; after this many the clock moves in strides, so that no call takes forever. */
const exactStopsMax = 1_000
const strideMs = 6 * 60 * minuteMs
/** Rounds of work at one stop: each round may cause more work, such as the event of a delivery. */
const roundsMax = 100
/** How long work of other processes, such as an attempt of the outbound engine, is waited for. */
const othersMaxMs = 15 * secondMs
const lookMs = 10
const mailboxesMax = 1_000
const arrivalsMax = 500
/** Messages older than this are announced already: that happens a moment after their arrival. */
const announcedMs = minuteMs

/** How a clock is moved: by `advance` seconds, or to the time `now`. */
export type Move = { readonly advance?: number; readonly now?: Date }

/**
 * Moves the clock of the caller's sandbox forwards, and does the work that becomes due. Returns the new time. Fails with `forbidden` for
 * a live key, `validation_error` (backwards, too far, or not exactly one of `advance` and `now`).
 */
export async function moveClock(ctx: Context, principal: Principal, move: Move): Promise<Date> {
  requireSandbox(principal)
  const { accountId } = principal
  const target = targetOf(ctx, move)
  let now = ctx.clock.now()
  await catchUp(ctx, accountId, now)
  for (let stops = 0; now < target; stops++) {
    const stop = await nextStop(ctx, accountId, { now, target, isExact: stops < exactStopsMax })
    await setClock(ctx, accountId, stop)
    await catchUp(ctx, accountId, now)
    now = inTimeOf(ctx, accountId).clock.now()
  }
  await expire(ctx, accountId)
  await ctx.changes.tell({ kind: 'clocks' })
  return now
}

/** Does the work that is due in all sandboxes whose clock was moved, since time passes there too. Returns the number of sandboxes. */
export async function sweepSandboxes(ctx: Context): Promise<number> {
  const moved = ctx.testClocks.moved()
  for (const accountId of moved) {
    await catchUp(ctx, accountId, after(inTimeOf(ctx, accountId).clock.now(), -dayMs))
    await expire(ctx, accountId)
  }
  return moved.length
}

/** A kind of work that becomes due: `next` says when; `run` does it and returns how much it did. */
type Work = {
  readonly next: (ctx: Context, accountId: string) => Promise<Date | null>
  readonly run: (ctx: Context, accountId: string) => Promise<number>
}

const works: readonly Work[] = [
  { next: nextSettling, run: settleDue },
  { next: nextStep, run: stepBatches },
  { next: nextApproval, run: settleApprovals },
  { next: ({ store }, accountId) => nextRow(store, accountId), run: deliverOwn },
  { next: nextAttempt, run: attemptDueDeliveries },
  { next: nextIntake, run: doDueIntake },
  { next: nextWarning, run: repeatStorageWarnings },
  { next: claimEnd, run: eraseUnclaimed },
]

function targetOf(ctx: Context, { advance, now: wanted }: Move): Date {
  const now = ctx.clock.now()
  if ((advance === undefined) === (wanted === undefined))
    throw new Failure('validation_error', 'A move of the clock needs exactly one of "advance" and "now".', {
      fix: 'Give one of the two: "advance" in seconds, or "now" as a time.',
    })
  const target = wanted ?? after(now, (advance ?? 0) * secondMs)
  const param = wanted === undefined ? 'advance' : 'now'
  if (target < now)
    throw new Failure('validation_error', `The clock goes forwards only: it is ${now.toISOString()} there.`, {
      param,
      fix: `Give a time after ${now.toISOString()}.`,
    })
  const latest = new Date(Math.min(now.getTime() + moveMaxMs, ctx.machineClock.now().getTime() + aheadMaxMs))
  if (target > latest)
    throw new Failure('validation_error', 'The clock is moved by at most 400 days at once, and by ten years in all.', {
      param,
      fix: `Give a time up to ${latest.toISOString()}.`,
    })
  return target
}

/** The next time at which work is due, or the target if no work is due before it. */
async function nextStop(
  ctx: Context,
  accountId: string,
  { now, target, isExact }: { now: Date; target: Date; isExact: boolean },
): Promise<Date> {
  const due = await Promise.all(works.map(({ next }) => next(ctx, accountId)))
  const dueMs = Math.min(...due.map((at) => at?.getTime() ?? Number.POSITIVE_INFINITY))
  return new Date(Math.min(target.getTime(), Math.max(dueMs, now.getTime() + (isExact ? 1 : strideMs))))
}

async function setClock(ctx: Context, accountId: string, at: Date): Promise<void> {
  const machine = ctx.machineClock.now()
  const wanted = { aheadMs: at.getTime() - machine.getTime(), at: machine }
  ctx.testClocks.note(accountId, (await moveTestClock(ctx.store, accountId, wanted)) ?? 0)
}

/** Does the work that is due at the present time of the sandbox. `since`: the time of the sandbox when that was last done. */
async function catchUp(ctx: Context, accountId: string, since: Date): Promise<void> {
  const own = inTimeOf(ctx, accountId)
  for (let rounds = 0; rounds < roundsMax; rounds++) {
    let done = await announce(own, accountId, since)
    for (const { run } of works) done += await run(own, accountId)
    await othersDone(own, accountId)
    if (done === 0) return
  }
}

async function announce(ctx: Context, accountId: string, since: Date): Promise<number> {
  const mailboxes = await listMailboxes(ctx.store, { accountId, only: null, before: null, limit: mailboxesMax })
  const messages = await findReceivedByAll(ctx.store, {
    mailboxIds: mailboxes.map(({ _id }) => _id),
    from: idAt('msg', after(since, -announcedMs)),
    limit: arrivalsMax,
  })
  return messages.length === 0 ? 0 : (await announceMissed(ctx, messages)) + (await deriveMissed(ctx, messages))
}

/** Waits for deliveries under way: first attempts in the background, and those of other processes. */
async function othersDone({ store, clock }: Context, accountId: string): Promise<void> {
  const end = performance.now() + othersMaxMs
  while (performance.now() < end) {
    const now = clock.now()
    const underWay = await Promise.all([isDelivering(store, accountId, now), isCarrying(store, accountId, now)])
    if (!underWay.includes(true)) return
    await sleep(lookMs)
  }
}

/** Deletes everything that has expired by the time of the sandbox. */
async function expire(ctx: Context, accountId: string): Promise<void> {
  const own = inTimeOf(ctx, accountId)
  await sweepDiscarded(own, accountId)
  await sweepIntakes(own, accountId)
  await purgeDeletedMailboxes(own, accountId)
  // Events are counted, and their numbers recorded, before they are deleted.
  const last = await lastEventNumber(own.store, accountId)
  await tallyEventsUpTo(own, accountId, last)
  await raiseEventFloors(own.store, new Map([[accountId, last]]))
  await deleteExpired(own.store, accountId, own.clock.now())
}
