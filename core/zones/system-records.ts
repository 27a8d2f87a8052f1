/** TXT records that the service publishes for some minutes to prove that a name is its own, as ACME asks it (RFC 8555 8.4). */
import { newId } from '../../schemas/ids.ts'
import { insertZoneRecords, removeManaged } from '../../store/zones.ts'
import { after, hourMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { servedZone, zoneChanged } from './served-zones.ts'

const ttlSeconds = 60
/** What a crash left in a zone goes by itself. */
const keptMs = 1 * hourMs
const managed = 'proof'

/**
 * Publishes TXT records of a name, beside what stands there already, and waits until the processes of this installation should
 * serve them. Returns false when no zone that we serve encloses the name: then there is nowhere to publish it.
 */
export async function publishTxt(ctx: Context, name: string, values: readonly string[]): Promise<boolean> {
  const place = await placeOf(ctx, name)
  if (place === null) return false
  const at = ctx.machineClock.now()
  await insertZoneRecords(
    ctx.store,
    values.map((value) => ({
      _id: newId('rec', at),
      ...place,
      type: 'TXT',
      value,
      ttlSeconds,
      priority: null,
      managed,
      createdAt: at,
      expiresAt: after(at, keptMs),
    })),
  )
  await zoneChanged(ctx, place)
  await ctx.changes.tell({ kind: 'zones', domains: [place.domain] })
  return true
}

/** Withdraws what `publishTxt` published at a name. */
export async function withdrawTxt(ctx: Context, name: string): Promise<void> {
  const place = await placeOf(ctx, name)
  if (place !== null && (await removeManaged(ctx.store, { ...place, managed })) > 0) await zoneChanged(ctx, place)
}

/** Where in which zone a name is; null when we serve none that encloses it. */
async function placeOf(ctx: Context, name: string) {
  const zone = await servedZone(ctx, name)
  if (zone === null) return null
  const { origin: domain, accountId } = zone
  return { domain, accountId, name: name === domain ? '@' : name.slice(0, -domain.length - 1) }
}
