/**
 * The zones that the built-in DNS server answers from, as this process knows them. Invariants: which domains have a zone is known
 * whole, so that a question about any other name costs nothing; zones themselves are kept in bounded memory, and one that
 * is not known is read once for all who ask. A change note makes a zone be read anew; and when notes are lost, the versions
 * that were written since are asked for before an answer is given that is more than `lookMs` old. Both are done ahead of their
 * time, so that who asks often never waits for the database. While it is away, what is known goes on being served.
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

/** What is served of a domain. The same object until something in it changes. */
export type Zone = {
  /** The domain, in lower-case A-labels, without the final dot. */
  readonly origin: string
  /** Whose it is; null: the service's. */
  readonly accountId: string | null
  readonly serial: number
  readonly records: readonly ZoneRecord[]
}

/** So long at most a node serves zones as they were while the database does not answer. */
export const awayMs = dayMs
/** Records of all zones that are kept together. */
const recordsMax = 200_000
/** A zone counts as many records more as it has by itself. */
const zoneWeight = 5
/** A zone that was given up, whose note was lost, is served no longer than this. */
const zoneMs = 30 * secondMs
const lookMs = 5 * secondMs
/** From these ages on the next question has zones read, or versions asked for, without waiting. */
const zoneAheadMs = 20 * secondMs
const lookAheadMs = 3 * secondMs
/** How much the clocks of two machines may differ. */
const skewMs = minuteMs

type Known = {
  /** The serial of every zone there is, by its domain; null before they were read. */
  serials: Map<string, number> | null
  /** When the versions were asked for last. */
  lookedAt: Date
  looking: Promise<void> | null
  /** Rises whenever a name may be answered for by another zone than before. */
  turn: number
}

/** What a domain is answered for by. */
type Read = { readonly zone: Zone | null; readonly readAt: Date }

const served = perProcess(({ clock, changes }) => {
  const zones = createKept<Read>(clock, {
    max: recordsMax,
    weigh: ({ zone }) => zoneWeight + (zone?.records.length ?? 0),
    ttlMs: zoneMs,
  })
  const known: Known = { serials: null, lookedAt: new Date(0), looking: null, turn: 0 }
  const reading = new Map<string, Promise<Zone | null>>()
  /** Whose zone a domain is decides about those below it too. */
  const forget = (domain: string) => {
    known.turn += 1
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
 * The zone that encloses a name most closely (RFC 1034 4.3.2) of those that are served: of domains that are verified, and of
 * claims that nobody else has on the same domain or one above it. Null when there is none. At once when the process knows it. The
 * name is in lower-case A-labels without the final dot. Rejects when the database was never reached.
 */
export function servedZone(ctx: Context, name: string): Promise<Zone | null> | Zone | null {
  const state = served(ctx)
  const { serials, lookedAt } = state.known
  const now = ctx.machineClock.now()
  if (serials === null || after(lookedAt, lookMs) <= now)
    return look(ctx, state).then(() => closest(ctx, state, name, now))
  // It does not reject once the zones are known.
  if (after(lookedAt, lookAheadMs) <= now) void look(ctx, state)
  return closest(ctx, state, name, now)
}

/**
 * What `servedZone` returned at once is what it returns at `nowMs` too while this number is the same, for a second at most; null: it has to
 * be asked.
 */
export function servedTurn(ctx: Context, nowMs: number): number | null {
  const { serials, lookedAt, turn } = served(ctx).known
  return serials !== null && nowMs - lookedAt.getTime() < lookMs ? turn : null
}

/** Says that what is served of domains has changed: raises the serials of their zones, and tells all processes. */
export async function zoneChanged(
  ctx: Context,
  { domain, accountId }: { readonly domain: string; readonly accountId: string | null },
): Promise<void> {
  await raiseSerial(ctx.store, { domain, accountId, at: ctx.machineClock.now() })
  zonesForgotten(ctx, [domain])
}

/** Says that what is served of domains has changed, where there is no serial to raise: they were given up. */
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

/** Reads a zone, once for all who ask. What was read before a change is heard is not kept. */
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
        known.turn += 1
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

/** Reads a zone that is kept for a while yet. A failure is left to those who ask when it is not. */
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

/** Asks which zones there are, or were changed since the last look; once for all who wait. */
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
      ctx.log.warn({ err: error }, 'changes of zones could not be asked for; those that are known are served')
      // The next who asks looks again, not each.
      known.lookedAt = at
    }
  }
  known.looking ??= ask().finally(() => {
    known.looking = null
  })
  return known.looking
}
