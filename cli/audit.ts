/** `mailroom audit`. */
import { verifyAudit } from '../core/access/audit.ts'
import { getAccount } from '../core/account/accounts.ts'
import { findAccount } from '../store/accounts.ts'
import { withContext } from './admin-context.ts'
import { print } from './io.ts'

/** Returns status 1 if the chain is broken. The chain of an account that was erased, or claimed into another one, is found by its id. */
export const verify = withContext(async (ctx, io, account: string) => {
  const accountId = (await findAccount(ctx.store, account))?._id ?? (await getAccount(ctx, account)).id
  const verdict = await verifyAudit(ctx, accountId)
  print(io, verdict)
  return verdict.broken === null ? 0 : 1
})
