/**
 * The zones that the built-in DNS server answers from, as this process knows them. Invariants: the names of all zones are known, so a
 * question about any other name costs nothing. Zones themselves are cached in bounded memory; an unknown one is read once for all who
 * ask. A change note has a zone read again. In case notes are lost, an answer is given only if the changed versions were queried within
 * the last `lookMs`. Both are done ahead of time, so that frequent questions never wait for the database. While it is unreachable, the
 * known zones are still served.
 */
import type { Store } from '../../store/open.ts'
import { findZone, raiseSerial, zoneRecords, zoneVersions } from '../../store/zones.ts'
import { after, dayMs, minuteMs, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { createKept } from '../process/kept.ts'
import { perProcess } from '../process/per-process.ts'
import { servedRecord, type ZoneRecord } from './record-types.ts'
import { parentOf, zoneOwner } from './zone-owner.ts'

export type { ZoneRecord } from './record-types.ts'

/** The served content of a domain. The same object until something in it changes. */
export type Zone = {
  /** The domain, in lower-case A-labels, without the final dot. */
  readonly origin: string
  /** The account that owns it; null for the service itself. */
  readonly accountId: string | null
  readonly serial: number
  readonly records: readonly ZoneRecord[]
}

/** How long a node serves zones unchanged at most while the database does not answer. */
export const awayMs = dayMs
/** Records cached of all zones together. */
const recordsMax = 200_000
/** Fixed weight of a cached zone, as a number of records. */
const zoneWeight = 5
/** A zone whose owner gave it up is served no longer than this, if the change note was lost. */
const zoneMs = 30 * secondMs
const lookMs = 5 * secondMs
/** From these ages on, the next question has the zone read, or the versions queried, without waiting for it. */
const zoneAheadMs = 20 * secondMs
const lookAheadMs = 3 * secondMs
/** How far the clocks of two machines may differ. */
const skewMs = minuteMs

type Known = {
  /** The serial of every zone, by its domain; null until they have been read. */
  serials: Map<string, number> | null
  /** When the versions were last queried. */
  lookedAt: Date
  looking: Promise<void> | null
  /** Rises whenever a name may be answered from a different zone than before. */
  revision: number
}

/** The zone that answers for a domain, null if none does, and when it was read. */
type Read = { readonly zone: Zone | null; readonly readAt: Date }

const served = perProcess(({ clock, changes }) => {
  const zones = createKept<Read>(clock, {
    max: recordsMax,
    weigh: ({ zone }) => zoneWeight + (zone?.records.length ?? 0),
    ttlMs: zoneMs,
  })
  const known: Known = { serials: null, lookedAt: new Date(0), looking: null, revision: 0 }
  const reading = new Map<string, Promise<Zone | null>>()
  /** Also forgets zones below the domain: who owns a domain decides about those below it too. */
  const forget = (domain: string) => {
    known.revision += 1
    if (known.serials?.has(domain) === false) known.serials.set(domain, 0)
    for (const kept of [zones, reading])
      for (const origin of kept.keys()) if (origin === domain || origin.endsWith(`.${domain}`)) kept.delete(origin)
  }
  changes.listen((note) => {
    if (note.kind === 'zones') for (const domain of note.domains) forget(domain)
  })
  return { zones, known, reading, forget }
})
type Served = ReturnType<typeof served>

/**
 * The served zone that encloses a name most closely (RFC 1034 4.3.2). Served are the zones of verified domains, and of claims
 * without another account's claim or domain on the same name or above it. Null if there is none. Returned at once if the process knows
 * it. The name is in lower-case A-labels without the final dot. Rejects if the database was never reached.
 */
export function servedZone(ctx: Context, name: string): Promise<Zone | null> | Zone | null {
  const state = served(ctx)
  const { serials, lookedAt } = state.known
  const now = ctx.machineClock.now()
  if (serials === null || after(lookedAt, lookMs) <= now)
    return look(ctx, state).then(() => closest(ctx, state, name, now))
  // `look` does not reject once the zones are known.
  if (after(lookedAt, lookAheadMs) <= now) void look(ctx, state)
  return closest(ctx, state, name, now)
}

/**
 * A number that changes when `servedZone` may return something else. While it is the same at `nowMs`, what `servedZone` returned without
 * waiting is still valid, for a second at most. Null: `servedZone` has to be called.
 */
export function servedRevision(ctx: Context, nowMs: number): number | null {
  const { serials, lookedAt, revision } = served(ctx).known
  return serials !== null && nowMs - lookedAt.getTime() < lookMs ? revision : null
}

/** Announces that the served content of a domain has changed: raises the serial of its zone, and notifies all processes. */
export async function zoneChanged(
  ctx: Context,
  { domain, accountId }: { readonly domain: string; readonly accountId: string | null },
): Promise<void> {
  await raiseSerial(ctx.store, { domain, accountId, at: ctx.machineClock.now() })
  zonesForgotten(ctx, [domain])
}

/** Announces that domains were given up, so that there is no serial to raise. */
export function zonesForgotten(ctx: Context, domains: readonly string[]): void {
  if (domains.length === 0) return
  for (const domain of domains) served(ctx).forget(domain)
  ctx.changes.publish({ kind: 'zones', domains })
}

function closest(ctx: Context, state: Served, name: string, now: Date): Promise<Zone | null> | Zone | null {
  for (let origin: string | null = name; origin !== null; origin = parentOf(origin)) {
    if (state.known.serials?.has(origin) !== true) continue
    const kept = state.zones.get(origin)
    const parent = parentOf(origin)
    if (kept === undefined)
      return read(ctx, state, origin).then(
        (found) => found ?? (parent === null ? null : closest(ctx, state, parent, now)),
      )
    if (after(kept.readAt, zoneAheadMs) <= now) readAhead(ctx, state, origin)
    if (kept.zone !== null) return kept.zone
  }
  return null
}

/** Reads a zone, once for all who ask. If a change note arrives while it is read, the result is not cached. */
function read(ctx: Context, state: Served, origin: string): Promise<Zone | null> {
  const { zones, reading, known } = state
  const before = reading.get(origin)
  if (before !== undefined) return before
  const load = async () => {
    try {
      const readAt = ctx.machineClock.now()
      const zone = await loadZone(ctx.store, origin, readAt)
      if (reading.get(origin) === asked) {
        zones.set(origin, { zone, readAt })
        known.revision += 1
        if (zone !== null) known.serials?.set(origin, zone.serial)
      }
      return zone
    } finally {
      if (reading.get(origin) === asked) reading.delete(origin)
    }
  }
  const asked = load()
  reading.set(origin, asked)
  return asked
}

/** Reads a zone that is still cached. A failure is ignored: it is reported to those who ask once the zone is not cached any more. */
function readAhead(ctx: Context, state: Served, origin: string): void {
  if (!state.reading.has(origin)) read(ctx, state, origin).catch(() => undefined)
}

async function loadZone(store: Store, origin: string, now: Date): Promise<Zone | null> {
  const owner = await zoneOwner(store, origin)
  if (owner === null || owner.backend !== undefined) return null
  const { accountId } = owner
  const [zone, records] = await Promise.all([
    findZone(store, origin),
    zoneRecords(store, { domain: origin, accountId, now }),
  ])
  const shown = records.filter(({ byOwner }) => byOwner !== 'deleted')
  return {
    origin,
    accountId,
    serial: zone?.serial ?? 1,
    records: shown.map((record) => servedRecord(origin, record)),
  }
}

/** Queries which zones exist, or have changed since the last look; once for all who wait. */
function look(ctx: Context, state: Served): Promise<void> {
  const { known, forget } = state
  const ask = async () => {
    const at = ctx.machineClock.now()
    const isFirst = known.serials === null
    try {
      const versions = await zoneVersions(ctx.store, isFirst ? null : after(known.lookedAt, -skewMs))
      known.serials ??= new Map()
      for (const { _id, serial } of versions) {
        if (known.serials.get(_id) === serial) continue
        forget(_id)
        known.serials.set(_id, serial)
      }
      known.lookedAt = at
    } catch (error) {
      if (isFirst) throw error
      ctx.log.warn({ err: error }, 'changes of zones could not be read; the known zones are still served')
      // The next look waits for `lookMs` again, so that not every question queries the database.
      known.lookedAt = at
    }
  }
  known.looking ??= ask().finally(() => {
    known.looking = null
  })
  return known.looking
}
