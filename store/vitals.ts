/** Measurements of the processes by hour, and the SMTP refusals, in counters by day. */
import type { ProcessHourDoc, ProcessSample } from './documents/service.ts'
import type { Store } from './open.ts'
import { readMany } from './reads.ts'
import { findUsage } from './usage.ts'

/** Adds a sample to the document of a process and hour. */
export async function addSample(
  store: Store,
  {
    process,
    sample,
    expiresAt,
  }: {
    readonly process: Omit<ProcessHourDoc, '_id' | 'samples' | 'expiresAt'>
    readonly sample: ProcessSample
    readonly expiresAt: Date
  },
): Promise<void> {
  const { host, process: name, pid, startedAt, hour } = process
  await store.processHours.updateOne(
    // A restarted container has the same host, name and pid.
    { _id: `${hour.toISOString()}:${host}:${name}:${pid}:${startedAt.getTime()}` },
    { $push: { samples: sample }, $setOnInsert: { ...process, expiresAt } },
    { upsert: true },
  )
}

/** The documents of all processes from the hour `from` on, in the order of time. */
export function findProcessHours(store: Store, from: Date): Promise<ProcessHourDoc[]> {
  return readMany(store, 'processHours', { _id: { $gte: from.toISOString() } }, { sort: { _id: 1 } })
}

/** Adds refusals of one hour, by code. */
export async function addRefusals(
  store: Store,
  { hour, refusals, expiresAt }: { hour: Date; refusals: ReadonlyMap<string, number>; expiresAt: Date },
): Promise<void> {
  const [day = '', time = ''] = hour.toISOString().split('T')
  const counts = [...refusals].map(([code, by]) => [`counts.h${time.slice(0, 2)}.${asField(code)}`, by] as const)
  await store.usage.updateOne(
    { _id: refusalsId(day) },
    { $inc: Object.fromEntries(counts), $setOnInsert: { expiresAt } },
    { upsert: true },
  )
}

/** The refusals in each hour of these days (UTC), by code. */
export async function findRefusals(
  store: Store,
  days: readonly string[],
): Promise<{ readonly from: Date; readonly codes: ReadonlyMap<string, number> }[]> {
  const docs = await findUsage(store, days.map(refusalsId))
  return docs.flatMap(({ _id, counts }) =>
    Object.entries(counts).flatMap(([hour, codes]) => {
      if (typeof codes === 'number') return []
      const from = new Date(`${_id.slice(refusalsId('').length)}T${hour.slice(1)}:00:00Z`)
      return [{ from, codes: new Map(Object.entries(codes).map(([field, count]) => [asCode(field), count])) }]
    }),
  )
}

const refusalsId = (day: string) => `refusals:${day}`
/** A code as a field name, which must not contain a dot. */
const asField = (code: string) => code.replaceAll('.', '-')
const asCode = (field: string) => field.replaceAll('-', '.')
