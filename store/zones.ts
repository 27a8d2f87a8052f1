/** What the built-in DNS server serves: zones by domain, and their records. */
import type { ZoneDoc, ZoneRecordDoc } from './documents/domains.ts'
import { isDuplicate, type Store } from './open.ts'

/** A version of a zone. */
export type ZoneVersion = Pick<ZoneDoc, '_id' | 'serial' | 'changedAt'>

/**
 * Notes that what is served of a domain has changed: its serial rises. It is the time in seconds where that is higher, so that
 * a zone that is made anew goes on above the one before.
 */
export async function raiseSerial(
  store: Store,
  { domain, accountId, at }: { readonly domain: string; readonly accountId: string | null; readonly at: Date },
): Promise<void> {
  const seconds = Math.floor(at.getTime() / 1_000)
  const next = { $max: [{ $add: [{ $ifNull: ['$serial', 0] }, 1] }, seconds] }
  const change = [
    { $set: { serial: next, changedAt: at, accountId: { $ifNull: ['$accountId', { $literal: accountId }] } } },
  ]
  await store.zones.updateOne({ _id: domain }, change, { upsert: true }).catch(async (error: unknown) => {
    // Two inserted it at once.
    if (!isDuplicate(error)) throw error
    await store.zones.updateOne({ _id: domain }, change)
  })
}

/** The versions of all zones that were changed since then; null: of all zones. */
export function zoneVersions(store: Store, since: Date | null): Promise<ZoneVersion[]> {
  return store.zones
    .find(since === null ? {} : { changedAt: { $gte: since } }, { projection: { serial: 1, changedAt: 1 } })
    .toArray()
}

export function findZone(store: Store, domain: string): Promise<ZoneDoc | null> {
  return store.zones.findOne({ _id: domain })
}

/** The records of an account's zone, oldest first; those that have expired at `now` are left out. */
export async function zoneRecords(
  store: Store,
  { domain, accountId, now }: { readonly domain: string; readonly accountId: string | null; readonly now: Date },
): Promise<readonly ZoneRecordDoc[]> {
  const found = await store.zoneRecords.find({ domain, accountId }).sort({ domain: 1, accountId: 1, _id: 1 }).toArray()
  return found.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now)
}

export async function insertZoneRecords(store: Store, records: readonly ZoneRecordDoc[]): Promise<void> {
  if (records.length > 0) await store.zoneRecords.insertMany([...records])
}

/** Deletes the records of a name that the service keeps for a purpose. Returns how many. */
export async function removeManaged(
  store: Store,
  zone: Pick<ZoneRecordDoc, 'domain' | 'accountId' | 'name' | 'managed'>,
): Promise<number> {
  const { domain, accountId, name, managed } = zone
  const { deletedCount } = await store.zoneRecords.deleteMany({ domain, accountId, name, managed })
  return deletedCount
}
