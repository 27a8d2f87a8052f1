/** How the processes of the service are, and what its SMTP doors refused, over time (core/process/vitals.ts). */
import type { ProcessHourDoc, ProcessSample } from '../../store/documents/service.ts'
import { findProcessHours, findRefusals } from '../../store/vitals.ts'
import { periodsOf, startOfHour } from '../process/clock.ts'
import type { Context } from '../process/context.ts'

export type { ProcessSample }

/** A process, and how it was from minute to minute, the oldest first. */
export type ProcessVitals = Pick<ProcessHourDoc, 'host' | 'process' | 'pid' | 'startedAt'> & {
  readonly samples: readonly ProcessSample[]
}
/** What was refused in an hour, by the codes of the replies, such as `550 5.1.1`. */
export type HourOfRefusals = { readonly from: Date; readonly codes: ReadonlyMap<string, number> }

/** The processes that were there since a time, each with at least one sample. */
export async function vitalsSince(ctx: Context, since: Date): Promise<readonly ProcessVitals[]> {
  const hours = await findProcessHours(ctx.store, startOfHour(since))
  const byProcess = Map.groupBy(hours, ({ host, process, pid }) => `${host} ${process} ${pid}`)
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

/** What was refused in each hour since a time, as far as it was anything; the oldest first. */
export async function refusalsSince(ctx: Context, since: Date): Promise<readonly HourOfRefusals[]> {
  const first = startOfHour(since)
  const days: string[] = []
  for (let at = first; at <= ctx.machineClock.now(); at = periodsOf(at).dayEnd) days.push(periodsOf(at).day)
  const hours = await findRefusals(ctx.store, days)
  return hours.filter(({ from }) => from >= first).toSorted((a, b) => a.from.getTime() - b.from.getTime())
}
