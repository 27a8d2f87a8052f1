/** `mailroom account`. */
import { recordAdministration } from '../core/access/audit.ts'
import { administrator } from '../core/access/principal.ts'
import { createAccount, getAccount, walkAccounts } from '../core/account/accounts.ts'
import { setApproval } from '../core/account/approval.ts'
import { pauseAccount, resumeAccount, suspendAccount, unsuspendAccount } from '../core/account/holds.ts'
import { changeAccountPlans, raiseLimit } from '../core/account/plans.ts'
import { pauseSending, resumeSending, verifyPhone } from '../core/account/reputation.ts'
import { claimFor } from '../core/people/claim.ts'
import { invite } from '../core/people/invitations.ts'
import { approvalModes } from '../schemas/approvals.ts'
import { Failure } from '../schemas/failures.ts'
import { agentsPlanNames, figureNames, mailPlanNames } from '../schemas/plans.ts'
import { roleNames } from '../schemas/scopes.ts'
import { withContext } from './admin-context.ts'
import { figureOf, nameOf, oneOf, oneOfOrNone, personOf, reasonOf } from './arguments.ts'
import { print } from './io.ts'

type CreateOptions = { readonly owner?: string; readonly plan: string; readonly agentsPlan: string }

export const create = withContext(async (ctx, io, name: string, options: CreateOptions) => {
  const wanted = {
    name: nameOf(name),
    owner: options.owner === undefined ? null : personOf(options.owner),
    plan: oneOfOrNone(options.plan, mailPlanNames, '--plan'),
    agentsPlan: oneOfOrNone(options.agentsPlan, agentsPlanNames, '--agents-plan'),
  }
  print(io, await createAccount(ctx, wanted))
})

export const list = withContext(async (ctx, io) => {
  for await (const accounts of walkAccounts(ctx)) print(io, ...accounts)
})

export const claim = withContext(async (ctx, io, link: string, owner: string) => {
  const token = link.slice(link.lastIndexOf('/') + 1)
  const account = await claimFor(ctx, { token, owner: personOf(owner) })
  await recordAdministration(ctx, { accountId: account.id, action: 'account.claim', target: null })
  print(io, account)
})

type PauseOptions = { readonly partner: boolean }

export const pause = withContext(async (ctx, io, name: string, why: string, { partner }: PauseOptions) => {
  const reason = reasonOf(why)
  const { id } = await getAccount(ctx, name)
  const paused = await (partner ? pauseAccount : pauseSending)(ctx, id, reason)
  await recordAdministration(ctx, { accountId: id, action: 'account.pause', target: reason })
  print(io, { account: id, paused })
})

export const resume = withContext(async (ctx, io, name: string, { partner }: PauseOptions) => {
  const { id } = await getAccount(ctx, name)
  const resumed = await (partner ? resumeAccount(ctx, id) : resumeSending(ctx, id, 'resumed by an administrator'))
  await recordAdministration(ctx, { accountId: id, action: 'account.resume', target: null })
  print(io, { account: id, resumed })
})

export const suspend = withContext(async (ctx, io, name: string, why: string) => {
  const reason = reasonOf(why)
  const { id } = await getAccount(ctx, name)
  const suspended = await suspendAccount(ctx, id, reason)
  await recordAdministration(ctx, { accountId: id, action: 'account.suspend', target: reason })
  print(io, { account: id, suspended })
})

export const unsuspend = withContext(async (ctx, io, name: string) => {
  const { id } = await getAccount(ctx, name)
  const unsuspended = await unsuspendAccount(ctx, id)
  await recordAdministration(ctx, { accountId: id, action: 'account.unsuspend', target: null })
  print(io, { account: id, unsuspended })
})

export const changePlans = withContext(
  async (ctx, io, name: string, { plan, agentsPlan }: Partial<Pick<CreateOptions, 'plan' | 'agentsPlan'>>) => {
    if (plan === undefined && agentsPlan === undefined)
      throw new Failure('validation_error', 'No plan is named.', { fix: 'Add --plan, --agents-plan, or both.' })
    const plans = {
      ...(plan !== undefined && { plan: oneOfOrNone(plan, mailPlanNames, '--plan') }),
      ...(agentsPlan !== undefined && { agentsPlan: oneOfOrNone(agentsPlan, agentsPlanNames, '--agents-plan') }),
    }
    const { id } = await getAccount(ctx, name)
    const account = await changeAccountPlans(ctx, id, plans)
    await recordAdministration(ctx, { accountId: id, action: 'account.plan', target: JSON.stringify(plans) })
    print(io, account)
  },
)

export const raise = withContext(async (ctx, io, name: string, figure: string, to: string) => {
  const raised = { figure: oneOf(figure, figureNames, 'figure'), to: figureOf(to) }
  const { id } = await getAccount(ctx, name)
  const allowed = await raiseLimit(ctx, id, raised)
  await recordAdministration(ctx, { accountId: id, action: 'account.raise', target: `${figure} ${to}` })
  print(io, allowed)
})

export const inviteTo = withContext(
  async (ctx, io, name: string, email: string, { role }: { readonly role: string }) => {
    const account = await getAccount(ctx, name)
    const wanted = { email, role: oneOf(role, roleNames, '--role') }
    print(io, { account: account.id, ...(await invite(ctx, administrator(account), wanted)) })
  },
)

export const changeApproval = withContext(async (ctx, io, name: string, mode: string) => {
  const { id } = await getAccount(ctx, name)
  const account = await setApproval(ctx, id, oneOf(mode, approvalModes, 'mode'))
  await recordAdministration(ctx, { accountId: id, action: 'account.approval', target: mode })
  print(io, account)
})

export const notePhone = withContext(async (ctx, io, id: string) => {
  const account = await getAccount(ctx, id)
  const phoneVerified = await verifyPhone(ctx, account.id)
  await recordAdministration(ctx, { accountId: account.id, action: 'account.phone', target: null })
  print(io, { account: account.id, phoneVerified })
})
