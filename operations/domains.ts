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

/** As long as the name of a mailbox may be. */
const displayNameMax = 200

export const listDomains = operation({
  name: 'domains.list',
  summary:
    'The domains of the account with their DNS records to publish, newest first; the free one too. Account keys only.',
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
  summary: 'Add a domain of your own. The answer has every DNS record to publish; then verify it. Account keys only.',
  scope: 'domains:write',
  http: 'POST /api/v1/domains',
  status: 201,
  tools: [
    {
      name: 'create_domain',
      description:
        'Add a domain that the user owns. Answers the DNS records to publish; when they are there, verify_domain.',
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
  summary: 'One domain, with its DNS records to publish as they were found last. Account keys only.',
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
    'Ask the DNS now: of each record what was found, and in words what to change. The first account whose records are all there has the domain. Account keys only.',
  scope: 'domains:write',
  http: 'POST /api/v1/domains/{domain}/verify',
  tools: [
    {
      name: 'verify_domain',
      description: 'Look at the DNS of a domain now. Of each record the answer says what was found and what to change.',
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
  summary: 'Set the name that recipients see of mailboxes on a domain that have none. Account keys only.',
  scope: 'domains:write',
  http: 'PATCH /api/v1/domains/{domain}',
  input: object({
    domain: DomainName,
    defaultDisplayName: described('null: none.', nullable(line(displayNameMax, 'Example Ltd'))),
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
    'Take a domain off the account, with its keys and DNS records. One with mailboxes or aliases stays: delete those first. Account keys only.',
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
