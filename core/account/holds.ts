/**
 * What holds an account beside its sending reputation: its partner may pause it, and an administrator suspend it. Both end
 * as they began, and neither touches the other (schemas/account-states.ts says what each refuses).
 */
import { type HoldName, holdAccount, releaseAccount } from '../../store/accounts.ts'
import { callersChanged } from '../access/known-callers.ts'
import type { Context } from '../process/context.ts'

/** Refuses the account's keys, logins and sends, in every process at once. Returns false when it is suspended already. */
export const suspendAccount = (ctx: Context, accountId: string, reason: string): Promise<boolean> =>
  hold(ctx, accountId, 'suspended', reason)

/** Ends a suspension. Returns false when the account is not suspended. */
export const unsuspendAccount = (ctx: Context, accountId: string): Promise<boolean> =>
  release(ctx, accountId, 'suspended')

/** Refuses the account's sends, as its partner wants. Returns false when its partner paused it already. */
export const pauseAccount = (ctx: Context, accountId: string, reason: string): Promise<boolean> =>
  hold(ctx, accountId, 'paused', reason)

/** Ends a pause by the account's partner. Returns false when there is none. */
export const resumeAccount = (ctx: Context, accountId: string): Promise<boolean> => release(ctx, accountId, 'paused')

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
