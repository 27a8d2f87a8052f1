/** The zones that questions find, indexed once for each of their versions. */
import type { Context } from '../core/process/context.ts'
import { nameText, type WireName } from '../core/zones/names.ts'
import { servedZone, type Zone } from '../core/zones/served-zones.ts'
import { indexZone, type ZoneIndex } from './zone-index.ts'

/** Looks zones up. An index lives as long as its version of the zone is kept (core/zones/served-zones.ts). */
export function createZones(ctx: Context, nameServers: readonly string[]) {
  const indexes = new WeakMap<Zone, ZoneIndex>()
  const indexOf = (zone: Zone | null): ZoneIndex | null => {
    if (zone === null) return null
    const known = indexes.get(zone)
    if (known !== undefined) return known
    const index = indexZone(zone, nameServers)
    indexes.set(zone, index)
    return index
  }
  /** The zone that encloses a name most closely. Rejects when it cannot be read. */
  return (name: WireName): ZoneIndex | null | Promise<ZoneIndex | null> => {
    const zone = servedZone(ctx, nameText(name))
    return zone instanceof Promise ? zone.then(indexOf) : indexOf(zone)
  }
}
