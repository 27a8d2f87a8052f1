import { createDomain as create, deleteDomain as remove } from '../core/domains/claims.ts'
import {
  getDomain as get,
  listDomains as list,
  nameOf,
  requireAccountKey,
  setDefaultName,
} from '../core/domains/domain-list.ts'
import { domainRecord } from '../core/domains/domain-record.ts'
import { verifyDomain as verify } from '../core/domains/verification.ts'
import { Domain, DomainName } from '../schemas/domains.ts'
import { Deleted, line, page, pageSizeDefault, paging } from '../schemas/fields.ts'
import { described, nullable, object } from '../schemas/infer.ts'
import { operation } from './registry.ts'

/** The same limit as for the display name of a mailbox. */
const displayNameMax = 200

export const listDomains = operation({
  name: 'domains.list',
  summary:
    'The domains of the account, including its free one, with the DNS records to publish, newest first. Account keys only.',
  scope: 'domains:read',
  http: 'GET /api/v1/domains',
  tools: [
    {
      name: 'list_domains',
      description:
        'The domains of the account: which are verified, which DNS records to publish, and what is wrong with them.',
      effect: 'read',
      expose: ['limit', 'before'],
      preset: { limit: 10 },
      sizedBy: 'limit',
    },
  ],
  input: object(paging),
  output: page('domains', Domain),
  errors: [],
  async handle({ ctx, principal }, { limit = pageSizeDefault, before }) {
    const { items, next } = await list(ctx, principal, { limit, before })
    return { domains: items.map((doc) => domainRecord(ctx, doc)), next }
  },
})

export const createDomain = operation({
  name: 'domains.create',
  summary:
    'Add your own domain. The answer lists every DNS record to publish; verify the domain after that. Account keys only.',
  scope: 'domains:write',
  http: 'POST /api/v1/domains',
  status: 201,
  tools: [
    {
      name: 'create_domain',
      description:
        'Add a domain that the user owns. Returns the DNS records to publish; once they are published, use verify_domain.',
      effect: 'create',
      expose: ['domain'],
    },
  ],
  input: object({ domain: DomainName }),
  output: Domain,
  errors: ['plan_required', 'conflict'],
  idempotent: true,
  async handle({ ctx, principal }, { domain }) {
    requireAccountKey(principal)
    return domainRecord(ctx, await create(ctx, { domain, accountId: principal.accountId, verified: false }))
  },
})

export const getDomain = operation({
  name: 'domains.get',
  summary: 'One domain, with the DNS records to publish and what the last check found. Account keys only.',
  scope: 'domains:read',
  http: 'GET /api/v1/domains/{domain}',
  input: object({ domain: DomainName }),
  output: Domain,
  errors: ['domain_not_found'],
  async handle({ ctx, principal }, { domain }) {
    return domainRecord(ctx, await get(ctx, principal, domain))
  },
})

export const verifyDomain = operation({
  name: 'domains.verify',
  summary:
    'Check the DNS now: for each record the answer says what was found and what to change. The domain belongs to the first account whose records are all published. Account keys only.',
  scope: 'domains:write',
  http: 'POST /api/v1/domains/{domain}/verify',
  tools: [
    {
      name: 'verify_domain',
      description: 'Check the DNS of a domain now. For each record the answer says what was found and what to change.',
      effect: 'write',
      expose: ['domain'],
    },
  ],
  input: object({ domain: DomainName }),
  output: Domain,
  errors: ['domain_not_found', 'conflict'],
  async handle({ ctx, principal }, { domain }) {
    const found = nameOf(await get(ctx, principal, domain))
    return domainRecord(ctx, await verify(ctx, { accountId: principal.accountId, domain: found }))
  },
})

export const updateDomain = operation({
  name: 'domains.update',
  summary: 'Set the display name of mailboxes on a domain that have none of their own. Account keys only.',
  scope: 'domains:write',
  http: 'PATCH /api/v1/domains/{domain}',
  input: object({
    domain: DomainName,
    defaultDisplayName: described('null removes it.', nullable(line(displayNameMax, 'Example Ltd'))),
  }),
  output: Domain,
  errors: ['domain_not_found', 'conflict'],
  async handle({ ctx, principal }, { domain, defaultDisplayName }) {
    return domainRecord(ctx, await setDefaultName(ctx, principal, { name: domain, defaultDisplayName }))
  },
})

export const deleteDomain = operation({
  name: 'domains.delete',
  summary:
    'Remove a domain from the account, with its keys and DNS records. Delete its mailboxes and aliases first. Account keys only.',
  scope: 'domains:write',
  http: 'DELETE /api/v1/domains/{domain}',
  input: object({ domain: DomainName }),
  output: Deleted,
  errors: ['domain_not_found', 'conflict'],
  async handle({ ctx, principal }, { domain }) {
    await remove(ctx, principal, nameOf(await get(ctx, principal, domain)))
    return { deleted: true }
  },
})
