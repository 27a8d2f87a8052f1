/**
 * Deletes records when their retention is over. A configuration notes when its records are checked next (`checkAt`), at most a day
 * after the last check, so records need no expiry of their own, and a changed retention applies at once. A configuration that has
 * ended, by itself or with its mailbox, is checked like those that are due. Its records are deleted before it, so a crash leaves
 * nothing behind.
 */
import { idAt } from '../../schemas/ids.ts'
import type { IntakeDoc } from '../../store/documents/intake.ts'
import * as store from '../../store/intake.ts'
import { dueNow, inTimeOf } from '../process/account-time.ts'
import { after, dayMs, minuteMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { endDelivery } from './deliveries.ts'

/** Records deleted by one command, and commands for one mailbox before others have their turn. */
const pageSize = 200
const pagesMax = 50
const intakesPage = 100
/** Longest time between two checks of a configuration; shorter than every retention. */
const lookEveryMs = dayMs
/** Far longer than a process may still consider a mailbox watched after its configuration has ended (core/process/known.ts). */
const heardMs = minuteMs

/** Deletes records, of an account or of all, that have been kept for long enough or whose configuration ended. Returns how many. */
export async function sweepIntakes(ctx: Context, accountId?: string): Promise<number> {
  let removed = 0
  for (;;) {
    const due = await store.findIntakesToCheck(ctx.store, { due: dueNow(ctx, accountId), limit: intakesPage })
    let settled = 0
    for (const intake of due) {
      const own = inTimeOf(ctx, intake.accountId)
      const count = intake.endedAt === undefined ? await removeOld(own, intake) : await finishEnded(own, intake)
      if (count < pageSize * pagesMax && (intake.endedAt === undefined || isForgotten(own, intake))) settled += 1
      removed += count
    }
    // Configurations with many records left, and those that have just ended, stay due for the next run.
    if (due.length < intakesPage || settled === 0) return removed
  }
}

/**
 * Deletes the records of a configuration that has ended, and its own endpoint. The configuration itself is deleted later, together
 * with records begun meanwhile, when no process can consider the mailbox watched any more. Returns the number of records deleted.
 */
export async function finishEnded(ctx: Context, intake: IntakeDoc): Promise<number> {
  await endDelivery(ctx, intake)
  const removed = await removePages(ctx, { mailboxId: intake._id })
  if (isForgotten(ctx, intake) && removed < pageSize * pagesMax) await store.removeIntake(ctx.store, intake._id)
  return removed
}

/** Whether no process can consider the mailbox watched any more. */
const isForgotten = ({ clock }: Context, { endedAt }: IntakeDoc) =>
  endedAt !== undefined && endedAt < after(clock.now(), -heardMs)

/** Replaces a configuration that has ended, once its records are deleted. Returns false when none has ended, or records are left. */
export async function beginAgain(ctx: Context, intake: IntakeDoc): Promise<boolean> {
  if (!(await store.hasEnded(ctx.store, intake._id))) return false
  if ((await removePages(ctx, { mailboxId: intake._id })) === pageSize * pagesMax) return false
  return store.replaceEnded(ctx.store, intake)
}

async function removeOld(ctx: Context, intake: IntakeDoc): Promise<number> {
  const now = ctx.clock.now()
  const latest = after(now, lookEveryMs)
  if (intake.retention === 'forever') {
    await store.moveIntakeCheck(ctx.store, intake, latest)
    return 0
  }
  const keptMs = intake.retention * dayMs
  const removed = await removePages(ctx, { mailboxId: intake._id, _id: { $lt: idAt('int', after(now, -keptMs)) } })
  if (removed === pageSize * pagesMax) return removed
  const oldest = await store.oldestRecordAt(ctx.store, intake._id)
  const isSoon = oldest !== null && after(oldest, keptMs) < latest
  await store.moveIntakeCheck(ctx.store, intake, isSoon ? after(oldest, keptMs + 1) : latest)
  return removed
}

async function removePages(ctx: Context, filter: Parameters<typeof store.removeIntakeRecords>[1]): Promise<number> {
  let removed = 0
  for (let page = 0; page < pagesMax; page++) {
    const count = await store.removeIntakeRecords(ctx.store, filter, pageSize)
    removed += count
    if (count < pageSize) break
  }
  return removed
}
