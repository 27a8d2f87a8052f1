/**
 * The zones that answer questions, indexed once per version. A zone that is read again unchanged keeps its index, and with it everything
 * derived from the index. Invariant: while the database does not answer, zones that were asked for before are served unchanged, and no
 * question about them waits for it long. A zone that was asked for in the last minute is kept up to date in the background, so that the
 * next question does not wait at all.
 */
import { isDeepStrictEqual } from 'node:util'
import { hourMs, minuteMs, secondMs } from '../core/process/clock.ts'
import type { Context } from '../core/process/context.ts'
import { createKept } from '../core/process/kept.ts'
import { nameText, parentOf, rootName, type WireName, wireName } from '../core/zones/names.ts'
import { awayMs, servedRevision, servedZone, type Zone } from '../core/zones/served-zones.ts'
import { zoneKeys } from '../core/zones/zone-keys.ts'
import { createSigner, type SignableZone, serialAhead } from './dnssec.ts'
import { indexZone, type RrSet } from './zone-index.ts'

export type Zones = {
  readonly zoneOf: ZoneOf
  /** Stops keeping zones up to date. */
  close(): void
}

export type ZoneOf = (name: WireName) => SignableZone | null | Promise<SignableZone | null>

/** An index, and what it was made from. */
type Indexed = {
  readonly zone: Zone
  /** The value of `serialAhead` when it was made. */
  readonly ahead: number
  readonly index: SignableZone
}

/** Signatures cached, which take about 10 MB. */
const signaturesMax = 20_000
/** Names in all zones that are kept for times when the database is unreachable. */
const namesMax = 200_000
/** Names whose zone is remembered while it is certain, for a second at most. */
const foundMax = 10_000
/** How long a question waits for the database if an earlier version of its zone is known: resolvers ask again after a second. */
const patienceMs = 300
/** How long a zone is kept up to date after it was last asked for. */
const inUseMs = minuteMs
/** Zones kept up to date in this way; further zones are not. */
const inUseMax = 1_000
/** How often zones are refreshed; what is known stays certain for some seconds (core/zones/served-zones.ts). */
const refreshMs = 1.5 * secondMs
/** Questions that wait for the database at once, each holding its packet; further ones fail. */
const waitingMax = 10_000

/**
 * Makes the lookup of the zone that encloses a name most closely. It returns at once if the process knows the zone, and rejects if the
 * database does not answer and the zone was never asked for.
 */
export function createZones(ctx: Context, nameServers: readonly string[]): Zones {
  const earlier = createKept<Indexed>(ctx.machineClock, {
    max: namesMax,
    weigh: ({ index }) => index.nodes.size,
    ttlMs: awayMs,
  })
  const indexOf = createIndexes(ctx, nameServers, earlier)
  const inUse = refreshing(ctx, indexOf)
  const find = remembering(ctx, indexOf, inUse.note)
  let waiting = 0
  /** Whether the database has kept a question waiting and has not answered any since. */
  let isAway = false
  const noteAway = (away: boolean, error?: unknown) => {
    if (away && !isAway) ctx.log.warn({ err: error }, 'the database does not answer; zones are served as last known')
    isAway = away
  }
  const waitFor = async (found: Promise<SignableZone | null>) => {
    if (waiting >= waitingMax) throw new Error('Too many questions wait for the database.')
    waiting += 1
    return found.finally(() => {
      waiting -= 1
    })
  }
  const zoneOf: ZoneOf = (name) => {
    const found = find(name)
    if (!(found instanceof Promise)) return found
    const known = enclosing(earlier, name)
    if (known === undefined) return waitFor(found)
    const settled = found.then(
      (zone) => {
        noteAway(false)
        return zone
      },
      (error: unknown) => {
        noteAway(true, error)
        return known
      },
    )
    if (isAway) return known
    return new Promise((resolve) => {
      const late = setTimeout(() => {
        noteAway(true)
        resolve(known)
      }, patienceMs)
      void settled.then((zone) => {
        clearTimeout(late)
        resolve(zone)
      })
    })
  }
  return { zoneOf, close: inUse.close }
}

/** Looks up zones in use again and again. */
function refreshing({ machineClock }: Context, find: ZoneOf) {
  /** When each zone was last asked for. */
  const asked = new Map<WireName, number>()
  let timer: NodeJS.Timeout | undefined
  const refresh = () => {
    timer = undefined
    const now = machineClock.now().getTime()
    for (const [origin, at] of asked) {
      if (now - at >= inUseMs) asked.delete(origin)
      // Ignored here: the next question for the zone gets the error.
      else Promise.resolve(find(origin)).catch(() => undefined)
    }
    wake()
  }
  const wake = () => {
    if (asked.size > 0) timer ??= setTimeout(refresh, refreshMs).unref()
  }
  return {
    note({ origin }: SignableZone) {
      if (asked.size >= inUseMax && !asked.has(origin)) return
      asked.set(origin, machineClock.now().getTime())
      wake()
    },
    close() {
      asked.clear()
      clearTimeout(timer)
    },
  }
}

/** Like `find`, but calls it for the same name at most once a second while nothing changes. `note` is called with found zones. */
function remembering(ctx: Context, find: ZoneOf, note: (zone: SignableZone) => void): ZoneOf {
  const found = new Map<WireName, SignableZone | null>()
  let turn: number | null = null
  let endsAt = 0
  return (name) => {
    const now = ctx.machineClock.now().getTime()
    const current = servedRevision(ctx, now)
    if (current !== turn || now >= endsAt || found.size >= foundMax) {
      found.clear()
      turn = current
      endsAt = now + secondMs
    }
    const known = found.get(name)
    if (known !== undefined) return known
    const zone = find(name)
    if (zone instanceof Promise) return zone
    if (zone !== null) note(zone)
    if (turn !== null) found.set(name, zone)
    return zone
  }
}

function enclosing(zones: { get(origin: WireName): Indexed | undefined }, name: WireName): SignableZone | undefined {
  for (let rest = name; rest !== rootName; rest = parentOf(rest)) {
    const known = zones.get(rest)
    if (known !== undefined) return known.index
  }
  return undefined
}

/** Looks up zones with their indexes, each kept as long as its version (core/zones/served-zones.ts). `made` holds earlier indexes. */
function createIndexes(
  ctx: Context,
  nameServers: readonly string[],
  made: { get(origin: WireName): Indexed | undefined; set(origin: WireName, indexed: Indexed): void },
): ZoneOf {
  const { dnssec } = ctx.settings.dns
  const indexes = new WeakMap<Zone, SignableZone | Promise<SignableZone>>()
  const signatures = createKept<RrSet>(ctx.machineClock, { max: signaturesMax, ttlMs: hourMs })
  const now = () => ctx.machineClock.now()
  let versions = 0
  const keep = (indexed: Indexed): SignableZone => {
    indexes.set(indexed.zone, indexed.index)
    made.set(indexed.index.origin, indexed)
    return indexed.index
  }
  const sign = async (zone: Zone, ahead: number): Promise<SignableZone> => {
    try {
      const keys = await zoneKeys(ctx, zone)
      const index = indexZone({ ...zone, serial: zone.serial + ahead }, nameServers, keys)
      versions += 1
      const signer = createSigner({ origin: index.origin, keys, version: String(versions), signatures, now })
      return keep({ zone, ahead, index: { ...index, signer } })
    } catch (error) {
      indexes.delete(zone)
      throw error
    }
  }
  const indexOf = (zone: Zone | null): SignableZone | null | Promise<SignableZone> => {
    if (zone === null) return null
    const known = indexes.get(zone)
    if (known !== undefined) return known
    const ahead = dnssec ? serialAhead(now()) : 0
    const before = made.get(wireName(zone.origin))
    if (before?.ahead === ahead && isDeepStrictEqual(before.zone, zone)) return keep({ ...before, zone })
    if (!dnssec) return keep({ zone, ahead, index: { ...indexZone(zone, nameServers), signer: null } })
    const signing = sign(zone, ahead)
    indexes.set(zone, signing)
    return signing
  }
  return (name) => {
    const zone = servedZone(ctx, nameText(name))
    return zone instanceof Promise ? zone.then(indexOf) : indexOf(zone)
  }
}
