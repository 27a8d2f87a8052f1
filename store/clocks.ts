/**
 * The documents through which the processes of a service share its clocks (jobs/clocks.ts). Agenda writes them. They record when each
 * clock runs next, and since when a process has locked it.
 */
import { clocksName } from './collections.ts'
import type { Store } from './open.ts'

type ClockDoc = {
  readonly name: string
  readonly nextRunAt?: Date | null
  readonly lockedAt?: Date | null
}

/** The latest plausible times of a clock: of its next run, and of its lock. */
export type LatestTimes = { readonly name: string; readonly nextRunAt: Date; readonly lockedAt: Date }

/**
 * Makes clocks due and unlocked if one of their times is later than plausible, which means that the machine that wrote it had a
 * clock that was ahead. Returns their names.
 */
export async function bringClocksBack({ db }: Store, latest: readonly LatestTimes[], now: Date): Promise<string[]> {
  const clocks = db.collection<ClockDoc>(clocksName)
  const tooLate = latest.flatMap(({ name, nextRunAt, lockedAt }) => [
    { name, nextRunAt: { $gt: nextRunAt } },
    { name, lockedAt: { $gt: lockedAt } },
  ])
  const found = await clocks.find({ $or: tooLate }, { projection: { name: 1 } }).toArray()
  if (found.length === 0) return []
  const ids = found.map(({ _id }) => _id)
  await clocks.updateMany({ _id: { $in: ids }, $or: tooLate }, { $set: { nextRunAt: now, lockedAt: null } })
  return found.map(({ name }) => name)
}
