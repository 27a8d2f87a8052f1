/**
 * Changes a zone. Invariants: only one change of a zone is in progress at a time, in whichever process. If another server keeps the
 * zone, it has accepted the change before the change is stored here. Afterwards the served zone has a higher serial, and all processes
 * are notified.
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

/** A zone: its owner, and the server that keeps it. */
export type ZoneRef = {
  readonly domain: string
  readonly accountId: string | null
  readonly backend?: DnsBackend | undefined
}

export type ZoneChange = {
  readonly removed: readonly ZoneRecordDoc[]
  /** A record with the id of an existing one replaces it. */
  readonly written: readonly ZoneRecordDoc[]
}

/** Longer than a change takes with a slow server elsewhere. */
const lockMs = 30 * secondMs
const patienceMs = 10 * secondMs
/** How long a caller waits that must not fail because a process died in the middle of a change. */
export const outlivingMs = lockMs + secondMs
const pollMs = 20

/**
 * Makes the change that `plan` decides on; if it decides on none, the lock is not taken. Fails with what `plan` fails with, with
 * `conflict`, and with `unavailable` if others hold the zone's lock for all of `withinMs`.
 */
export async function editZone<C extends ZoneChange>(
  ctx: Context,
  zone: ZoneRef,
  plan: (records: readonly ZoneRecordDoc[]) => C,
  withinMs = patienceMs,
): Promise<C> {
  const { domain, accountId } = zone
  const recordsAt = (now: Date) => zoneRecords(ctx.store, { domain, accountId, now })
  const wanted = plan(await recordsAt(ctx.machineClock.now()))
  if (isNone(wanted)) return wanted
  const token = newToken()
  await takeLock(ctx, zone, { token, withinMs })
  try {
    const now = ctx.machineClock.now()
    const records = await recordsAt(now)
    const change = plan(records)
    if (isNone(change)) return change
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

const isNone = ({ removed, written }: ZoneChange) => removed.length === 0 && written.length === 0

async function takeLock(
  ctx: Context,
  { domain, accountId }: ZoneRef,
  { token, withinMs }: { readonly token: string; readonly withinMs: number },
): Promise<void> {
  for (const end = performance.now() + withinMs; performance.now() < end; await sleep(pollMs)) {
    const now = ctx.machineClock.now()
    if (await lockZone(ctx.store, { domain, accountId, lock: { token, until: after(now, lockMs) }, now })) return
  }
  throw busy(domain)
}

const busy = (domain: string) =>
  new Failure('unavailable', `Another request is changing the records of ${domain} at the moment.`, { retryAfter: 2 })
