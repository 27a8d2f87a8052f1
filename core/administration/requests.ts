/** The requests of accounts to the administrators, and the answers. */
import type { requestStates } from '../../schemas/requests.ts'
import { listRequestsIn } from '../../store/account-requests.ts'
import { findAccounts } from '../../store/accounts.ts'
import { findPeople } from '../../store/people.ts'
import { type AccountRequest, answerRequest as answer, requestOf } from '../people/requests.ts'
import type { Context } from '../process/context.ts'

/** Requests in one list of the administrators. */
const listMax = 200

/** A request, with the account and person that made it. `email` is null when the person does not exist any more. */
export type RequestOfAccount = AccountRequest & {
  readonly account: { readonly id: string; readonly name: string }
  readonly email: string | null
}

/** The requests of all accounts in a state: open ones oldest first, answered ones newest first. */
export async function listRequests(
  ctx: Context,
  status: (typeof requestStates)[number],
): Promise<readonly RequestOfAccount[]> {
  const docs = await listRequestsIn(ctx.store, status, { limit: listMax, isNewestFirst: status !== 'open' })
  return withAskers(ctx, docs.map(requestOf))
}

/** Answers a request, once, as an administrator who is signed in. Fails as `answerRequest` of the people does. */
export async function answerRequest(
  ctx: Context,
  given: Parameters<typeof answer>[1] & { readonly answeredBy: string },
): Promise<RequestOfAccount> {
  const [shown] = await withAskers(ctx, [await answer(ctx, given)])
  return shown!
}

async function withAskers(ctx: Context, requests: readonly AccountRequest[]): Promise<readonly RequestOfAccount[]> {
  const [accounts, people] = await Promise.all([
    findAccounts(ctx.store, [...new Set(requests.map(({ accountId }) => accountId))]),
    findPeople(ctx.store, [...new Set(requests.map(({ personId }) => personId))]),
  ])
  const nameOf = new Map(accounts.map(({ _id, name }) => [_id, name]))
  const emailOf = new Map(people.map(({ _id, email }) => [_id, email]))
  return requests.map((request) => ({
    ...request,
    account: { id: request.accountId, name: nameOf.get(request.accountId) ?? '' },
    email: emailOf.get(request.personId) ?? null,
  }))
}
