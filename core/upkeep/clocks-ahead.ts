/**
 * Corrects clocks (jobs/clocks.ts) that were set by a process on a machine whose time was ahead, such as before NTP corrected it.
 * Otherwise they would not run until that time has come.
 */
import * as store from '../../store/clocks.ts'
import { after } from '../process/clock.ts'
import { skewMaxMs } from '../process/clock-skew.ts'
import type { Context } from '../process/context.ts'

/** The largest difference of two machines with sound clocks, one of them ahead of the database's and one behind. */
const apartMs = 2 * skewMaxMs

/** Makes clocks due whose next run is later than it can be, and unlocks those whose lock is dated in the future. */
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
    'these clocks were set too far ahead by a machine whose own time was ahead; they run now: set the time of that machine by NTP',
  )
}
