/** The accounts of the service, as its administrators see and change them. Each change stands in the audit of its account. */
import { normaliseAddress } from '../../mail/message/address.ts'
import type { AgentsPlanName, Figure, MailPlanName } from '../../schemas/plans.ts'
import { type AccountSearch, searchAccounts } from '../../store/accounts.ts'
import { findAddresses } from '../../store/mailboxes.ts'
import { findPersonByEmail } from '../../store/people.ts'
import { type Account, accountOf } from '../access/account-record.ts'
import { recordAudit } from '../access/audit.ts'
import { type Page, pageOf, readIdCursor } from '../access/paging.ts'
import { getAccount } from '../account/accounts.ts'
import { suspendAccount, unsuspendAccount } from '../account/holds.ts'
import { raiseLimit, setPlans } from '../account/plans.ts'
import { pauseSending, resumeSending } from '../account/reputation.ts'
import type { Context } from '../process/context.ts'

/**
 * Lists accounts, newest first: all, or those that `q` finds: an id, the beginning of a name, or the address of a member or a
 * mailbox. Fails with `validation_error` (cursor).
 */
export async function listAccounts(
  ctx: Context,
  { q = '', limit, before }: { q?: string; limit: number; before?: string },
): Promise<Page<Account>> {
  const search = await searchOf(ctx, q.trim())
  if (search === null) return { items: [], next: null }
  const rows = await searchAccounts(ctx.store, { ...search, before: readIdCursor(before, 'acc'), limit: limit + 1 })
  const { items, next } = pageOf(rows, limit)
  return { items: items.map(accountOf), next }
}

/** What a word looks for; null when nothing can be found by it. */
async function searchOf({ store }: Context, q: string): Promise<AccountSearch | null> {
  if (!q.includes('@')) return q === '' ? {} : q.startsWith('acc_') ? { id: q } : { name: q }
  const address = normaliseAddress(q)
  if (address === null) return null
  const [person, [mailbox]] = await Promise.all([findPersonByEmail(store, address), findAddresses(store, [address])])
  if (mailbox !== undefined) return { id: mailbox.accountId }
  return person === null ? null : { personId: person._id }
}

/** What an administrator changes of an account. A reason begins a hold, null ends it. */
export type AccountChange = {
  readonly plan?: MailPlanName | null
  readonly agentsPlan?: AgentsPlanName | null
  readonly raise?: { readonly figure: Figure; readonly to: number | null }
  readonly suspended?: { readonly reason: string } | null
  readonly sendingPaused?: { readonly reason: string } | null
}

/** Changes an account; what is left out stays. `personId` is the administrator. Fails with `not_found`. */
export async function changeAccount(
  ctx: Context,
  { accountId, personId }: { accountId: string; personId: string },
  { plan, agentsPlan, raise, suspended, sendingPaused }: AccountChange,
): Promise<Account> {
  const { id } = await getAccount(ctx, accountId)
  const note = (action: string, target: string | null) =>
    recordAudit(ctx, { accountId: id, keyId: personId, action, target, outcome: 'done', address: null })
  if (plan !== undefined || agentsPlan !== undefined) {
    const plans = { ...(plan !== undefined && { plan }), ...(agentsPlan !== undefined && { agentsPlan }) }
    await setPlans(ctx, id, plans)
    await note('account.plan', JSON.stringify(plans))
  }
  if (raise !== undefined) {
    await raiseLimit(ctx, id, raise)
    await note('account.raise', `${raise.figure} ${raise.to ?? 'none'}`)
  }
  if (suspended !== undefined) {
    await (suspended === null ? unsuspendAccount(ctx, id) : suspendAccount(ctx, id, suspended.reason))
    await note(suspended === null ? 'account.unsuspend' : 'account.suspend', suspended?.reason ?? null)
  }
  if (sendingPaused !== undefined) {
    await (sendingPaused === null
      ? resumeSending(ctx, id, 'resumed by an administrator')
      : pauseSending(ctx, id, sendingPaused.reason))
    await note(sendingPaused === null ? 'account.resume' : 'account.pause', sendingPaused?.reason ?? null)
  }
  return getAccount(ctx, id)
}
