/** Whether what the agents of an account send waits for the approval of a person; it holds for the next request, in every process. */
import type { ApprovalMode } from '../../schemas/approvals.ts'
import { changeApproval } from '../../store/accounts.ts'
import { type Account, accountOf, noAccount } from '../access/account-record.ts'
import { callersChanged } from '../access/known-callers.ts'
import type { Context } from '../process/context.ts'

/** Sets it. What waits already stays. Fails with `not_found`. */
export async function setApproval(ctx: Context, accountId: string, mode: ApprovalMode): Promise<Account> {
  const doc = await changeApproval(ctx.store, accountId, mode)
  if (doc === null) throw noAccount(accountId)
  await callersChanged(ctx, { accountIds: [accountId] })
  return accountOf(doc)
}
