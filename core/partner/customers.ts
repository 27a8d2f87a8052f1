/** The customers of a partner: each is an account of its own, which its partner makes, pauses, gives plans, and erases. */
import { normaliseAddress } from '../../mail/message/address.ts'
import { Failure } from '../../schemas/failures.ts'
import { deriveId, newId } from '../../schemas/ids.ts'
import { accountIdOf, type Customer, customerIdOf } from '../../schemas/partners.ts'
import type { AgentsPlanName, MailPlanName } from '../../schemas/plans.ts'
import { notAnAddress } from '../../schemas/refusals.ts'
import { findAccount, freeSlot, insertAccount, takeSlot } from '../../store/accounts.ts'
import type { AccountDoc } from '../../store/documents/accounts.ts'
import { listDomains } from '../../store/domains.ts'
import { isDuplicate } from '../../store/open.ts'
import * as store from '../../store/partners.ts'
import { type Account, accountOf } from '../access/account-record.ts'
import { type Page, pageOf, readIdCursor } from '../access/paging.ts'
import type { Principal } from '../access/principal.ts'
import { customerOf, noteOf, recordCustomerEvents } from '../account/customer-changes.ts'
import { labelOf, sandboxLabel, takeFreeName } from '../account/free-names.ts'
import { pauseAccount, resumeAccount } from '../account/holds.ts'
import { changeAccountPlans, type PlanChange } from '../account/plans.ts'
import { beginErasure } from '../personal/erase.ts'
import type { Context } from '../process/context.ts'

/** Customers of one partner, real and test ones together: a bound on what one key can create. */
const customersMax = 100_000

export type NewCustomer = {
  readonly name: string
  readonly email: string | null
  readonly plan: MailPlanName | null
  readonly agentsPlan: AgentsPlanName | null
}

/**
 * Makes a customer with a free domain, `<name>.<sharedDomain>`; with a test key, a sandbox from which no mail leaves the machine. Fails
 * with `validation_error` (e-mail address, no plan), `conflict` (too many customers), `unavailable` (no free name).
 */
export async function createCustomer(
  ctx: Context,
  principal: Principal,
  { name, email, plan, agentsPlan }: NewCustomer,
): Promise<Customer> {
  requirePlan({ plan, agentsPlan })
  const at = ctx.clock.now()
  const doc: AccountDoc = {
    // Derived from the request, so that a repeat after an unknown end finds the customer of the first try.
    _id: ctx.onceId === null ? newId('acc', at) : accountMadeBy(ctx.onceId),
    name,
    status: 'active',
    plan,
    agentsPlan,
    ...customersOf(principal),
    createdAt: at,
    owner: email === null ? null : addressOf(email),
    inboxes: 0,
    webhooks: 0,
    eventSeqFloor: 0,
    sendingPaused: null,
  }
  const made = await insert(ctx, { ...doc, customerChanges: [noteOf(ctx, 'customer.created', doc)] })
  await ensureDomain(ctx, made)
  await recordCustomerEvents(ctx, made)
  return customerOf(made)
}

const accountMadeBy = (onceId: string) => deriveId('acc', onceId, 'customer')

/** The id of the customer that a request with an Idempotency-Key makes (`Context.onceId`). */
export const customerMadeBy = (onceId: string): string => customerIdOf(accountMadeBy(onceId))

/** Lists the partner's customers, newest first. Fails with `validation_error` (cursor). */
export async function listCustomers(
  ctx: Context,
  principal: Principal,
  { limit, before }: { readonly limit: number; readonly before?: string },
): Promise<Page<Customer>> {
  const position = readIdCursor(before, 'acc')
  const rows = await store.listCustomers(ctx.store, { ...customersOf(principal), before: position, limit: limit + 1 })
  const { items, next } = pageOf(rows, limit)
  return { items: items.map(customerOf), next }
}

/** Reads a customer. Fails with `not_found`, also for a customer of another partner, or of the other kind of key (live or test). */
export async function getCustomer(ctx: Context, principal: Principal, id: string): Promise<Customer> {
  return customerOf(await reachCustomer(ctx, principal, id))
}

/** The account of a customer that the key reaches. Fails with `not_found`. */
export async function customerAccount(ctx: Context, principal: Principal, id: string): Promise<Account> {
  return accountOf(await reachCustomer(ctx, principal, id))
}

/** Changes a customer's plans; what it has beyond a smaller plan stays. Fails with `not_found`, `validation_error` (no plan). */
export async function changePlans(
  ctx: Context,
  principal: Principal,
  id: string,
  plans: PlanChange,
): Promise<Customer> {
  const { _id } = await reachCustomer(ctx, principal, id)
  await changeAccountPlans(ctx, _id, plans, requirePlan)
  return getCustomer(ctx, principal, id)
}

/** Pauses a customer: refuses its sends until it is resumed, while it still receives mail. Fails with `not_found`. */
export async function pauseCustomer(ctx: Context, principal: Principal, id: string, reason: string): Promise<Customer> {
  const { _id } = await reachCustomer(ctx, principal, id)
  await pauseAccount(ctx, _id, reason)
  return getCustomer(ctx, principal, id)
}

/** Lets a customer send again. Fails with `not_found`. */
export async function resumeCustomer(ctx: Context, principal: Principal, id: string): Promise<Customer> {
  const { _id } = await reachCustomer(ctx, principal, id)
  await resumeAccount(ctx, _id)
  return getCustomer(ctx, principal, id)
}

/**
 * Erases a customer: its keys, addresses and endpoints end at once, and all its data are erased within some minutes, also from the
 * events of its partner. Fails with `not_found`.
 */
export async function removeCustomer(ctx: Context, principal: Principal, id: string): Promise<void> {
  const { _id, name } = await reachCustomer(ctx, principal, id)
  await beginErasure(ctx, { id: _id, name }, name)
}

function customersOf({ accountId: partnerId, partnerMode }: Principal): store.CustomersOf {
  return { partnerId, sandbox: partnerMode === 'test' }
}

async function reachCustomer(ctx: Context, principal: Principal, id: string): Promise<AccountDoc> {
  const accountId = accountIdOf(id)
  const found =
    accountId === null ? null : await store.findCustomer(ctx.store, { ...customersOf(principal), accountId })
  if (found !== null) return found
  throw new Failure('not_found', `There is no customer ${id}.`, {
    fix: 'Use an id from the list of customers (cus_...); live keys and test keys have separate customers.',
  })
}

/** Inserts a customer, unless an earlier try of the request did. */
async function insert(ctx: Context, doc: AccountDoc): Promise<AccountDoc> {
  const { _id, partnerId = '' } = doc
  const earlier = ctx.mayRepeat ? await findAccount(ctx.store, _id) : null
  if (earlier !== null) return earlier
  if (!(await takeSlot(ctx.store, partnerId, 'customers', customersMax)))
    throw new Failure('conflict', `A partner has at most ${customersMax} customers.`, {
      fix: 'Delete customers that are not needed, or ask the operator of the service.',
    })
  try {
    await insertAccount(ctx.store, doc)
    return doc
  } catch (error) {
    await freeSlot(ctx.store, partnerId, 'customers')
    if (!isDuplicate(error)) throw error
    return (await findAccount(ctx.store, _id)) ?? doc
  }
}

/** Gives a customer its free domain, unless it has a domain. */
async function ensureDomain(ctx: Context, { _id: accountId, name, sandbox }: AccountDoc): Promise<void> {
  if ((await listDomains(ctx.store, accountId)).length > 0) return
  const { sharedDomain } = ctx.settings
  const parent = sandbox ? `${sandboxLabel}.${sharedDomain}` : sharedDomain
  await takeFreeName(ctx, { accountId, label: labelOf(name, 'customer'), parent })
}

function requirePlan({ plan, agentsPlan }: Pick<AccountDoc, 'plan' | 'agentsPlan'>): void {
  if (plan === null && agentsPlan === null)
    throw new Failure('validation_error', 'A customer needs a plan.', {
      param: 'agentsPlan',
      fix: 'Name a mail plan in "plan", an Agents plan in "agentsPlan", or both.',
    })
}

function addressOf(email: string): string {
  const address = normaliseAddress(email)
  if (address === null) throw notAnAddress(email, 'email')
  return address
}
