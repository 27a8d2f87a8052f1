/**
 * Clocks (jobs/clocks.ts) that a process set whose machine was ahead, such as until NTP had put it right: they would stand still until
 * that time has come.
 */
import * as store from '../../store/clocks.ts'
import { after } from '../process/clock.ts'
import { skewMaxMs } from '../process/clock-skew.ts'
import type { Context } from '../process/context.ts'

/** So far two machines with sound clocks may be apart: one is ahead of the database's, one behind. */
const apartMs = 2 * skewMaxMs

/** Makes those of the clocks due that are set for later than they can be, and free those that are taken since later than now. */
export async function bringClocksBack(
  ctx: Context,
  clocks: readonly { readonly name: string; readonly everyMs: number }[],
): Promise<void> {
  if (!ctx.skew.isSound()) return
  const now = ctx.clock.now()
  const lockedAt = after(now, apartMs)
  const latest = clocks.map(({ name, everyMs }) => ({ name, nextRunAt: after(lockedAt, everyMs), lockedAt }))
  const names = await store.bringClocksBack(ctx.store, latest, now)
  if (names.length === 0) return
  ctx.log.warn(
    { clocks: names },
    'a machine whose clock was ahead had set these for later; they run now: set its clock by NTP',
  )
}
