/**
 * A backfill: Lens reads the existing records of a mailbox, newest first. Its progress is stored in the configuration, so that any
 * process can continue it. An answer is written and counted as a run in one step, once for each record, and causes no event.
 */
import { Failure } from '../../schemas/failures.ts'
import { idAt } from '../../schemas/ids.ts'
import { allowanceOf } from '../../schemas/plans.ts'
import type { IntakeDoc, IntakeRecordDoc } from '../../store/documents/intake.ts'
import * as store from '../../store/intake.ts'
import type { Principal } from '../access/principal.ts'
import { dueNow, inTimeOf } from '../process/account-time.ts'
import { noteDue } from '../process/alarms.ts'
import { after, minuteMs, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { reachIntake } from './configurations.ts'
import { askLens, getsRecord, lensTake, lensVersion } from './making.ts'
import { readMail } from './reading.ts'

/** Records of one step, and backfills that take a step at the same time. */
const pageSize = 10
const backfillsAtOnce = 4
/** How long a step is leased: longer than it takes, even with a slow model. */
const stepMs = 5 * minuteMs

/**
 * Begins to have Lens read the records of a mailbox that it has not read for the current fields yet; each counts as a run. Returns
 * how many there are. Fails with `mailbox_not_found`, `not_found`, `plan_required`, `conflict` (Lens is off).
 */
export async function beginBackfill(ctx: Context, principal: Principal, address: string): Promise<number> {
  const intake = await reachIntake(ctx, principal, address)
  if (!allowanceOf(principal.account).intake)
    throw new Failure('plan_required', 'The plan does not include Lens.', { fix: 'Take Pro or Business.' })
  if (!intake.lens.enabled)
    throw new Failure('conflict', `Lens is off for ${intake.mailbox}.`, {
      fix: 'Turn it on with the fields to read: PATCH /api/v1/intake/{mailbox} with "lens".',
    })
  const { accountId, _id: mailboxId } = intake
  const count = await store.countUnread(ctx.store, { mailboxId, version: lensVersion(intake.lens) })
  const at = ctx.clock.now()
  const backfill = { before: idAt('int', after(at, secondMs)), dueAt: at }
  if (count > 0) await store.changeIntake(ctx.store, { accountId, mailboxId, change: { backfill } })
  noteDue(ctx, 'intake', at)
  return count
}

/** Continues the backfills that are due, of an account or of all. Returns how many records were read. */
export async function stepBackfills(ctx: Context, accountId?: string): Promise<number> {
  const due = await store.findDueBackfills(ctx.store, { due: dueNow(ctx, accountId), limit: backfillsAtOnce })
  const read = await Promise.all(due.map((intake) => stepBackfill(inTimeOf(ctx, intake.accountId), intake)))
  return read.reduce((sum, each) => sum + each, 0)
}

/** When a backfill is due next, of an account or of all; null when there is none. */
export function nextBackfill(ctx: Context, accountId?: string): Promise<Date | null> {
  return store.nextBackfill(ctx.store, accountId)
}

async function stepBackfill(ctx: Context, intake: IntakeDoc): Promise<number> {
  const { _id: mailboxId, accountId, backfill, lens } = intake
  if (backfill === undefined) return 0
  const mine: IntakeDoc = { ...intake, backfill: { ...backfill, dueAt: after(ctx.clock.now(), stepMs) } }
  if (!(await store.moveBackfill(ctx.store, intake, mine.backfill!))) return 0
  const isWanted = lens.enabled && (await getsRecord(ctx, accountId, { test: false }))
  const asked = { mailboxId, version: lensVersion(lens), before: backfill.before, limit: pageSize }
  const records = isWanted ? await store.findUnread(ctx.store, asked) : []
  for (const record of records)
    await readAgain(ctx, intake, record).catch((error: unknown) =>
      ctx.log.warn({ err: error, recordId: record._id }, 'Lens could not read a record again; it stays unchanged'),
    )
  const isOver = records.length < pageSize
  await store.moveBackfill(ctx.store, mine, isOver ? null : { before: records.at(-1)!._id, dueAt: ctx.clock.now() })
  return records.length
}

async function readAgain(ctx: Context, { lens }: IntakeDoc, record: IntakeRecordDoc): Promise<void> {
  const mail = await readMail(ctx, record, { isTried: true })
  const answer = await askLens(ctx, lens, mail, record.attachments)
  const take = record.test ? null : lensTake(ctx, record.accountId)
  await store.writeAnswer(ctx.store, record, { lens: answer, take })
}
