/**
 * The accounts of the service, as its administrators see and change them. The audit trail of the account records each change: the update
 * that makes a change also notes it in the account, so that a crash loses no entry.
 */
import { normaliseAddress } from '../../mail/message/address.ts'
import { Failure } from '../../schemas/failures.ts'
import { newId } from '../../schemas/ids.ts'
import type { AgentsPlanName, Figure, MailPlanName, Raised } from '../../schemas/plans.ts'
import {
  type AccountSearch,
  administerAccount,
  findAccount,
  findAdministered,
  forgetAdministered,
  searchAccounts,
} from '../../store/accounts.ts'
import type { AccountDoc, AdministeredChange, Hold, PauseChange } from '../../store/documents/accounts.ts'
import { findAddresses } from '../../store/mailboxes.ts'
import { findPersonByEmail } from '../../store/people.ts'
import { type Account, accountOf, noAccount } from '../access/account-record.ts'
import { recordAudit } from '../access/audit.ts'
import { callersChanged } from '../access/known-callers.ts'
import { type Page, pageOf, readIdCursor } from '../access/paging.ts'
import { getAccount } from '../account/accounts.ts'
import { noteOf, recordCustomerEvents } from '../account/customer-changes.ts'
import { forgivenAt, recordPauseEvents } from '../account/reputation.ts'
import { inTimeOf } from '../process/account-time.ts'
import type { Context } from '../process/context.ts'

/** Tries of a change while others change the same account. */
const triesMax = 10
/** Accounts whose changes one run of the sweep handles. */
const changesMax = 500

/**
 * Lists accounts, newest first: all of them, or those that match `q`, which is an id, the beginning of a name, or the address of a member
 * or a mailbox. Fails with `validation_error` (cursor).
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

/** The search for `q`; null when it can match nothing. */
async function searchOf({ store }: Context, q: string): Promise<AccountSearch | null> {
  if (!q.includes('@')) return q === '' ? {} : q.startsWith('acc_') ? { id: q } : { name: q }
  const address = normaliseAddress(q)
  if (address === null) return null
  const [person, [mailbox]] = await Promise.all([findPersonByEmail(store, address), findAddresses(store, [address])])
  if (mailbox !== undefined) return { id: mailbox.accountId }
  return person === null ? null : { personId: person._id }
}

/** A change of an account by an administrator. For the holds, a reason begins one, or replaces its reason, and null ends it. */
export type AccountChange = {
  readonly plan?: MailPlanName | null
  readonly agentsPlan?: AgentsPlanName | null
  readonly raise?: { readonly figure: Figure; readonly to: number | null }
  readonly suspended?: NewHold | null
  readonly sendingPaused?: NewHold | null
}

type NewHold = { readonly reason: string }

/**
 * Changes an account in one update, all or nothing. Fields that are left out stay. `personId` is the administrator. Fails with
 * `not_found`, `conflict`.
 */
export async function changeAccount(
  ctx: Context,
  { accountId, personId }: { accountId: string; personId: string },
  change: AccountChange,
): Promise<Account> {
  const { id } = await getAccount(ctx, accountId)
  for (let tries = 0; tries < triesMax; tries++) {
    const read = await findAccount(ctx.store, id)
    if (read === null || read.status === 'removed') throw noAccount(id)
    const { notes, ...update } = await updateOf(ctx, read, change)
    const { requestId } = ctx
    const at = inTimeOf(ctx, id).clock.now()
    const changes = notes.map(([action, target]) => ({
      auditId: newId('aud', at),
      at,
      personId,
      requestId,
      action,
      target,
    }))
    const doc = await administerAccount(ctx.store, read, { ...update, changes })
    if (doc === null) continue
    await callersChanged(ctx, { accountIds: [id] })
    await recordChanges(ctx, doc).catch((error: unknown) =>
      ctx.log.warn({ err: error, accountId: id }, 'a change of an account is not in the audit yet; it is tried again'),
    )
    await recordCustomerEvents(ctx, doc)
    if (update.pause !== undefined) await recordPauseEvents(ctx, id, [update.pause.change])
    return accountOf(doc)
  }
  throw new Failure('conflict', 'Other requests are changing this account at the same time.', {
    fix: 'Try again in a moment.',
  })
}

/** Records in the audit the changes that are noted in an account. Safe to repeat. */
async function recordChanges(
  ctx: Context,
  { _id: accountId, administered = [] }: Pick<AccountDoc, '_id' | 'administered'>,
): Promise<void> {
  const record = ({ auditId: id, personId: keyId, requestId, ...entry }: AdministeredChange) =>
    recordAudit({ ...ctx, requestId }, { ...entry, id, accountId, keyId, outcome: 'done', address: null })
  for (const change of administered) await record(change)
  await forgetAdministered(ctx.store, accountId, administered)
}

/** Records the changes that a crash kept out of the audit. Returns the number of accounts with such changes. */
export async function sweepAdministered(ctx: Context): Promise<number> {
  const changed = await findAdministered(ctx.store, changesMax)
  for (const account of changed) await recordChanges(ctx, account)
  return changed.length
}

/** The fields that a change sets in an account as it was read, and the audit entries that record it. */
async function updateOf(ctx: Context, read: AccountDoc, change: AccountChange) {
  const at = ctx.clock.now()
  const { plan = read.plan, agentsPlan = read.agentsPlan, raise, suspended, sendingPaused } = change
  const notes: [action: string, target: string | null][] = []
  if (change.plan !== undefined || change.agentsPlan !== undefined)
    notes.push(['account.plan', JSON.stringify({ plan: change.plan, agentsPlan: change.agentsPlan })])
  if (raise !== undefined) notes.push(['account.raise', `${raise.figure} ${raise.to ?? 'none'}`])
  const suspension = holdAfter(read.suspended ?? null, { asked: suspended, at })
  if (suspension !== undefined)
    notes.push([suspension === null ? 'account.unsuspend' : 'account.suspend', suspension?.reason ?? null])
  const pause = holdAfter(read.sendingPaused, { asked: sendingPaused, at })
  if (pause !== undefined) notes.push([pause === null ? 'account.resume' : 'account.pause', pause?.reason ?? null])
  const isReworded = pause != null && read.sendingPaused !== null
  const fields = {
    plan,
    agentsPlan,
    ...(raise !== undefined && { raised: raisedTo(read.raised, raise) }),
    ...(suspension !== undefined && { suspended: suspension }),
    ...(isReworded && { sendingPaused: pause }),
  }
  const notifiesPartner = read.partnerId !== undefined && (plan !== read.plan || agentsPlan !== read.agentsPlan)
  return {
    fields,
    notes,
    ...(pause !== undefined && !isReworded && { pause: await pauseOf(ctx, read._id, { hold: pause, at }) }),
    ...(notifiesPartner && { note: noteOf(ctx, 'customer.plan_changed', { ...read, ...fields }) }),
  }
}

/** The hold after what is asked for; undefined if it stays as it is. A hold that gets another reason keeps its time. */
function holdAfter(
  hold: Hold | null,
  { asked, at }: { readonly asked: NewHold | null | undefined; readonly at: Date },
): Hold | null | undefined {
  if (asked === undefined || asked?.reason === hold?.reason) return undefined
  return asked && { reason: asked.reason, at: hold?.at ?? at }
}

function raisedTo(raised: Raised = {}, { figure, to }: NonNullable<AccountChange['raise']>): Raised {
  const { [figure]: _, ...others } = raised
  return to === null ? others : { ...others, [figure]: to }
}

async function pauseOf(ctx: Context, accountId: string, { hold, at }: { hold: NewHold | null; at: Date }) {
  const change: PauseChange =
    hold === null ? { to: 'resumed', reason: 'resumed by an administrator', at } : { to: 'paused', ...hold, at }
  return { change, ...(hold === null && { forgiven: await forgivenAt(ctx, accountId, at) }) }
}
