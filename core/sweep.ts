/**
 * What a crash left undone is finished here. Each sweep walks from a durable watermark to `lagSeconds` ago, longer than any
 * writer takes to commit or give up, and asks for what should have been derived; the watermark moves after the work.
 */
import { idAt } from '../schemas/ids.ts'
import * as accounts from '../store/accounts.ts'
import { countBlobUsers, removeUnusedBlobs } from '../store/blobs.ts'
import { findAbandoned, recount, reservationSeconds } from '../store/folders.ts'
import * as mailboxes from '../store/mailboxes.ts'
import { purgeMessages, walkMessages } from '../store/messages.ts'
import { readState, writeState } from '../store/records.ts'
import { announceMissed } from './announce.ts'
import { after, dayMs, secondMs } from './clock.ts'
import type { Context } from './context.ts'
import { announceMailbox, endMailbox, mailboxOf } from './mailboxes.ts'

const lagSeconds = 30
const pageSize = 500
const purgeAfterMs = 30 * dayMs
const watermark = 'sweptMessages'
const mailboxWatermark = 'sweptMailboxes'

/** Announces arrivals that were committed but never announced. Answers how many. */
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

/** Announces mailboxes whose creation was not. Answers how many were looked at. */
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

/** Mends the counters of folders whose writer died. Answers how many. */
export async function sweepReservations(ctx: Context): Promise<number> {
  const before = after(ctx.clock.now(), -reservationSeconds * secondMs)
  const abandoned = await findAbandoned(ctx.store, before, pageSize)
  for (const folder of abandoned) await recount(ctx.store, folder, before)
  return abandoned.length
}

/** Removes unclaimed accounts whose 7 days are over: keys, mailboxes and addresses first. Answers how many. */
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
      for (const doc of own) await endMailbox(ctx, doc, account)
      if (own.length < pageSize) break
    }
    await mailboxes.removeDomains(ctx.store, account._id)
    await accounts.finishRemoval(ctx.store, account._id)
    ctx.log.info({ accountId: account._id }, 'unclaimed account removed')
  }
  return expired.length
}

/** Purges the mail of mailboxes that ended 30 days ago, and frees their addresses. Answers how many messages went. */
export async function sweepEnded(ctx: Context): Promise<number> {
  let purged = 0
  for (const { _id: mailboxId, accountId } of await mailboxes.findEnded(
    ctx.store,
    after(ctx.clock.now(), -purgeAfterMs),
    pageSize,
  )) {
    for (;;) {
      const messages = await purgeMessages(ctx.store, mailboxId, pageSize)
      for (const { blob } of messages) await countBlobUsers(ctx.store, blob.id, -1)
      await removeUnusedBlobs(
        ctx.store,
        messages.map(({ blob }) => blob),
      )
      purged += messages.length
      if (messages.length < pageSize) break
    }
    await mailboxes.removeAddresses(ctx.store, { accountId, mailboxId })
    await mailboxes.removeMailbox(ctx.store, { accountId, mailboxId })
  }
  return purged
}
