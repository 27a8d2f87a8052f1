/**
 * Rotates the key that signs a zone, such that every answer can be validated throughout (RFC 6781 4.1.3: one key for all; RFC 7583 3).
 * The new key is published beside the old one. Once no cache can hold the old key alone any more, the new key signs, and the parent
 * zone is asked to name it (CDS, CDNSKEY). Once it does, and everything signed before has expired everywhere, the old key is removed.
 * Invariants: the time of a state runs from when all nodes were told of it. Each step is a conditional update, so after a crash, or
 * with several nodes, it is done once. The old key is removed only if a check just before shows that the parent zone does not need it.
 */
import { ttlMax } from '../../schemas/domains.ts'
import { Failure } from '../../schemas/failures.ts'
import type { NextZoneKey, ZoneKeyDoc } from '../../store/documents/domains.ts'
import {
  changeNextZoneKey,
  endZoneKeyChange,
  findDueZoneKeys,
  findOldZoneKeys,
  findZoneKey,
  keepNextZoneKey,
} from '../../store/zone-keys.ts'
import { after, dayMs, hourMs, minuteMs, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { awayMs, zoneChanged } from '../zones/served-zones.ts'
import { keysOf, keyTtlSeconds, nextPrivateKey, zoneKeyDoc, zoneKeyId } from '../zones/zone-keys.ts'
import { zoneOwner } from '../zones/zone-owner.ts'
import { delegationOf } from './delegation.ts'

/** Time until every node serves a change, even one that cannot reach the database, and secondaries have it. */
const propagationMs = awayMs + hourMs
/** The minimum duration of each state. */
const stateMs: { readonly [S in NextZoneKey['state']]: number } = {
  // Then no cache holds the previous key set any more.
  published: propagationMs + keyTtlSeconds * secondMs,
  signing: 0,
  // Then no cache holds a signature of the old key any more, nor the previous DS records of the parent zone: these usually live
  // for two days at most, and the parent's servers take up to a day to change.
  vouched: Math.max(propagationMs + ttlMax * secondMs, 3 * dayMs),
  alone: 0,
}
const leaseMs = 5 * minuteMs
const lookAgainMs = hourMs
const dueMax = 200
/** Rotations started in one run. They are spread over time, as the creation of their zones was. */
const startsMax = 100

type Owned = { readonly origin: string; readonly accountId: string | null }

/** Starts to rotate the key of a zone. Fails with `conflict` while a rotation is in progress. */
export async function rotateZoneKey(ctx: Context, zone: Owned): Promise<ZoneKeyDoc> {
  const doc = await zoneKeyDoc(ctx, zone)
  if (!(await start(ctx, doc)))
    throw new Failure('conflict', `The key of ${zone.origin} is already being changed.`, {
      fix: 'Run "mailroom domain ds" to see how far that is, and what it waits for.',
    })
  return (await stepped(ctx, doc._id)) ?? doc
}

/** Takes an administrator's word that the parent zone names the new key. Fails with `conflict` if no rotation waits for that. */
export async function confirmDelegation(ctx: Context, zone: Owned): Promise<ZoneKeyDoc> {
  const id = zoneKeyId(zone)
  const doc = await findZoneKey(ctx.store, id)
  const now = ctx.clock.now()
  const isTaken =
    doc?.next?.state === 'signing' &&
    (await changeNextZoneKey(ctx.store, id, doc.next, { isConfirmed: true, dueAt: now }))
  if (!isTaken)
    throw new Failure('conflict', `No new key of ${zone.origin} waits for a DS record.`, {
      fix: 'Run "mailroom domain ds" to see how far the change of its key is, and try again.',
    })
  return (await stepped(ctx, id)) ?? doc
}

/** Continues the rotations that are due. Returns how many were. */
export async function rotateZoneKeys(ctx: Context): Promise<number> {
  if (!ctx.settings.dns.dnssec) return 0
  const due = await findDueZoneKeys(ctx.store, ctx.clock.now(), dueMax)
  for (const doc of due)
    await step(ctx, doc).catch((error: unknown) =>
      ctx.log.warn(
        { err: error, domain: doc.domain },
        'a change of zone keys could not continue; it is tried again at its next turn',
      ),
    )
  return due.length
}

/** Starts to rotate the keys that are older than the setting allows, in zones that are served here. */
export async function replaceOldZoneKeys(ctx: Context): Promise<void> {
  const { dnssec, keyDays } = ctx.settings.dns
  if (!dnssec || keyDays === 0) return
  let started = 0
  for await (const doc of findOldZoneKeys(ctx.store, after(ctx.clock.now(), -keyDays * dayMs))) {
    if (!(await isServed(ctx, doc))) continue
    if (await start(ctx, doc)) started += 1
    if (started === startsMax) return
  }
}

async function start(ctx: Context, doc: ZoneKeyDoc): Promise<boolean> {
  const now = ctx.clock.now()
  return keepNextZoneKey(ctx.store, doc._id, {
    privateKey: nextPrivateKey(ctx, doc),
    createdAt: now,
    state: 'published',
    toldAt: null,
    dueAt: now,
    isConfirmed: false,
  })
}

/** Continues one rotation at once, as far as possible. */
async function stepped(ctx: Context, id: string): Promise<ZoneKeyDoc | null> {
  const doc = await findZoneKey(ctx.store, id)
  if (doc !== null) await step(ctx, doc)
  return findZoneKey(ctx.store, id)
}

/** Leases the turn of a rotation, which ends by itself, and makes the next step. */
async function step(ctx: Context, doc: ZoneKeyDoc): Promise<void> {
  const { _id, next } = doc
  if (next === undefined) return
  const now = ctx.clock.now()
  const leased = { ...next, dueAt: after(now, leaseMs) }
  if (!(await changeNextZoneKey(ctx.store, _id, next, { dueAt: leased.dueAt }))) return
  const turn = { ...doc, next: leased }
  // While no node serves the zone, nobody sees its keys. When it is served again, the time of the state starts anew.
  if (!(await isServed(ctx, doc))) await pause(ctx, turn, { toldAt: null })
  else if (next.toldAt === null) await tell(ctx, turn)
  else await goOn(ctx, turn)
}

type Turn = Required<ZoneKeyDoc>

/** Has all nodes serve the state; its time runs from then on. */
async function tell(ctx: Context, turn: Turn): Promise<void> {
  const { _id, domain, accountId, next } = turn
  await zoneChanged(ctx, { domain, accountId })
  if (next.state === 'alone') return endZoneKeyChange(ctx.store, turn)
  const toldAt = ctx.clock.now()
  await changeNextZoneKey(ctx.store, _id, next, { toldAt, dueAt: after(toldAt, stateMs[next.state]) })
}

/** Moves a rotation on from a state whose time is over. */
async function goOn(ctx: Context, turn: Turn): Promise<void> {
  const { domain, next } = turn
  if (next.state === 'published') {
    ctx.log.info(
      { domain },
      'a new key signs the zone; the parent zone has to name it, as "mailroom domain ds" shows it',
    )
    return enter(ctx, turn, 'signing')
  }
  const named = await delegationOf(ctx, domain, keysOf(ctx, turn).signing.ds)
  const isSure = named === 'new' || named === 'none' || (named === 'unknown' && next.isConfirmed)
  if (next.state === 'signing' && (isSure || next.isConfirmed)) await enter(ctx, turn, 'vouched')
  else if (next.state === 'vouched' && isSure) await enter(ctx, turn, 'alone')
  else await pause(ctx, turn)
}

/** Records a state that nodes are to serve, and announces it. After a crash in between, the next turn announces it. */
async function enter(ctx: Context, turn: Turn, state: NextZoneKey['state']): Promise<void> {
  const next = { ...turn.next, state, toldAt: null, dueAt: after(ctx.clock.now(), leaseMs) }
  const { toldAt, dueAt } = next
  if (await changeNextZoneKey(ctx.store, turn._id, turn.next, { state, toldAt, dueAt }))
    await tell(ctx, { ...turn, next })
}

async function pause(ctx: Context, { _id, next }: Turn, more: { readonly toldAt?: null } = {}): Promise<void> {
  await changeNextZoneKey(ctx.store, _id, next, { ...more, dueAt: after(ctx.clock.now(), lookAgainMs) })
}

async function isServed(ctx: Context, { domain, accountId }: ZoneKeyDoc): Promise<boolean> {
  const owner = await zoneOwner(ctx.store, domain)
  return owner !== null && owner.accountId === accountId && owner.backend === undefined
}
