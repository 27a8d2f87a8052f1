/** TXT records that the service publishes for some minutes to prove that a name is its own, as ACME asks it (RFC 8555 8.4). */
import { newId } from '../../schemas/ids.ts'
import { after, hourMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { editZone, type ZoneRef } from './zone-edit.ts'
import { parentOf, zoneOwner } from './zone-owner.ts'

const ttlSeconds = 60
/** What a crash left in a zone goes by itself. */
const keptMs = 1 * hourMs
const purpose = 'proof'

/**
 * Publishes TXT records of a name, beside what stands there already, and waits until those who keep the zone should serve them.
 * Returns false when we keep no zone that encloses the name: then there is nowhere to publish it. Fails with `unavailable`.
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

/** Withdraws a value that `publishTxt` published at a name, where others may prove something too. Fails with `unavailable`. */
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

/** The zone that encloses a name most closely, and the name in it; null when we keep none. */
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
