/**
 * Moves an account into another one of its new owner (decisions.md 3, Claim into an existing account). Ids and keys stay. Invariants:
 * requests for the account are refused while it moves, and its keys move last, so that their next request finds everything; mail is
 * received all the time. Work that was under way in any process when the move began is moved by later runs, which are repeated until
 * nothing more can come. They also finish a move that a crash interrupted.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { deriveId } from '../../schemas/ids.ts'
import type { AccountDoc } from '../../store/documents/accounts.ts'
import { walkEvents } from '../../store/events.ts'
import * as store from '../../store/moves.ts'
import { recordAudit } from '../access/audit.ts'
import { callersChanged } from '../access/known-callers.ts'
import { addressesChanged } from '../mailbox/known-mailboxes.ts'
import { after, minuteMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { tallyEventsUpTo } from '../receive/received-counts.ts'
import { zoneChanged } from '../zones/served-zones.ts'
import { zoneKeyIn } from '../zones/zone-keys.ts'

/** Longer than any request that was accepted before the move, and than any SMTP transaction whose recipient was looked up before it. */
const lateMs = 2 * minuteMs
const movesMax = 50
const eventsPage = 200
/** How often, and with which pauses, a move tries again to move sends that are being delivered. */
const sendTries = 20
const sendPauseMs = 50

/** Moves everything in the account, and records in the audit trail who claimed it. Safe to repeat. */
export async function moveAccount(ctx: Context, move: store.AccountMove, by: AccountDoc['movedBy']): Promise<void> {
  const { from, to } = move
  await ctx.background.done(from)
  for (const domain of await store.moveDomains(ctx.store, move, (key, accountId) => zoneKeyIn(ctx, key, accountId)))
    await zoneChanged(ctx, { domain, accountId: to })
  await store.moveReports(ctx.store, move)
  const addresses = await store.moveMailboxes(ctx.store, move)
  if (addresses.length > 0) addressesChanged(ctx, addresses)
  await store.moveWebhooks(ctx.store, move, ctx.clock.now())
  ctx.changes.publish({ kind: 'webhooks', accountIds: [from, to] })
  await store.moveSuppressions(ctx.store, move)
  ctx.changes.publish({ kind: 'suppressions', accountIds: [from, to] })
  await store.moveTemplates(ctx.store, move)
  for (let tries = 0; tries < sendTries; tries++) {
    if ((await store.moveSends(ctx.store, move, ctx.clock.now())) === 0) break
    await sleep(sendPauseMs)
  }
  await moveEvents(ctx, move)
  await store.countMoved(ctx.store, move)
  const keyIds = await store.moveKeys(ctx.store, move)
  await callersChanged(ctx, { keyIds, accountIds: [from, to] })
  if (by !== undefined) await noteClaim(ctx, { accountId: to, claimed: from, ...by })
}

/** Records a claim in the audit trail of the account that contains everything afterwards. Repeats add no second entry. */
export function noteClaim(
  ctx: Context,
  {
    accountId,
    claimed: target,
    personId,
    address,
  }: NonNullable<AccountDoc['movedBy']> & {
    readonly accountId: string
    readonly claimed: string
  },
): Promise<void> {
  const id = deriveId('aud', target, 'account.claim')
  return recordAudit(ctx, { id, accountId, keyId: personId, action: 'account.claim', target, outcome: 'done', address })
}

/** Runs the moves that may not be complete. Returns the number of moves. */
export async function sweepMoves(ctx: Context): Promise<number> {
  const moving = await store.findMoving(ctx.store, movesMax)
  for (const { _id: from, movedTo: to, movedBy, movingSince } of moving) {
    if (to === undefined || movingSince === undefined) continue
    const isLast = after(movingSince, lateMs) <= ctx.clock.now()
    try {
      await moveAccount(ctx, { from, to }, movedBy)
      if (isLast) await store.finishMove(ctx.store, from)
    } catch (error) {
      ctx.log.error(
        { err: error, accountId: from, to },
        'an account could not be moved into another; it is tried again',
      )
    }
  }
  return moving.length
}

/** Moves the events of an account. Each is counted in the account where it was recorded before it moves. */
async function moveEvents(ctx: Context, { from, to }: store.AccountMove): Promise<void> {
  for (;;) {
    const events = await walkEvents(ctx.store, {
      accountId: from,
      after: 0,
      upTo: Number.MAX_SAFE_INTEGER,
      limit: eventsPage,
    })
    const last = events.at(-1)
    if (last === undefined) return
    await tallyEventsUpTo(ctx, from, last.seq)
    await store.moveEvents(ctx.store, events, { from, to })
    ctx.changes.publish({ kind: 'events', accountIds: [to] })
  }
}
