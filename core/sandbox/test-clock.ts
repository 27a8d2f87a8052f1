/**
 * Moves the test clock of a sandbox (decisions.md 4, Sandbox). The clock does not jump: it goes from one thing that is due to
 * the next, and does there what is due, by the same functions that the clocks and the outbound engine call for everybody. So
 * retries, limits and expiries happen in their order and at their times. Invariants: the offset in the account is written
 * before anything is done at the new time, and only grows; the time is passed on by the context, so no other account sees it.
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
import { countReceivedUpTo } from '../receive/received-counts.ts'
import { nextApproval, settleApprovals } from '../send/approvals.ts'
import { nextStep, stepBatches } from '../send/batches.ts'
import { nextSettling, settleDue } from '../send/settle.ts'
import { purgeDeletedMailboxes, sweepDiscarded } from '../upkeep/sweep.ts'
import { deliverOwn } from './deliver-own.ts'

/** How far one call moves the clock, and how far it may be ahead at all. */
const moveMaxMs = 400 * dayMs
const aheadMaxMs = 3_660 * dayMs
/** Stops at the very times of what is due; after so many it goes on in strides, so that no call lasts for ever. */
const exactStopsMax = 1_000
const strideMs = 6 * 60 * minuteMs
/** Rounds of work at one stop: each may make more work, such as the event of a delivery. */
const roundsMax = 100
/** What others of the service have under way, such as an attempt of the outbound engine, is waited for so long. */
const othersMaxMs = 15 * secondMs
const lookMs = 10
const mailboxesMax = 1_000
const arrivalsMax = 500
/** Messages are announced a moment after their arrival; older ones are. */
const announcedMs = minuteMs

/** How a clock is moved: by seconds, or to a time. */
export type Move = { readonly advance?: number; readonly now?: Date }

/**
 * Moves the clock of the caller's sandbox forwards, and does what becomes due. Returns its time after that. Fails with
 * `forbidden` for a live key, `validation_error` (backwards, too far, or not one of the two).
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

/** Does what is due in all sandboxes whose clock was moved, as time goes on there too. Returns how many there are. */
export async function sweepSandboxes(ctx: Context): Promise<number> {
  const moved = ctx.testClocks.moved()
  for (const accountId of moved) {
    await catchUp(ctx, accountId, after(inTimeOf(ctx, accountId).clock.now(), -dayMs))
    await expire(ctx, accountId)
  }
  return moved.length
}

/** What becomes due at a time: when next, and what does it and returns how much it did. */
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
    throw new Failure('validation_error', 'Either "advance" or "now" says where the clock goes.', {
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

/** The next time at which something is due; when nothing is before it, the target. */
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

/** Does what is due at the present time of the sandbox. `since`: its time when that was done last. */
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

/** Waits for what is under way: first attempts, which nobody waits for, and what other processes do. */
async function othersDone({ store, clock }: Context, accountId: string): Promise<void> {
  const end = performance.now() + othersMaxMs
  while (performance.now() < end) {
    const now = clock.now()
    const underWay = await Promise.all([isDelivering(store, accountId, now), isCarrying(store, accountId, now)])
    if (!underWay.includes(true)) return
    await sleep(lookMs)
  }
}

/** Deletes what has expired by the time of the sandbox. */
async function expire(ctx: Context, accountId: string): Promise<void> {
  const own = inTimeOf(ctx, accountId)
  await sweepDiscarded(own, accountId)
  await sweepIntakes(own, accountId)
  await purgeDeletedMailboxes(own, accountId)
  // Events are counted, and their numbers noted, before they go.
  const last = await lastEventNumber(own.store, accountId)
  await countReceivedUpTo(own, accountId, last)
  await raiseEventFloors(own.store, new Map([[accountId, last]]))
  await deleteExpired(own.store, accountId, own.clock.now())
}
