/**
 * Holds on an account, other than those for its sending reputation: its partner may pause it, and an administrator may suspend it. Each
 * is ended by the side that began it, and neither affects the other (schemas/account-states.ts says what each refuses).
 */
import { type HoldName, holdAccount, releaseAccount } from '../../store/accounts.ts'
import { callersChanged } from '../access/known-callers.ts'
import type { Context } from '../process/context.ts'
import { changeCustomer } from './customer-changes.ts'

/** Suspends an account: refuses its keys, logins and sends, in every process at once. Returns false when it is already suspended. */
export const suspendAccount = (ctx: Context, accountId: string, reason: string): Promise<boolean> =>
  hold(ctx, accountId, 'suspended', reason)

/** Ends a suspension. Returns false when the account is not suspended. */
export const unsuspendAccount = (ctx: Context, accountId: string): Promise<boolean> =>
  release(ctx, accountId, 'suspended')

/** Pauses an account for its partner: refuses its sends, and notifies the partner. Returns false when it is already paused. */
export async function pauseAccount(ctx: Context, accountId: string, reason: string): Promise<boolean> {
  const paused = await changeCustomer(ctx, accountId, {
    type: 'customer.paused',
    change: (doc) => (doc.paused == null ? { paused: { reason, at: ctx.clock.now() } } : null),
  })
  return paused?.isChanged ?? hold(ctx, accountId, 'paused', reason)
}

/** Ends the pause of an account, and notifies the partner. Returns false when the account is not paused. */
export async function resumeAccount(ctx: Context, accountId: string): Promise<boolean> {
  const resumed = await changeCustomer(ctx, accountId, {
    type: 'customer.resumed',
    change: (doc) => (doc.paused == null ? null : { paused: null }),
  })
  return resumed?.isChanged ?? release(ctx, accountId, 'paused')
}

async function hold(ctx: Context, accountId: string, name: HoldName, reason: string): Promise<boolean> {
  if (!(await holdAccount(ctx.store, accountId, name, { reason, at: ctx.clock.now() }))) return false
  await callersChanged(ctx, { accountIds: [accountId] })
  return true
}

async function release(ctx: Context, accountId: string, name: HoldName): Promise<boolean> {
  if (!(await releaseAccount(ctx.store, accountId, name))) return false
  await callersChanged(ctx, { accountIds: [accountId] })
  return true
}
