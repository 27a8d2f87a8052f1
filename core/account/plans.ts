/** Changes to an account's plans and figures. They apply to the next request, in every process. */
import type { AgentsPlanName, Figure, MailPlanName } from '../../schemas/plans.ts'
import { changePlans, raiseFigure } from '../../store/accounts.ts'
import type { AccountDoc } from '../../store/documents/accounts.ts'
import { type Account, accountOf, noAccount } from '../access/account-record.ts'
import { callersChanged } from '../access/known-callers.ts'
import type { Context } from '../process/context.ts'
import { changeCustomer } from './customer-changes.ts'

export type PlanChange = { readonly plan?: MailPlanName | null; readonly agentsPlan?: AgentsPlanName | null }

/**
 * Changes the given plans; null: no plan of that kind. What an account has beyond a smaller plan stays, but it can get no more. The
 * partner of a customer is notified; for a customer, `require` may throw to refuse the resulting plans. Fails with `not_found`.
 */
export async function changeAccountPlans(
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
      // Both plans, so that of two concurrent changes that each take one away, one fails and is tried again.
      return plan === doc.plan && agentsPlan === doc.agentsPlan ? null : { plan, agentsPlan }
    },
  })
  if (customer !== null) return accountOf(customer.doc)
  return changed(ctx, accountId, await changePlans(ctx.store, accountId, plans))
}

/**
 * Raises a figure of an account above that of its plans, whichever they are; null: back to that of the plans. Fails with `not_found`.
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
