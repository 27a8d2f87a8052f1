/** The account of the service itself, from which it sends mail to people. */
import { newId } from '../../schemas/ids.ts'
import { findAccount, insertAccount } from '../../store/accounts.ts'
import { isDuplicate } from '../../store/open.ts'
import { claimState } from '../../store/records.ts'
import { type Account, accountOf, ownAccount } from '../access/account-record.ts'
import type { Context } from '../process/context.ts'

/** The service's own account; the first call makes it, once for all processes. */
export async function serviceAccount(ctx: Context): Promise<Account> {
  const at = ctx.clock.now()
  const accountId = await claimState(ctx.store, 'serviceAccount', newId('acc', at))
  const found = await findAccount(ctx.store, accountId)
  if (found !== null) return accountOf(found)
  const doc = ownAccount('service', { _id: accountId, createdAt: at })
  await insertAccount(ctx.store, doc).catch((error: unknown) => {
    if (!isDuplicate(error)) throw error
  })
  return accountOf(doc)
}
