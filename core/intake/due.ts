/** The work of Intake that is due: records that no process is making, and backfills. */
import type { Context } from '../process/context.ts'
import { nextBackfill, stepBackfills } from './backfill.ts'
import { makeDueRecords, nextRecord } from './derive.ts'

/** Does what is due, of an account or of all. Returns how much there was. */
export async function doDueIntake(ctx: Context, accountId?: string): Promise<number> {
  const done = await Promise.all([makeDueRecords(ctx, accountId), stepBackfills(ctx, accountId)])
  return done[0] + done[1]
}

/** When something is due next, of an account or of all; null when nothing is. */
export async function nextIntake(ctx: Context, accountId?: string): Promise<Date | null> {
  const times = await Promise.all([nextRecord(ctx, accountId), nextBackfill(ctx, accountId)])
  const [earliest] = times.filter((time) => time !== null).sort((a, b) => a.getTime() - b.getTime())
  return earliest ?? null
}
