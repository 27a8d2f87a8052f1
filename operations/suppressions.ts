import {
  addSuppression as add,
  type Suppression as Found,
  getSuppression as get,
  listSuppressions as list,
  removeSuppression as remove,
} from '../core/deliver/suppressions.ts'
import { Deleted, identifier, page, pageSizeDefault, paging } from '../schemas/fields.ts'
import { object } from '../schemas/infer.ts'
import { Suppression } from '../schemas/sending.ts'
import { operation } from './registry.ts'

const Email = identifier('The suppressed address.')

export const listSuppressions = operation({
  name: 'suppressions.list',
  summary:
    'Suppressed addresses, to which no mail is sent, newest first: they bounced, complained or were added. An agent key sees those that apply to its mail.',
  scope: 'mail:send',
  http: 'GET /api/v1/suppressions',
  input: object({ ...paging }),
  output: page('suppressions', Suppression),
  errors: [],
  async handle({ ctx, principal }, { limit = pageSizeDefault, before }) {
    const { items, next } = await list(ctx, principal, { limit, ...(before !== undefined && { before }) })
    return { suppressions: items.map(suppressionOf), next }
  },
})

export const getSuppression = operation({
  name: 'suppressions.get',
  summary: 'Whether and why an address is suppressed.',
  scope: 'mail:send',
  http: 'GET /api/v1/suppressions/{email}',
  input: object({ email: Email }),
  output: Suppression,
  errors: ['not_found'],
  handle: async ({ ctx, principal }, { email }) => suppressionOf(await get(ctx, principal, email)),
})

export const addSuppression = operation({
  name: 'suppressions.add',
  summary: 'Suppress an address: for the whole account, or with an agent key for its own mailboxes.',
  scope: 'mail:send',
  http: 'POST /api/v1/suppressions',
  status: 201,
  input: object({ email: Email }),
  output: Suppression,
  errors: [],
  idempotent: true,
  handle: async ({ ctx, principal }, { email }) => suppressionOf(await add(ctx, principal, email)),
})

export const removeSuppression = operation({
  name: 'suppressions.remove',
  summary: 'Remove an address from the suppressions. Account keys only.',
  scope: 'mail:send',
  http: 'DELETE /api/v1/suppressions/{email}',
  input: object({ email: Email }),
  output: Deleted,
  errors: ['not_found'],
  async handle({ ctx, principal }, { email }) {
    await remove(ctx, principal, email)
    return { deleted: true }
  },
})

function suppressionOf({ email, reason, detail, at, mailboxes }: Found): Suppression {
  return { email, reason, detail, mailboxes, createdAt: at.toISOString() }
}
