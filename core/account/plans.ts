/** What an administrator decides of an account's plans; it holds for the next request, in every process. */
import type { AgentsPlanName, Figure, MailPlanName } from '../../schemas/plans.ts'
import { changePlans, raiseFigure } from '../../store/accounts.ts'
import type { AccountDoc } from '../../store/documents/accounts.ts'
import { type Account, accountOf, noAccount } from '../access/account-record.ts'
import { callersChanged } from '../access/known-callers.ts'
import type { Context } from '../process/context.ts'
import { changeCustomer } from './customer-changes.ts'

export type PlanChange = { readonly plan?: MailPlanName | null; readonly agentsPlan?: AgentsPlanName | null }

/**
 * Changes the plans that are given; null: none of that kind. What the account has beyond a smaller plan stays, it may only
 * have no more of it. Of a customer the partner is told; `require` refuses the plans that it would have then by what it throws.
 * Fails with `not_found`.
 */
export async function setPlans(
  ctx: Context,
  accountId: string,
  plans: PlanChange,
  require: (plans: Pick<AccountDoc, 'plan' | 'agentsPlan'>) => void = () => undefined,
): Promise<Account> {
  const customer = await changeCustomer(ctx, accountId, {
    type: 'customer.plan_changed',
    change(doc) {
      const { plan = doc.plan, agentsPlan = doc.agentsPlan } = plans
      require({ plan, agentsPlan })
      // Both, so that two changes at once do not each find what the other takes away.
      return plan === doc.plan && agentsPlan === doc.agentsPlan ? null : { plan, agentsPlan }
    },
  })
  if (customer !== null) return accountOf(customer.doc)
  return changed(ctx, accountId, await changePlans(ctx.store, accountId, plans))
}

/**
 * Raises a figure of an account above that of its plans, whichever they are; null: to the plans' again. Fails with
 * `not_found`.
 */
export async function raiseLimit(
  ctx: Context,
  accountId: string,
  { figure, to }: { readonly figure: Figure; readonly to: number | null },
): Promise<Account> {
  return changed(ctx, accountId, await raiseFigure(ctx.store, accountId, { figure, to }))
}

async function changed(ctx: Context, accountId: string, doc: AccountDoc | null): Promise<Account> {
  if (doc === null) throw noAccount(accountId)
  await callersChanged(ctx, { accountIds: [accountId] })
  return accountOf(doc)
}
