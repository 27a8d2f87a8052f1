/** `mailroom audit`. */
import { verifyAudit } from '../core/access/audit.ts'
import { getAccount } from '../core/account/accounts.ts'
import { withContext } from './admin-context.ts'
import { print } from './io.ts'

/** Returns status 1 when the chain is broken. */
export const verify = withContext(async (ctx, io, account: string) => {
  const { id: accountId } = await getAccount(ctx, account)
  const verdict = await verifyAudit(ctx, accountId)
  print(io, verdict)
  return verdict.broken === null ? 0 : 1
})
