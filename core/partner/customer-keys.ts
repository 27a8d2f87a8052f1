/**
 * The keys of customers that their partner makes and holds. They act on the customer's account as any key of it does. Every request with
 * such a key is in the customer's audit trail, and with a key that may read mail the partner receives the events of messages.
 */
import { Failure } from '../../schemas/failures.ts'
import { listKeys, revokeKey } from '../access/keys.ts'
import { callersChanged } from '../access/known-callers.ts'
import { liveKeyPrefix, type Principal, testKeyPrefix } from '../access/principal.ts'
import { describeKeys, issueKey, type KeyRequest, type ListedKey } from '../account/keys.ts'
import { forgetPartnerKeys } from '../notify/partner-events.ts'
import { inTimeOf } from '../process/account-time.ts'
import type { Context } from '../process/context.ts'
import { customerAccount } from './customers.ts'

/**
 * Makes a key for a customer. Returns it in clear text, which is never shown again. Fails with `not_found`, and as `issueKey` does.
 */
export async function issueCustomerKey(
  ctx: Context,
  principal: Principal,
  id: string,
  request: Omit<KeyRequest, 'prefix' | 'heldBy'>,
): Promise<{ readonly apiKey: string; readonly key: ListedKey }> {
  const account = await customerAccount(ctx, principal, id)
  const prefix = account.sandbox ? testKeyPrefix : liveKeyPrefix
  const made = await issueKey(inTimeOf(ctx, account.id), account, { ...request, prefix, heldBy: 'partner' })
  await keysChanged(ctx, account.id)
  return made
}

/** The keys of a customer that the partner holds, newest first, with those revoked in the last 90 days. Fails with `not_found`. */
export async function listCustomerKeys(ctx: Context, principal: Principal, id: string): Promise<readonly ListedKey[]> {
  const { id: accountId } = await customerAccount(ctx, principal, id)
  return (await describeKeys(ctx, accountId)).filter(({ heldBy }) => heldBy === 'partner').toReversed()
}

/** Revokes a key of a customer that the partner holds, at once. Fails with `not_found`. */
export async function revokeCustomerKey(
  ctx: Context,
  principal: Principal,
  { id, keyId }: { readonly id: string; readonly keyId: string },
): Promise<void> {
  const { id: accountId } = await customerAccount(ctx, principal, id)
  const isHeld = (await listKeys(ctx, accountId)).some((key) => key.id === keyId && key.heldBy === 'partner')
  if (!isHeld)
    throw new Failure('not_found', `There is no key ${keyId} of this customer that you hold.`, {
      fix: 'Use an id from the list of its keys (key_...).',
    })
  await revokeKey(ctx, { accountId, keyId })
  await keysChanged(ctx, accountId)
}

/** Forgets the known keys of a customer, in this process at once and in the others by a change note. */
async function keysChanged(ctx: Context, accountId: string): Promise<void> {
  forgetPartnerKeys(ctx, accountId)
  await callersChanged(ctx, { accountIds: [accountId] })
}
