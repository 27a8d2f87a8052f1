/**
 * The removal of unclaimed accounts after their 7 days, with everything they have (interface.md, Unclaimed account). The
 * account is marked as removed first: from then on its key is refused, and nobody can claim it. The rest is repeated for some
 * minutes, because what was under way then may still write: a mail that was being received, a webhook, an index.
 */
import { findRemoval, type Removal, removeNames, removeOwned } from '../../store/account-removal.ts'
import { findExpiredAccounts, finishRemoval, removeAccount } from '../../store/accounts.ts'
import { callersChanged } from '../access/known-callers.ts'
import { addressesChanged } from '../mailbox/known-mailboxes.ts'
import { after, minuteMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'

/** Longer than any work takes that began before the removal. */
const settledMs = 5 * minuteMs
/** Accounts of one run; the rest waits for the next, so that other work has its turn. */
const runMax = 100

/** Removes unclaimed accounts whose time is over, and goes on with those that a crash interrupted. Returns how many it began. */
export async function sweepUnclaimed(ctx: Context): Promise<number> {
  const now = ctx.clock.now()
  let begun = 0
  for (const account of await findExpiredAccounts(ctx.store, now, runMax)) {
    const isNew = account.status === 'unclaimed'
    // It may have been claimed meanwhile.
    if (isNew && !(await removeAccount(ctx.store, account._id, now))) continue
    if (isNew) begun += 1
    const removal = await findRemoval(ctx.store, account._id)
    await removeAll(ctx, removal)
    if (isNew || account.claimExpiresAt === undefined || after(account.claimExpiresAt, settledMs) > now) continue
    await removeNames(ctx.store, removal)
    await finishRemoval(ctx.store, account._id)
    ctx.log.info({ accountId: account._id }, 'unclaimed account removed')
  }
  return begun
}

async function removeAll(ctx: Context, removal: Removal): Promise<void> {
  const { accountId, addresses, keyIds } = removal
  await callersChanged(ctx, { accountIds: [accountId], keyIds })
  // Waits under its keys end.
  ctx.changes.publish({ kind: 'keys', keyIds })
  await removeOwned(ctx.store, removal)
  addressesChanged(ctx, addresses)
}
