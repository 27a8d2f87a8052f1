/** TXT records that the service publishes for some minutes to prove that a name is its own, as ACME requires (RFC 8555 8.4). */
import { newId } from '../../schemas/ids.ts'
import { after, hourMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { editZone, type ZoneRef } from './zone-edit.ts'
import { parentOf, zoneOwner } from './zone-owner.ts'

const ttlSeconds = 60
/** A record that a crash left in a zone disappears after this time. */
const keptMs = 1 * hourMs
const purpose = 'proof'

/**
 * Publishes TXT records at a name, beside existing ones; notifies the nodes that serve the zone, and waits until they have acted on it.
 * Returns false if we keep no zone that encloses the name, so that there is nowhere to publish it. Fails with `unavailable`.
 */
export async function publishTxt(ctx: Context, name: string, values: readonly string[]): Promise<boolean> {
  const place = await placeOf(ctx, name)
  if (place === null) return false
  const { zone, relative } = place
  const { domain, accountId } = zone
  const at = ctx.machineClock.now()
  const shared = { domain, accountId, name: relative, type: 'TXT', ttlSeconds, priority: null, purpose } as const
  await editZone(ctx, zone, () => ({
    removed: [],
    written: values.map((value) => ({
      ...shared,
      _id: newId('rec', at),
      value,
      createdAt: at,
      expiresAt: after(at, keptMs),
    })),
  }))
  await ctx.changes.tell({ kind: 'zones', domains: [domain] })
  return true
}

/** Withdraws one value that `publishTxt` published at a name; other values there stay. Fails with `unavailable`. */
export async function withdrawTxt(ctx: Context, name: string, value: string): Promise<void> {
  const place = await placeOf(ctx, name)
  if (place === null) return
  await editZone(ctx, place.zone, (records) => ({
    removed: records.filter(
      (record) => record.name === place.relative && record.purpose === purpose && record.value === value,
    ),
    written: [],
  }))
}

/** The zone that encloses a name most closely, and the name relative to it; null if we keep none. */
async function placeOf(ctx: Context, name: string): Promise<{ zone: ZoneRef; relative: string } | null> {
  for (let domain: string | null = name; domain !== null; domain = parentOf(domain)) {
    const owner = await zoneOwner(ctx.store, domain)
    if (owner === null) continue
    const { accountId, backend } = owner
    if (backend?.kind === 'by-hand') return null
    return { zone: { domain, accountId, backend }, relative: name === domain ? '@' : name.slice(0, -domain.length - 1) }
  }
  return null
}
