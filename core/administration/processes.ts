/** The health of the processes of the service, and the refusals of its SMTP doors, over time (core/process/vitals.ts). */
import type { ProcessHourDoc, ProcessSample } from '../../store/documents/service.ts'
import { findProcessHours, findRefusals } from '../../store/vitals.ts'
import { periodsOf, startOfHour } from '../process/clock.ts'
import type { Context } from '../process/context.ts'

export type { ProcessSample }

/** A process with its samples of each minute, the oldest first. */
export type ProcessVitals = Pick<ProcessHourDoc, 'host' | 'process' | 'pid' | 'startedAt'> & {
  readonly samples: readonly ProcessSample[]
}
/** The number of refusals in an hour, by the code of the reply, such as `550 5.1.1`. */
export type HourOfRefusals = { readonly from: Date; readonly codes: ReadonlyMap<string, number> }

/** The processes that ran since a time, each with at least one sample. */
export async function vitalsSince(ctx: Context, since: Date): Promise<readonly ProcessVitals[]> {
  const hours = await findProcessHours(ctx.store, startOfHour(since))
  const byProcess = Map.groupBy(
    hours,
    ({ host, process, pid, startedAt }) => `${host} ${process} ${pid} ${startedAt.getTime()}`,
  )
  return [...byProcess.values()]
    .map((own) => {
      const { host, process, pid, startedAt } = own[0]!
      const samples = own
        .flatMap((doc) => doc.samples)
        .filter(({ at }) => at >= since)
        .toSorted((a, b) => a.at.getTime() - b.at.getTime())
      return { host, process, pid, startedAt, samples }
    })
    .filter(({ samples }) => samples.length > 0)
}

/** The refusals of each hour since a time, the oldest first, without hours that had none. */
export async function refusalsSince(ctx: Context, since: Date): Promise<readonly HourOfRefusals[]> {
  const first = startOfHour(since)
  const days: string[] = []
  for (let at = first; at <= ctx.machineClock.now(); at = periodsOf(at).dayEnd) days.push(periodsOf(at).day)
  const hours = await findRefusals(ctx.store, days)
  return hours.filter(({ from }) => from >= first).toSorted((a, b) => a.from.getTime() - b.from.getTime())
}
