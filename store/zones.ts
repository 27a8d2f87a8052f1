/** What the built-in DNS server serves: zones by domain, and their records. */
import type { ZoneDoc, ZoneRecordDoc } from './documents/domains.ts'
import { isDuplicate, type Store } from './open.ts'
import { readMany, readOne } from './reads.ts'
import { deleteIn, fenceIn, replaceIn } from './writes.ts'

/** A version of a zone. */
export type ZoneVersion = Pick<ZoneDoc, '_id' | 'serial' | 'changedAt'>

/**
 * Records that what is served for a domain changed: increments its serial, or sets it to the time in seconds if that is higher, so that
 * the serials of a zone that is created again continue above the previous ones.
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
    // Two processes inserted the zone at once.
    if (!isDuplicate(error)) throw error
    await store.zones.updateOne({ _id: domain }, change)
  })
}

/** The versions of all zones that changed since a time; null: of all zones. */
export function zoneVersions(store: Store, since: Date | null): Promise<ZoneVersion[]> {
  return readMany(store, 'zones', since === null ? {} : { changedAt: { $gte: since } }, {
    projection: { serial: 1, changedAt: 1 },
  })
}

export function findZone(store: Store, domain: string): Promise<ZoneDoc | null> {
  return readOne(store, 'zones', { _id: domain })
}

/** The records of an account's zone, oldest first; those that have expired at `now` are left out. */
export async function zoneRecords(
  store: Store,
  { domain, accountId, now }: { readonly domain: string; readonly accountId: string | null; readonly now: Date },
): Promise<readonly ZoneRecordDoc[]> {
  const found = await readMany(
    store,
    'zoneRecords',
    { domain, accountId },
    { sort: { domain: 1, accountId: 1, _id: 1 } },
  )
  return found.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now)
}

/**
 * Takes the lock of a zone, and creates the zone if there is none. Returns false when another process holds the lock. A lock expires
 * by itself, so that a crash blocks others only for a short time.
 */
export async function lockZone(
  store: Store,
  {
    domain,
    accountId,
    lock,
    now,
  }: {
    readonly domain: string
    readonly accountId: string | null
    readonly lock: NonNullable<ZoneDoc['lock']>
    readonly now: Date
  },
): Promise<boolean> {
  const isFree = { $or: [{ lock: { $exists: false } }, { 'lock.until': { $lte: now } }] }
  try {
    await store.zones.updateOne(
      { _id: domain, ...isFree },
      { $set: { lock }, $setOnInsert: newZone(accountId, now) },
      { upsert: true },
    )
    return true
  } catch (error) {
    if (isDuplicate(error)) return false
    throw error
  }
}

const newZone = (accountId: string | null, now: Date) => ({
  accountId,
  serial: Math.floor(now.getTime() / 1_000),
  changedAt: now,
})

/** Releases the lock of a zone, if it still has the token. */
export async function unlockZone(store: Store, domain: string, token: string): Promise<void> {
  await store.zones.updateOne({ _id: domain, 'lock.token': token }, { $unset: { lock: '' } })
}

/**
 * Deletes and writes records of a zone. A written record replaces one with the same id. Returns false, with nothing written, when the
 * lock no longer has the token.
 */
export async function writeZoneRecords(
  store: Store,
  { domain, accountId, token, now }: { domain: string; accountId: string | null; token: string; now: Date },
  { removed, written }: { readonly removed: readonly ZoneRecordDoc[]; readonly written: readonly ZoneRecordDoc[] },
): Promise<boolean> {
  // If the lock has another token, the insert that the upsert tries is refused, and with it the rest of the list.
  const held = { _id: domain, 'lock.token': token }
  const refused = await store.writeTogether([
    fenceIn(store.zones, held, newZone(accountId, now)),
    ...removed.map(({ domain: of, _id }) => deleteIn(store.zoneRecords, { domain: of, _id })),
    ...written.map((record) => replaceIn(store.zoneRecords, { domain: record.domain, _id: record._id }, record)),
  ])
  return refused !== 0
}

/** A record of an account's zone, by its id; null when there is none. */
export function findZoneRecord(
  store: Store,
  { domain, accountId, id }: { readonly domain: string; readonly accountId: string; readonly id: string },
): Promise<ZoneRecordDoc | null> {
  return readOne(store, 'zoneRecords', { domain, accountId, _id: id })
}

/** Deletes an account's records of a domain's zone; with `isLast` also the zone, because no other account has records of it. */
export async function removeZone(
  store: Store,
  { domain, accountId, isLast }: { readonly domain: string; readonly accountId: string; readonly isLast: boolean },
): Promise<void> {
  await store.zoneRecords.deleteMany({ domain, accountId })
  if (isLast) await store.zones.deleteOne({ _id: domain })
}

/** Assigns a zone to the account that verified its domain, and deletes the records of all other accounts. */
export async function giveZone(store: Store, domain: string, accountId: string): Promise<void> {
  await store.zones.updateOne({ _id: domain }, { $set: { accountId } })
  await store.zoneRecords.deleteMany({ domain, accountId: { $ne: accountId } })
}
