/**
 * What a crash left undone is finished here. Each sweep walks from a durable watermark to `lagSeconds` ago, longer than any
 * writer takes to commit or give up, and asks for what should have been derived; the watermark moves after the work.
 */
import { idAt } from '../../schemas/ids.ts'
import * as accounts from '../../store/accounts.ts'
import { raiseEventFloors, walkEventsByTime } from '../../store/events.ts'
import { findFoldersWithStaleReservations, reservationSeconds } from '../../store/folders.ts'
import * as mailboxes from '../../store/mailboxes.ts'
import { findDiscarded } from '../../store/message-edits.ts'
import { purgeMessages, walkMessages } from '../../store/messages.ts'
import { readState, writeState } from '../../store/records.ts'
import { recount } from '../../store/recount.ts'
import { removeIndex } from '../../store/search.ts'
import { removeForGood } from '../mailbox/bulk-changes.ts'
import { announceMailbox, deleteMailboxUnchecked, finishMailboxDeletion, mailboxOf } from '../mailbox/mailboxes.ts'
import { threadDeriver } from '../mailbox/threading.ts'
import { after, dayMs, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { announceMissed } from '../receive/announce.ts'

const lagSeconds = 30
const pageSize = 500
/** Discarded messages that go in one run: others have their turn until the next. */
const discardedMax = 20_000
const watermark = 'sweptMessages'
const mailboxWatermark = 'sweptMailboxes'
const endingWatermark = 'sweptEndings'
const floorWatermark = 'sweptEvents'
/** A day before events expire (store/collections.ts). */
const floorAfterMs = 29 * dayMs
const floorPageSize = 2_000

/** Announces arrivals that were committed but never announced. Returns how many. */
export async function sweepArrivals(ctx: Context): Promise<number> {
  const to = idAt('msg', after(ctx.clock.now(), -lagSeconds * secondMs))
  let from = (await readState<string>(ctx.store, watermark)) ?? idAt('msg', new Date(0))
  let missed = 0
  for (;;) {
    const messages = await walkMessages(ctx.store, { from, to, limit: pageSize })
    missed += await announceMissed(ctx, messages)
    from = messages.length < pageSize ? to : messages.at(-1)!._id
    await writeState(ctx.store, watermark, from)
    if (messages.length < pageSize) return missed
  }
}

/** Announces mailboxes whose creation was not. Returns how many were looked at. */
export async function sweepMailboxes(ctx: Context): Promise<number> {
  const to = idAt('mbx', after(ctx.clock.now(), -lagSeconds * secondMs))
  let from = (await readState<string>(ctx.store, mailboxWatermark)) ?? idAt('mbx', new Date(0))
  let seen = 0
  for (;;) {
    const found = await mailboxes.walkMailboxes(ctx.store, { from, to, limit: pageSize })
    for (const doc of found) {
      const account = await accounts.findAccount(ctx.store, doc.accountId)
      // An administrator's mailboxes are announced too; what is known already stays as it is.
      if (account !== null) await announceMailbox(ctx, 'mailbox.created', await mailboxOf(ctx, doc, account))
    }
    seen += found.length
    from = found.length < pageSize ? to : found.at(-1)!._id
    await writeState(ctx.store, mailboxWatermark, from)
    if (found.length < pageSize) return seen
  }
}

/** Finishes the ends of mailboxes that a crash cut off. Returns how many were looked at. */
export async function sweepEndings(ctx: Context): Promise<number> {
  const to = after(ctx.clock.now(), -lagSeconds * secondMs)
  const from = new Date((await readState<number>(ctx.store, endingWatermark)) ?? after(to, -dayMs).getTime())
  const ended = await mailboxes.findMailboxesDeletedBetween(ctx.store, { from, to, limit: pageSize })
  for (const doc of ended) {
    const account = await accounts.findAccount(ctx.store, doc.accountId)
    if (account !== null) await finishMailboxDeletion(ctx, doc, account)
  }
  const last = ended.length < pageSize ? to : (ended.at(-1)!.deletedAt ?? to)
  await writeState(ctx.store, endingWatermark, last.getTime())
  return ended.length
}

/** Mends the counters of folders whose writer died, and the threads it changed. Returns how many. */
export async function sweepReservations(ctx: Context): Promise<number> {
  const before = after(ctx.clock.now(), -reservationSeconds * secondMs)
  const abandoned = await findFoldersWithStaleReservations(ctx.store, before, pageSize)
  for (const folder of abandoned) {
    // Before the reservation is dropped, which is what tells of them.
    const threadIds = folder.open.flatMap(({ at, threads = [] }) => (at < before ? threads : []))
    if (await threadDeriver(ctx, folder.mailboxId)(threadIds))
      await recount(ctx.store, folder, { before, now: () => ctx.clock.now() })
  }
  return abandoned.length
}

/**
 * Before the events of 30 days ago expire: notes their accounts' numbers, so that an account that was quiet for so long goes
 * on counting where it was. Returns how many were looked at.
 */
export async function sweepEventFloors(ctx: Context): Promise<number> {
  const to = after(ctx.clock.now(), -floorAfterMs)
  let from = new Date((await readState<number>(ctx.store, floorWatermark)) ?? 0)
  let seen = 0
  for (;;) {
    const events = await walkEventsByTime(ctx.store, { from, to, limit: floorPageSize })
    const floors = new Map<string, number>()
    for (const { accountId, seq } of events) floors.set(accountId, Math.max(seq, floors.get(accountId) ?? 0))
    await raiseEventFloors(ctx.store, floors)
    seen += events.length
    const last = events.at(-1)?.createdAt ?? to
    // A page may end among events of one moment: that moment is read again, unless it fills the page.
    from = events.length < floorPageSize ? to : last > from ? last : after(last, 1)
    await writeState(ctx.store, floorWatermark, from.getTime())
    if (events.length < floorPageSize) return seen
  }
}

/** Removes unclaimed accounts whose 7 days are over: keys, mailboxes and addresses first. Returns how many. */
export async function sweepUnclaimed(ctx: Context): Promise<number> {
  const now = ctx.clock.now()
  const expired = await accounts.findExpiredAccounts(ctx.store, now, pageSize)
  for (const account of expired) {
    if (account.status === 'unclaimed' && !(await accounts.removeAccount(ctx.store, account._id))) continue
    await accounts.revokeKeys(ctx.store, { accountId: account._id, at: now })
    for (;;) {
      const own = await mailboxes.listMailboxes(ctx.store, {
        accountId: account._id,
        only: null,
        before: null,
        limit: pageSize,
      })
      for (const doc of own) await deleteMailboxUnchecked(ctx, doc, account)
      if (own.length < pageSize) break
    }
    await mailboxes.removeDomains(ctx.store, account._id)
    await accounts.finishRemoval(ctx.store, account._id)
    ctx.log.info({ accountId: account._id }, 'unclaimed account removed')
  }
  return expired.length
}

/** Removes the mail that lay in Trash or Spam long enough. Returns how many messages went. */
export async function sweepDiscarded(ctx: Context): Promise<number> {
  const before = after(ctx.clock.now(), -ctx.settings.keep.discardedDays * dayMs)
  let purged = 0
  while (purged < discardedMax) {
    const messages = await findDiscarded(ctx.store, before, pageSize)
    const removed = await removeForGood(ctx, messages)
    purged += removed
    if (removed === 0) break
  }
  return purged
}

/** Purges the mail of mailboxes that ended long enough ago, and frees their addresses. Returns how many messages went. */
export async function sweepEnded(ctx: Context): Promise<number> {
  let purged = 0
  for (const { _id: mailboxId, accountId } of await mailboxes.findDeletedMailboxes(
    ctx.store,
    after(ctx.clock.now(), -ctx.settings.keep.deletedMailboxDays * dayMs),
    pageSize,
  )) {
    for (;;) {
      const count = await purgeMessages(ctx.store, mailboxId, pageSize)
      purged += count
      if (count < pageSize) break
    }
    await mailboxes.removeAddress(ctx.store, { accountId, mailboxId })
    await removeIndex(ctx.store, mailboxId)
    await mailboxes.removeMailbox(ctx.store, { accountId, mailboxId })
  }
  return purged
}
