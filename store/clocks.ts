/**
 * The documents by which the processes of a service share its clocks (jobs/clocks.ts). Agenda writes them: when each clock runs
 * next, and since when a process has it.
 */
import { clocksName } from './collections.ts'
import type { Store } from './open.ts'

type ClockDoc = {
  readonly name: string
  readonly nextRunAt?: Date | null
  readonly lockedAt?: Date | null
}

/** The latest times that a clock may have by now: when it runs next, and since when a process has it. */
export type LatestTimes = { readonly name: string; readonly nextRunAt: Date; readonly lockedAt: Date }

/**
 * Makes the clocks due and free that have a time later than it may be: whoever wrote it had a machine whose clock was ahead.
 * @returns the names of those
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
