/**
 * Changes of customers of which their partners are notified, whether the partner or an administrator makes them. The update that makes
 * a change also notes it, with its event, in the customer's account, so that a crash loses none; the events are recorded in the order of
 * the notes.
 */
import type { EventType } from '../../schemas/events.ts'
import { Failure } from '../../schemas/failures.ts'
import { newId } from '../../schemas/ids.ts'
import { type Customer, customerIdOf } from '../../schemas/partners.ts'
import { findAccount } from '../../store/accounts.ts'
import type { AccountDoc, CustomerChange } from '../../store/documents/accounts.ts'
import type { NewEvent } from '../../store/events.ts'
import * as store from '../../store/partners.ts'
import { accountOf } from '../access/account-record.ts'
import { callersChanged } from '../access/known-callers.ts'
import { recordEvents } from '../notify/events.ts'
import type { Context } from '../process/context.ts'

/** Tries of a change while others change the same customer. */
const triesMax = 10
/** Customers whose changes one run of the sweep handles. */
const changesMax = 500

/** A customer as its partner sees it. */
export function customerOf(doc: AccountDoc): Customer {
  const { id, name, status, plan, agentsPlan, sandbox, createdAt, owner } = accountOf(doc)
  return {
    id: customerIdOf(id),
    name,
    email: owner,
    plan,
    agentsPlan,
    status: status === 'unclaimed' ? 'active' : status,
    sandbox,
    createdAt: createdAt.toISOString(),
  }
}

/** The note of a change after which a customer is as `doc` says. */
export function noteOf(ctx: Context, type: CustomerChange['type'], doc: AccountDoc): CustomerChange {
  const at = ctx.machineClock.now()
  return { eventId: newId('evt', at), type, at, data: customerOf(doc) }
}

/**
 * Changes a customer and notifies its partner. `change` returns the fields to change in the current document; null: none. Returns the
 * customer, and whether it was changed; null when the account is no customer or was removed. Fails with `conflict`.
 */
export async function changeCustomer(
  ctx: Context,
  accountId: string,
  { type, change }: { type: CustomerChange['type']; change(doc: AccountDoc): store.CustomerFields | null },
): Promise<{ readonly doc: AccountDoc; readonly isChanged: boolean } | null> {
  for (let tries = 0; tries < triesMax; tries++) {
    const doc = await findAccount(ctx.store, accountId)
    if (doc?.partnerId === undefined || doc.status === 'removed') return null
    const wanted = change(doc)
    if (wanted === null) return { doc, isChanged: false }
    const from = Object.fromEntries(
      Object.keys(wanted).map((field) => [field, doc[field as keyof store.CustomerFields] ?? null]),
    )
    const note = noteOf(ctx, type, { ...doc, ...wanted })
    const changed = await store.changeCustomer(ctx.store, accountId, { from, change: wanted, note })
    if (changed === null) continue
    await callersChanged(ctx, { accountIds: [accountId] })
    await recordCustomerEvents(ctx, changed)
    return { doc: changed, isChanged: true }
  }
  throw new Failure('conflict', 'Other requests are changing this customer at the same time.', {
    fix: 'Try again in a moment.',
  })
}

/** Records the events of the changes noted in a customer's account, in their order. Safe to repeat. */
export async function recordCustomerEvents(
  ctx: Context,
  { _id, partnerId, customerChanges = [] }: AccountDoc,
): Promise<void> {
  if (partnerId === undefined || customerChanges.length === 0) return
  const customerId = customerIdOf(_id)
  const events = customerChanges.map(({ eventId, type, at, data }): NewEvent => {
    const ofEvent = { type: type satisfies EventType, createdAt: at, data, customerId }
    const about = { mailbox: null, mailboxId: null, domain: null }
    return { _id: eventId, accountId: partnerId, ...ofEvent, ...about, ...(data.sandbox === true && { sandbox: true }) }
  })
  await recordEvents(ctx, events)
  await store.forgetCustomerChanges(ctx.store, _id, customerChanges)
}

/** Records the events that a crash prevented. Returns the number of customers with such changes. */
export async function sweepCustomerChanges(ctx: Context): Promise<number> {
  const changed = await store.findCustomerChanges(ctx.store, changesMax)
  for (const customer of changed) await recordCustomerEvents(ctx, customer)
  return changed.length
}
