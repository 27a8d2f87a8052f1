/** Whether the sends of an account's agents wait for the approval of a person. A change applies to the next request, in every process. */
import type { ApprovalMode } from '../../schemas/approvals.ts'
import { changeApproval } from '../../store/accounts.ts'
import { type Account, accountOf, noAccount } from '../access/account-record.ts'
import { callersChanged } from '../access/known-callers.ts'
import type { Context } from '../process/context.ts'

/** Sets the approval mode of an account. Sends that already wait keep waiting. Fails with `not_found`. */
export async function setApproval(ctx: Context, accountId: string, mode: ApprovalMode): Promise<Account> {
  const doc = await changeApproval(ctx.store, accountId, mode)
  if (doc === null) throw noAccount(accountId)
  await callersChanged(ctx, { accountIds: [accountId] })
  return accountOf(doc)
}
