/**
 * The sweeps: they finish what a crash left undone. Each sweep walks from a durable watermark to `lagSeconds` ago, which is longer than
 * any writer takes to commit or give up, and checks what should have been derived; the watermark moves after the work.
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
import { deriveMissed } from '../intake/derive.ts'
import { removeForGood } from '../mailbox/bulk-changes.ts'
import { announceMailbox, finishMailboxDeletion, mailboxOf } from '../mailbox/mailboxes.ts'
import { threadDeriver } from '../mailbox/threading.ts'
import { after, dayMs, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { announceMissed } from '../receive/announce.ts'
import { tallyEventsUpTo } from '../receive/received-counts.ts'
import { replyToArrivals } from '../send/auto-replies.ts'

const lagSeconds = 30
const pageSize = 500
/** Discarded messages deleted in one run; the rest waits for the next run, so that other work gets its turn. */
const discardedMax = 20_000
const watermark = 'sweptMessages'
const mailboxWatermark = 'sweptMailboxes'
const deletionWatermark = 'sweptEndings'
const floorWatermark = 'sweptEvents'
/** A day before events expire (store/collections.ts). */
const floorAfterMs = 29 * dayMs
const floorPageSize = 2_000

/** Announces arrivals that were committed but not announced, and begins their Intake records and automatic replies. Returns how many. */
export async function sweepArrivals(ctx: Context): Promise<number> {
  const to = idAt('msg', after(ctx.clock.now(), -lagSeconds * secondMs))
  let from = (await readState<string>(ctx.store, watermark)) ?? idAt('msg', new Date(0))
  let missed = 0
  for (;;) {
    const messages = await walkMessages(ctx.store, { from, to, limit: pageSize })
    missed += await announceMissed(ctx, messages)
    await deriveMissed(ctx, messages)
    await replyToArrivals(ctx, messages)
    from = messages.length < pageSize ? to : messages.at(-1)!._id
    await writeState(ctx.store, watermark, from)
    if (messages.length < pageSize) return missed
  }
}

/** Announces mailboxes that were created but not announced. Returns how many were checked. */
export async function sweepMailboxes(ctx: Context): Promise<number> {
  const to = idAt('mbx', after(ctx.clock.now(), -lagSeconds * secondMs))
  let from = (await readState<string>(ctx.store, mailboxWatermark)) ?? idAt('mbx', new Date(0))
  let seen = 0
  for (;;) {
    const found = await mailboxes.walkMailboxes(ctx.store, { from, to, limit: pageSize })
    for (const doc of found) {
      const account = await accounts.findAccount(ctx.store, doc.accountId)
      // Mailboxes created by an administrator are announced too; an event that exists stays unchanged.
      if (account !== null) await announceMailbox(ctx, 'mailbox.created', await mailboxOf(ctx, doc, account))
    }
    seen += found.length
    from = found.length < pageSize ? to : found.at(-1)!._id
    await writeState(ctx.store, mailboxWatermark, from)
    if (found.length < pageSize) return seen
  }
}

/** Finishes deletions of mailboxes that a crash interrupted. Returns how many were checked. */
export async function sweepMailboxDeletions(ctx: Context): Promise<number> {
  const to = after(ctx.clock.now(), -lagSeconds * secondMs)
  const from = new Date((await readState<number>(ctx.store, deletionWatermark)) ?? after(to, -dayMs).getTime())
  const deleted = await mailboxes.findMailboxesDeletedBetween(ctx.store, { from, to, limit: pageSize })
  for (const doc of deleted) {
    const account = await accounts.findAccount(ctx.store, doc.accountId)
    if (account !== null) await finishMailboxDeletion(ctx, doc, account)
  }
  const last = deleted.length < pageSize ? to : (deleted.at(-1)!.deletedAt ?? to)
  await writeState(ctx.store, deletionWatermark, last.getTime())
  return deleted.length
}

/**
 * Corrects the counters of folders whose writer died, and derives the threads that it changed. Returns the number of folders.
 */
export async function sweepReservations(ctx: Context): Promise<number> {
  const before = after(ctx.clock.now(), -reservationSeconds * secondMs)
  const abandoned = await findFoldersWithStaleReservations(ctx.store, before, pageSize)
  for (const folder of abandoned) {
    // Threads first: the recount drops the reservation, which names them.
    const threadIds = folder.open.flatMap(({ at, threads = [] }) => (at < before ? threads : []))
    if (await threadDeriver(ctx, folder.mailboxId)(threadIds))
      await recount(ctx.store, folder, { before, now: () => ctx.clock.now() })
  }
  return abandoned.length
}

/**
 * Records the numbers of events before they expire after 30 days, so that an account without events for that long continues its
 * numbering, and counts those that are not counted yet. Returns how many events were checked.
 */
export async function sweepEventFloors(ctx: Context): Promise<number> {
  const to = after(ctx.clock.now(), -floorAfterMs)
  let from = new Date((await readState<number>(ctx.store, floorWatermark)) ?? 0)
  let seen = 0
  for (;;) {
    const events = await walkEventsByTime(ctx.store, { from, to, limit: floorPageSize })
    const floors = new Map<string, number>()
    for (const { accountId, seq } of events) floors.set(accountId, Math.max(seq, floors.get(accountId) ?? 0))
    for (const [accountId, seq] of floors) await tallyEventsUpTo(ctx, accountId, seq)
    await raiseEventFloors(ctx.store, floors)
    seen += events.length
    const last = events.at(-1)?.createdAt ?? to
    // A page may end between events of the same millisecond: that millisecond is read again, unless it fills the page.
    from = events.length < floorPageSize ? to : last > from ? last : after(last, 1)
    await writeState(ctx.store, floorWatermark, from.getTime())
    if (events.length < floorPageSize) return seen
  }
}

/** Deletes mail that has been in Trash or Spam for long enough, in one account or in all. Returns how many messages. */
export async function sweepDiscarded(ctx: Context, accountId?: string): Promise<number> {
  const before = after(ctx.clock.now(), -ctx.settings.keep.discardedDays * dayMs)
  let purged = 0
  while (purged < discardedMax) {
    const messages = await findDiscarded(ctx.store, before, { accountId, limit: pageSize })
    const removed = await removeForGood(ctx, messages)
    purged += removed
    if (removed === 0) break
  }
  return purged
}

/**
 * Deletes the mail of mailboxes that were deleted long enough ago, in one account or in all, and frees their addresses. Returns how many
 * messages.
 */
export async function purgeDeletedMailboxes(ctx: Context, ofAccount?: string): Promise<number> {
  let purged = 0
  const before = after(ctx.clock.now(), -ctx.settings.keep.deletedMailboxDays * dayMs)
  const deleted = await mailboxes.findDeletedMailboxes(ctx.store, before, { accountId: ofAccount, limit: pageSize })
  for (const { _id: mailboxId, accountId } of deleted) {
    for (;;) {
      const count = await purgeMessages(ctx.store, mailboxId, pageSize)
      purged += count
      if (count < pageSize) break
    }
    await mailboxes.removeAddress(ctx.store, { accountId, mailboxId })
    await accounts.withdrawMailbox(ctx.store, { accountId, mailboxId })
    await removeIndex(ctx.store, mailboxId)
    await mailboxes.removeMailbox(ctx.store, { accountId, mailboxId })
  }
  return purged
}
