/**
 * Erases accounts: by command line, at the request of their people, and when nobody claimed them. Invariants: an erasure that has begun
 * is recorded in the account and continues after a crash; access ends first; an account is erased a second time when all work that was
 * under way at the beginning is over, and only that pass erases the documents by which the others are found; a name that the service
 * gave away stays taken, as a keyed digest that nobody can read. An account's sandbox, what is left of accounts that were claimed into
 * it, and its members who are in no other account are erased with it. These members cannot sign in from the beginning on, and are
 * erased at the end, when they can no longer have joined another account.
 */
import { Failure } from '../../schemas/failures.ts'
import {
  beginErasure as begin,
  findAccount,
  findErasing,
  findExpiredAccounts,
  findPartsOf,
  freeSlot,
  revokeKeys,
} from '../../store/accounts.ts'
import type { CollectionName } from '../../store/collections.ts'
import type { AccountDoc } from '../../store/documents/accounts.ts'
import { domainsOf, insertDomain, listDomains } from '../../store/domains.ts'
import { listAddresses } from '../../store/mailboxes.ts'
import { hasCustomers } from '../../store/partners.ts'
import { setErasing } from '../../store/people.ts'
import { emptyCustomerMarks, type Owner, ownerOf, personal } from '../../store/personal.ts'
import { callersChanged } from '../access/known-callers.ts'
import { endSessions } from '../access/sessions.ts'
import { takenNameOf } from '../mailbox/domains.ts'
import { addressesChanged } from '../mailbox/known-mailboxes.ts'
import { after, minuteMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { zonesForgotten } from '../zones/served-zones.ts'

/** Longer than any process still has work under way for an account after its access ended. */
const settledMs = 5 * minuteMs
const accountsMax = 20

/** How many documents of each collection were erased. */
export type Erased = { readonly [N in CollectionName]?: number }

/**
 * Begins to erase an account. When this resolves, its keys, addresses and webhooks have ended for all processes, and the clocks do the
 * rest within some minutes. `confirm` must be the name of the account, which nobody types by mistake. Fails with `validation_error`
 * (confirm), `conflict` (the account is being erased already, or is a partner with customers).
 */
export async function beginErasure(
  ctx: Context,
  { id: accountId, name }: { readonly id: string; readonly name: string },
  confirm: string,
): Promise<void> {
  if (confirm !== name)
    throw new Failure('validation_error', `"confirm" must be the name of the account, "${name}".`, {
      param: 'confirm',
      fix: 'Give the name of the account, if everything in it is to be erased for good.',
    })
  if (await hasCustomers(ctx.store, accountId))
    throw new Failure('conflict', 'The partner has customers.', { fix: 'Erase its customers first.' })
  if (!(await begin(ctx.store, { accountId, at: ctx.machineClock.now() })))
    throw new Failure('conflict', 'The account is being erased already.', { fix: 'Wait for it to end.' })
  await closeDoors(ctx, accountId)
  // The partner of an erased customer may have another customer, whoever erases this one.
  const partnerId = (await findAccount(ctx.store, accountId))?.partnerId
  if (partnerId !== undefined) await freeSlot(ctx.store, partnerId, 'customers')
}

/** Erases the data of an account whose erasure has begun. Safe to repeat. */
export async function erase(ctx: Context, { _id: accountId, erasing }: Erasing): Promise<Erased> {
  const isLast = erasing !== undefined && erasing <= after(ctx.machineClock.now(), -settledMs)
  await closeDoors(ctx, accountId)
  await keepNames(ctx, accountId)
  const owner = await ownerOf(ctx.store, accountId)
  const zones = await domainsOf(ctx.store, accountId)
  const erased: { [N in CollectionName]?: number } = {}
  for (const [name, row] of Object.entries(personal) as [CollectionName, (typeof personal)[CollectionName]][]) {
    if (row.of === 'nobody' || (row.isLast === true && !isLast)) continue
    const count = await row.erase(ctx.store, owner)
    if (count > 0) erased[name] = count
  }
  await callersChanged(ctx, { accountIds: [accountId] })
  zonesForgotten(ctx, zones)
  ctx.log.info({ accountId, isLast, erased }, 'account erased')
  return erased
}

type Erasing = Pick<AccountDoc, '_id' | 'erasing'>

/** Continues the erasures that any process has begun. Returns how many. Rejects if one fails, after it has continued the others. */
export async function sweepErasures(ctx: Context): Promise<number> {
  const erasing = await findErasing(ctx.store, accountsMax)
  const failures: unknown[] = []
  for (const account of erasing)
    await erase(ctx, account).catch((error: unknown) => {
      ctx.log.error({ err: error, accountId: account._id }, 'an account could not be erased; it is tried again')
      failures.push(error)
    })
  if (failures.length > 0) throw failures[0]
  return erasing.length
}

/**
 * Begins to erase accounts that nobody claimed within their 7 days (interface.md, Unclaimed account): all of them, or only `ofAccount`.
 * Returns how many.
 */
export async function eraseUnclaimed(ctx: Context, ofAccount?: string): Promise<number> {
  // By the machine's clock, since `erase` waits by it for work that is under way.
  const at = ctx.machineClock.now()
  let begun = 0
  for (const { _id: accountId } of await findExpiredAccounts(ctx.store, ctx.clock.now(), {
    accountId: ofAccount,
    limit: accountsMax,
  })) {
    // The account may have been claimed meanwhile.
    if (!(await begin(ctx.store, { accountId, at, from: 'unclaimed' }))) continue
    begun += 1
    await erase(ctx, { _id: accountId, erasing: at })
  }
  return begun
}

/** When an account will be erased unless somebody claims it; null when it is claimed, or already erased. */
export async function claimEnd({ store }: Context, accountId: string): Promise<Date | null> {
  return (await findAccount(store, accountId))?.claimExpiresAt ?? null
}

/** Ends all access to an account: every process is notified before this resolves. */
async function closeDoors(ctx: Context, accountId: string): Promise<void> {
  // First the account itself, which is looked up for each of its keys.
  await callersChanged(ctx, { accountIds: [accountId] })
  const keyIds = await revokeKeys(ctx.store, { accountId, at: ctx.clock.now() })
  await callersChanged(ctx, { keyIds })
  // Ends the requests of these keys that are waiting.
  ctx.changes.publish({ kind: 'keys', keyIds })
  const owner = await ownerOf(ctx.store, accountId)
  await closeFor(ctx, owner)
  await emptyCustomerMarks(ctx.store, owner)
  const addresses = await listAddresses(ctx.store, accountId)
  for (const name of ['addresses', 'webhooks'] as const) await erasePart(ctx, name, owner)
  addressesChanged(ctx, addresses)
  ctx.changes.publish({ kind: 'webhooks', accountIds: [accountId] })
  for (const partId of await findPartsOf(ctx.store, accountId))
    if (await begin(ctx.store, { accountId: partId, at: ctx.machineClock.now() })) await closeDoors(ctx, partId)
}

/** Ends the sign-in of the people who are erased with the account; members who joined another account may sign in again. */
async function closeFor(ctx: Context, { people, memberIds }: Owner): Promise<void> {
  if (memberIds.length === 0) return
  const ids = people.map(({ id }) => id)
  const others = memberIds.filter((id) => !ids.includes(id))
  await setErasing(ctx.store, ids, ctx.machineClock.now())
  await setErasing(ctx.store, others, null)
  await endSessions(ctx, ids)
}

async function erasePart(ctx: Context, name: CollectionName, owner: Owner): Promise<void> {
  const row = personal[name]
  if (row.of === 'account') await row.erase(ctx.store, owner)
}

/** Keeps domains below the shared domain taken before they are erased: they are never given out again (decisions.md 3, Signup). */
async function keepNames(ctx: Context, accountId: string): Promise<void> {
  for (const { _id, parent, createdAt } of await listDomains(ctx.store, accountId))
    if (parent !== null)
      await insertDomain(ctx.store, {
        _id: takenNameOf(ctx, _id),
        accountId: null,
        parent,
        status: 'removed',
        verifiedAt: null,
        dkim: [],
        defaultDisplayName: null,
        createdAt,
      })
}
