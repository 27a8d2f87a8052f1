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
/** Whoever must not fail because a process died in the middle of a change waits for so long. */
export const outlivingMs = lockMs + secondMs
const pollMs = 20

/**
 * Makes the change that `plan` decides on; where that is none, nobody is waited for. Fails with what `plan` fails with, with `conflict`,
 * and with `unavailable` when others had the zone for all of `withinMs`.
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
  new Failure('unavailable', `Others are changing the records of ${domain} at the moment.`, { retryAfter: 2 })
