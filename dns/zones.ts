/**
 * The zones that questions find, indexed once for each of their versions. Invariant: while the database does not answer, zones that
 * were asked for before are answered from as they were, and no question about them waits for it long.
 */
import { hourMs } from '../core/process/clock.ts'
import type { Context } from '../core/process/context.ts'
import { createKept } from '../core/process/kept.ts'
import { nameText, parentOf, rootName, type WireName } from '../core/zones/names.ts'
import { awayMs, servedZone, type Zone } from '../core/zones/served-zones.ts'
import { zoneKeys } from '../core/zones/zone-keys.ts'
import { createSigner, type SignableZone, serialAhead } from './dnssec.ts'
import { indexZone, type RrSet } from './zone-index.ts'

export type ZoneOf = (name: WireName) => SignableZone | null | Promise<SignableZone | null>

/** Signatures that are kept, about 10 MB of them. */
const signaturesMax = 20_000
/** Names in all zones that are kept for when the database is away. */
const namesMax = 200_000
/** How long a question waits for the database when an earlier version of its zone is known: resolvers ask again after a second. */
const patienceMs = 300
/** Questions that wait for the database at once, each with its packet; past it they fail. */
const waitingMax = 10_000

/**
 * Makes the look-up of the zone that encloses a name most closely: at once when the process knows it. It rejects when the database does
 * not answer and the zone was never asked for.
 */
export function createZones(ctx: Context, nameServers: readonly string[]): ZoneOf {
  const earlier = createKept<SignableZone>(ctx.machineClock, {
    max: namesMax,
    weigh: ({ nodes }) => nodes.size,
    ttlMs: awayMs,
  })
  const find = createIndexes(ctx, nameServers, (zone) => earlier.set(zone.origin, zone))
  let waiting = 0
  /** Whether the database has kept a question waiting, and has answered none since. */
  let isAway = false
  const noteAway = (away: boolean, error?: unknown) => {
    if (away && !isAway) ctx.log.warn({ err: error }, 'the database does not answer; zones are served as they were')
    isAway = away
  }
  const waitFor = async (found: Promise<SignableZone | null>) => {
    if (waiting >= waitingMax) throw new Error('Too many questions wait for the database.')
    waiting += 1
    return found.finally(() => {
      waiting -= 1
    })
  }
  return (name) => {
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
}

function enclosing(
  zones: { get(origin: WireName): SignableZone | undefined },
  name: WireName,
): SignableZone | undefined {
  for (let rest = name; rest !== rootName; rest = parentOf(rest)) {
    const zone = zones.get(rest)
    if (zone !== undefined) return zone
  }
  return undefined
}

/** Zones with their indexes, each as long as its version is kept (core/zones/served-zones.ts). `onNew` is told of each new one. */
function createIndexes(ctx: Context, nameServers: readonly string[], onNew: (zone: SignableZone) => void): ZoneOf {
  const indexes = new WeakMap<Zone, SignableZone | Promise<SignableZone>>()
  const signatures = createKept<RrSet>(ctx.machineClock, { max: signaturesMax, ttlMs: hourMs })
  const now = () => ctx.machineClock.now()
  let versions = 0
  const keep = (zone: Zone, index: SignableZone): SignableZone => {
    indexes.set(zone, index)
    onNew(index)
    return index
  }
  const sign = async (zone: Zone): Promise<SignableZone> => {
    try {
      const keys = await zoneKeys(ctx, zone)
      const index = indexZone({ ...zone, serial: zone.serial + serialAhead(now()) }, nameServers, keys)
      versions += 1
      const signer = createSigner({ origin: index.origin, keys, version: String(versions), signatures, now })
      return keep(zone, { ...index, signer })
    } catch (error) {
      indexes.delete(zone)
      throw error
    }
  }
  const indexOf = (zone: Zone | null): SignableZone | null | Promise<SignableZone> => {
    if (zone === null) return null
    const known = indexes.get(zone)
    if (known !== undefined) return known
    if (!ctx.settings.dns.dnssec) return keep(zone, { ...indexZone(zone, nameServers), signer: null })
    const signing = sign(zone)
    indexes.set(zone, signing)
    return signing
  }
  return (name) => {
    const zone = servedZone(ctx, nameText(name))
    return zone instanceof Promise ? zone.then(indexOf) : indexOf(zone)
  }
}
