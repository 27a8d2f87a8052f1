import {
  createRecord as create,
  type DnsRecord as Found,
  listRecords as list,
  type RecordChange,
  reachZone,
  deleteRecord as remove,
  updateRecord as update,
} from '../core/zones/records.ts'
import {
  DnsRecord,
  DomainName,
  RecordId,
  RecordName,
  RecordPriority,
  RecordTtl,
  RecordValue,
  recordTypes,
} from '../schemas/domains.ts'
import { Deleted, page, pageSizeDefault, paging } from '../schemas/fields.ts'
import { boolean, object, oneOf, optional } from '../schemas/infer.ts'
import { type Call, operation } from './registry.ts'

/** Short descriptions of the arguments for a model. */
const describe = {
  domain: 'The domain.',
  type: 'Record type.',
  name: 'Such as www; @ is the domain itself.',
  value: 'As in a zone file; MX: 10 mx.example.net.',
  ttl: 'Seconds.',
  force: 'Even if mail may break.',
}

const Force = boolean({ description: 'Make the change even if mail of the domain may be affected or stop.' })

export const listDnsRecords = operation({
  name: 'dns.list',
  summary: 'The DNS records of a domain, newest first.',
  scope: 'dns:read',
  http: 'GET /api/v1/domains/{domain}/dns',
  tools: [
    {
      name: 'list_dns_records',
      description: 'The DNS records of a domain. Mail depends on mailCritical ones.',
      effect: 'read',
      expose: ['domain', 'before'],
      describe,
      preset: { limit: 50 },
      sizedBy: 'limit',
    },
  ],
  input: object({ domain: DomainName, ...paging }),
  output: page('records', DnsRecord),
  errors: ['domain_not_found', 'conflict'],
  async handle({ ctx, principal }, { domain, limit = pageSizeDefault, before }) {
    const { items, next } = await list(ctx, principal, { domain, limit, before })
    return { records: items.map(dnsRecord), next }
  },
})

export const createDnsRecord = operation({
  name: 'dns.create',
  summary: 'Add a DNS record. One that would interfere with mail needs force.',
  scope: 'dns:write',
  http: 'POST /api/v1/domains/{domain}/dns',
  status: 201,
  tools: [
    {
      name: 'create_dns_record',
      description: 'Add a DNS record to a domain.',
      effect: 'create',
      expose: ['domain', 'type', 'name', 'value', 'force'],
      describe,
      shows: ['id'],
    },
  ],
  input: object({
    domain: DomainName,
    type: oneOf(recordTypes, { description: 'Type of the record.' }),
    name: RecordName,
    value: RecordValue,
    ttl: optional(RecordTtl),
    priority: optional(RecordPriority),
    force: optional(Force),
  }),
  output: DnsRecord,
  errors: ['domain_not_found', 'conflict'],
  idempotent: true,
  reach: async ({ ctx, principal }, { domain }) => void (await reachZone(ctx, principal, domain)),
  async handle(call, { ttl, ...given }) {
    const change = await create(call.ctx, call.principal, { ...given, ttlSeconds: ttl })
    auditChange(call, change)
    return dnsRecord(change.after!)
  },
})

export const updateDnsRecord = operation({
  name: 'dns.update',
  summary: 'Change a DNS record. One that mail depends on needs force.',
  scope: 'dns:write',
  http: 'PATCH /api/v1/domains/{domain}/dns/{record_id}',
  tools: [
    {
      name: 'update_dns_record',
      description: 'Change a DNS record. A mailCritical one needs force: ask the user before.',
      effect: 'write',
      expose: ['domain', 'record_id', 'value', 'ttl', 'force'],
      describe,
      shows: ['id'],
    },
  ],
  input: object({
    domain: DomainName,
    record_id: RecordId,
    name: optional(RecordName),
    value: optional(RecordValue),
    ttl: optional(RecordTtl),
    priority: optional(RecordPriority),
    force: optional(Force),
  }),
  output: DnsRecord,
  errors: ['domain_not_found', 'not_found', 'conflict'],
  async handle(call, { record_id: id, ttl, ...edit }) {
    const change = await update(call.ctx, call.principal, { ...edit, id, ttlSeconds: ttl })
    auditChange(call, change)
    return dnsRecord(change.after!)
  },
})

export const deleteDnsRecord = operation({
  name: 'dns.delete',
  summary: 'Delete a DNS record. One that mail depends on needs force=true.',
  scope: 'dns:write',
  http: 'DELETE /api/v1/domains/{domain}/dns/{record_id}',
  tools: [
    {
      name: 'delete_dns_record',
      description: 'Delete a DNS record. A mailCritical one needs force: ask the user first.',
      effect: 'delete',
      expose: ['domain', 'record_id', 'force'],
      describe,
    },
  ],
  input: object({ domain: DomainName, record_id: RecordId, force: optional(Force) }),
  output: Deleted,
  errors: ['domain_not_found', 'not_found', 'conflict'],
  async handle(call, { domain, record_id: id, force }) {
    auditChange(call, await remove(call.ctx, call.principal, { domain, id, force }))
    return { deleted: true }
  },
})

function dnsRecord({ ttlSeconds: ttl, ...rest }: Found): DnsRecord {
  return { ...rest, ttl }
}

/** Records the DNS record before and after the change in the audit. */
function auditChange({ trail }: Call, { before, after }: RecordChange): void {
  trail.change = { before: before && dnsRecord(before), after: after && dnsRecord(after) }
}
