import { listRequests as list, makeRequest, type AccountRequest as Request } from '../core/people/requests.ts'
import { page, pageSizeDefault, paging } from '../schemas/fields.ts'
import { object } from '../schemas/infer.ts'
import { AccountRequest, newRequest } from '../schemas/requests.ts'
import { operation } from './registry.ts'

export const listRequests = operation({
  name: 'requests.list',
  summary: 'Requests of the account to the administrators, with their answers, newest first.',
  by: 'session',
  scope: null,
  http: 'GET /api/v1/account/requests',
  input: object(paging),
  output: page('requests', AccountRequest),
  errors: [],
  async handle({ ctx, principal }, { limit = pageSizeDefault, ...rest }) {
    const { items, next } = await list(ctx, principal, { limit, ...rest })
    return { requests: items.map(requestShown), next }
  },
})

export const createRequest = operation({
  name: 'requests.create',
  summary: 'Ask the administrator for a higher limit, or to confirm a phone number. The answer comes by mail.',
  by: 'session',
  scope: null,
  http: 'POST /api/v1/account/requests',
  status: 201,
  input: object(newRequest),
  output: AccountRequest,
  errors: ['conflict'],
  idempotent: true,
  handle: async ({ ctx, principal }, wanted) => requestShown(await makeRequest(ctx, principal, wanted)),
})

/** A request as callers see it. */
export const requestShown = ({
  accountId: _account,
  personId: _person,
  createdAt,
  answeredAt,
  ...request
}: Request) => ({
  ...request,
  createdAt: createdAt.toISOString(),
  answeredAt: answeredAt?.toISOString() ?? null,
})
