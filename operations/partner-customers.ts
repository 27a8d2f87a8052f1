import { recordAudit } from '../core/access/audit.ts'
import { usageOf } from '../core/account/accounts.ts'
import { listCustomerKeys as heldKeys, issueCustomerKey, revokeCustomerKey } from '../core/partner/customer-keys.ts'
import {
  changePlans,
  createCustomer as create,
  customerAccount,
  customerMadeBy,
  getCustomer as get,
  listCustomers as list,
  pauseCustomer as pause,
  removeCustomer as remove,
  resumeCustomer as resume,
} from '../core/partner/customers.ts'
import { inTimeOf } from '../core/process/account-time.ts'
import { Usage } from '../schemas/accounts.ts'
import { Deleted, page, pageSizeDefault, paging, reasonLine } from '../schemas/fields.ts'
import { nullable, object, optional } from '../schemas/infer.ts'
import { Key, NewKey } from '../schemas/keys.ts'
import { accountIdOf, Customer, CustomerEmail, CustomerId, CustomerName, customerPlans } from '../schemas/partners.ts'
import { usageRecord } from './account.ts'
import { KeyId, keyPage, keyRecord, keyRequest, wantedKey } from './keys.ts'
import { type Call, operation } from './registry.ts'

const reachable = { id: CustomerId } as const

export const listCustomers = operation({
  name: 'partner_customers.list',
  summary: 'The customers of the partner, newest first. A test key lists test customers, and only those.',
  by: 'partner',
  scope: null,
  http: 'GET /api/partner/customers',
  input: object(paging),
  output: page('customers', Customer),
  errors: [],
  async handle({ ctx, principal }, { limit = pageSizeDefault, before }) {
    const { items, next } = await list(ctx, principal, { limit, ...(before !== undefined && { before }) })
    return { customers: items, next }
  },
})

export const createCustomer = operation({
  name: 'partner_customers.create',
  summary:
    'Create a customer: a separate account with a domain for free addresses; with a test key, a sandbox. Create a key for it next.',
  by: 'partner',
  scope: null,
  http: 'POST /api/partner/customers',
  status: 201,
  input: object({
    name: CustomerName,
    email: optional(nullable(CustomerEmail)),
    plan: optional(customerPlans.plan),
    agentsPlan: optional(customerPlans.agentsPlan),
  }),
  output: Customer,
  errors: ['conflict'],
  idempotent: true,
  customer: (_, onceId) => customerMadeBy(onceId),
  async handle(call, { name, email = null, plan = null, agentsPlan = plan === null ? 'free' : null }) {
    const customer = await create(call.ctx, call.principal, { name, email, plan, agentsPlan })
    await noteForCustomer(call, customer.id, 'partner_customers.create')
    return customer
  },
})

export const getCustomer = operation({
  name: 'partner_customers.get',
  summary: 'One customer.',
  by: 'partner',
  scope: null,
  http: 'GET /api/partner/customers/{id}',
  input: object(reachable),
  output: Customer,
  errors: ['not_found'],
  handle: ({ ctx, principal }, { id }) => get(ctx, principal, id),
})

export const updateCustomer = operation({
  name: 'partner_customers.update',
  summary:
    'Change the plans of a customer, effective at once. What exceeds a smaller plan stays, but the customer cannot add more of it.',
  by: 'partner',
  scope: null,
  http: 'PATCH /api/partner/customers/{id}',
  input: object({
    ...reachable,
    plan: optional(customerPlans.plan),
    agentsPlan: optional(customerPlans.agentsPlan),
  }),
  output: Customer,
  errors: ['not_found', 'conflict'],
  async handle(call, { id, ...plans }) {
    const customer = await changePlans(call.ctx, call.principal, id, plans)
    await noteForCustomer(call, id, 'partner_customers.update')
    return customer
  },
})

export const deleteCustomer = operation({
  name: 'partner_customers.delete',
  summary:
    'Erase a customer and everything in it permanently. Its keys, addresses and endpoints stop working at once; the rest is erased within minutes.',
  by: 'partner',
  scope: null,
  http: 'DELETE /api/partner/customers/{id}',
  input: object(reachable),
  output: Deleted,
  errors: ['not_found', 'conflict'],
  async handle({ ctx, principal }, { id }) {
    await remove(ctx, principal, id)
    return { deleted: true }
  },
})

export const pauseCustomer = operation({
  name: 'partner_customers.pause',
  summary:
    'Refuse everything a customer sends, through every door, until it is resumed. It can still receive and read mail.',
  by: 'partner',
  scope: null,
  http: 'POST /api/partner/customers/{id}/pause',
  input: object({
    ...reachable,
    reason: optional(reasonLine(500, { description: 'Kept for the operator of the service.' })),
  }),
  output: Customer,
  errors: ['not_found', 'conflict'],
  async handle(call, { id, reason = 'paused by the partner' }) {
    const customer = await pause(call.ctx, call.principal, id, reason)
    await noteForCustomer(call, id, 'partner_customers.pause')
    return customer
  },
})

export const resumeCustomer = operation({
  name: 'partner_customers.resume',
  summary: 'Let a customer that the partner paused send again.',
  by: 'partner',
  scope: null,
  http: 'POST /api/partner/customers/{id}/resume',
  input: object(reachable),
  output: Customer,
  errors: ['not_found', 'conflict'],
  async handle(call, { id }) {
    const customer = await resume(call.ctx, call.principal, id)
    await noteForCustomer(call, id, 'partner_customers.resume')
    return customer
  },
})

export const listCustomerKeys = operation({
  name: 'partner_customers.keys.list',
  summary: 'The keys of a customer that the partner holds, newest first, revoked ones for 90 days.',
  by: 'partner',
  scope: null,
  http: 'GET /api/partner/customers/{id}/keys',
  input: object({ ...reachable, ...paging }),
  output: page('keys', Key),
  errors: ['not_found'],
  async handle({ ctx, principal }, { id, ...wanted }) {
    return keyPage(await heldKeys(ctx, principal, id), wanted)
  },
})

export const createCustomerKey = operation({
  name: 'partner_customers.keys.create',
  summary:
    'Create a key for a customer, to call /api/v1 with. "apiKey" is shown in this answer only. Every request with the key is recorded in the customer\'s audit.',
  by: 'partner',
  scope: null,
  http: 'POST /api/partner/customers/{id}/keys',
  status: 201,
  input: object({ ...reachable, ...keyRequest }),
  output: NewKey,
  errors: ['not_found', 'conflict', 'mailbox_not_found'],
  idempotent: true,
  reach: async ({ ctx, principal }, { id }) => void (await get(ctx, principal, id)),
  customer: ({ id }) => id,
  async handle(call, { id, ...wanted }) {
    const { apiKey, key } = await issueCustomerKey(call.ctx, call.principal, id, wantedKey(wanted))
    await noteForCustomer(call, id, 'partner_customers.keys.create')
    return { ...keyRecord(key), apiKey }
  },
})

export const deleteCustomerKey = operation({
  name: 'partner_customers.keys.revoke',
  summary: 'Revoke at once a key of a customer that the partner holds.',
  by: 'partner',
  scope: null,
  http: 'DELETE /api/partner/customers/{id}/keys/{key_id}',
  input: object({ ...reachable, key_id: KeyId }),
  output: Deleted,
  errors: ['not_found'],
  async handle(call, { id, key_id: keyId }) {
    await revokeCustomerKey(call.ctx, call.principal, { id, keyId })
    await noteForCustomer(call, id, 'partner_customers.keys.revoke')
    return { deleted: true }
  },
})

export const getCustomerUsage = operation({
  name: 'partner_customers.usage',
  summary: 'What a customer used this month, and its limits.',
  by: 'partner',
  scope: null,
  http: 'GET /api/partner/customers/{id}/usage',
  input: object(reachable),
  output: Usage,
  errors: ['not_found'],
  async handle({ ctx, principal }, { id }) {
    const account = await customerAccount(ctx, principal, id)
    return usageRecord(await usageOf(inTimeOf(ctx, account.id), account))
  },
})

/** Writes the customer's audit entry: what a partner does to a customer is recorded for both, and `invoke` writes the partner's entry. */
async function noteForCustomer({ ctx, principal, peerAddress }: Call, id: string, action: string): Promise<void> {
  const entry = { keyId: principal.keyId, action, target: id, outcome: 'done', address: peerAddress }
  await recordAudit(ctx, { accountId: accountIdOf(id) ?? id, ...entry })
}
