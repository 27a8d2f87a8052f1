/**
 * What holds an account beside its sending reputation: its partner may pause it, and an administrator suspend it. Both end
 * as they began, and neither touches the other (schemas/account-states.ts says what each refuses).
 */
import { type HoldName, holdAccount, releaseAccount } from '../../store/accounts.ts'
import { callersChanged } from '../access/known-callers.ts'
import type { Context } from '../process/context.ts'
import { changeCustomer } from './customer-changes.ts'

/** Refuses the account's keys, logins and sends, in every process at once. Returns false when it is suspended already. */
export const suspendAccount = (ctx: Context, accountId: string, reason: string): Promise<boolean> =>
  hold(ctx, accountId, 'suspended', reason)

/** Ends a suspension. Returns false when the account is not suspended. */
export const unsuspendAccount = (ctx: Context, accountId: string): Promise<boolean> =>
  release(ctx, accountId, 'suspended')

/** Refuses the account's sends, as its partner wants, and tells the partner. Returns false when it is paused already. */
export async function pauseAccount(ctx: Context, accountId: string, reason: string): Promise<boolean> {
  const paused = await changeCustomer(ctx, accountId, {
    type: 'customer.paused',
    change: (doc) => (doc.paused == null ? { paused: { reason, at: ctx.clock.now() } } : null),
  })
  return paused?.isChanged ?? hold(ctx, accountId, 'paused', reason)
}

/** Ends a pause by the account's partner, and tells the partner. Returns false when there is none. */
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
