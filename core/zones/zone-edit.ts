/**
 * Changing a zone. Invariants: one change of a zone is under way at a time, whichever process makes it; where another server keeps the
 * zone, it has taken the change before it is written down here; what is served has a higher serial afterwards, and all processes
 * hear of it.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../../schemas/failures.ts'
import { newToken } from '../../schemas/ids.ts'
import type { DnsBackend, ZoneRecordDoc } from '../../store/documents/domains.ts'
import { lockZone, unlockZone, writeZoneRecords, zoneRecords } from '../../store/zones.ts'
import { after, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { backendOf } from './backends.ts'
import { zoneChanged } from './served-zones.ts'

/** Whose zone it is, and who keeps it. */
export type ZoneRef = {
  readonly domain: string
  readonly accountId: string | null
  readonly backend?: DnsBackend | undefined
}

export type ZoneChange = {
  readonly removed: readonly ZoneRecordDoc[]
  /** One with the id of another takes its place. */
  readonly written: readonly ZoneRecordDoc[]
}

/** Longer than a change takes with a slow server elsewhere. */
const lockMs = 30 * secondMs
const patienceMs = 10 * secondMs
const pollMs = 20

/** Makes the change that `plan` decides on. Fails with what `plan` fails with, and with `conflict`, `unavailable`. */
export async function editZone<C extends ZoneChange>(
  ctx: Context,
  zone: ZoneRef,
  plan: (records: readonly ZoneRecordDoc[]) => C,
): Promise<C> {
  const { domain, accountId } = zone
  const token = newToken()
  await takeLock(ctx, zone, token)
  try {
    const now = ctx.machineClock.now()
    const records = await zoneRecords(ctx.store, { domain, accountId, now })
    const change = plan(records)
    if (change.removed.length === 0 && change.written.length === 0) return change
    const ids = new Set([...change.removed, ...change.written].map(({ _id }) => _id))
    const before = records.filter(({ _id }) => ids.has(_id))
    await backendOf(zone.backend).push(ctx, domain, { before, after: change.written })
    if (!(await writeZoneRecords(ctx.store, { domain, accountId, token, now }, change))) throw busy(domain)
    await zoneChanged(ctx, { domain, accountId })
    return change
  } finally {
    await unlockZone(ctx.store, domain, token)
  }
}

async function takeLock(ctx: Context, { domain, accountId }: ZoneRef, token: string): Promise<void> {
  for (const end = performance.now() + patienceMs; performance.now() < end; await sleep(pollMs)) {
    const now = ctx.machineClock.now()
    if (await lockZone(ctx.store, { domain, accountId, lock: { token, until: after(now, lockMs) }, now })) return
  }
  throw busy(domain)
}

const busy = (domain: string) =>
  new Failure('unavailable', `Others are changing the records of ${domain} at the moment.`, { retryAfter: 2 })
