/** Domains and their DNS records as callers see them (decisions.md 2, Domains, DNS, aliases). */
import { identifier, identifierMax } from './fields.ts'
import { array, boolean, type Infer, integer, nullable, object, oneOf, optional, string, timestamp } from './infer.ts'

export const DomainName = string({
  minLength: 1,
  maxLength: identifierMax,
  description: 'The name of the domain, such as example.org.',
})
export const RecordId = identifier('Id of the DNS record (rec_...).')

export const domainStatuses = ['pending', 'verified', 'broken'] as const
export const recordTypes = ['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'SRV', 'CAA', 'NS'] as const
export const dnsBackends = ['built-in', 'dynamic-update', 'by-hand'] as const

export const DomainDnsRecord = object({
  type: string(),
  name: string({ description: 'The full name.' }),
  value: string({ description: 'The value to publish, in zone file format.' }),
  found: array(string(), { description: 'The values that the last check of the DNS found.' }),
  ok: boolean(),
  mailCritical: boolean({ description: 'Whether mail depends on the record.' }),
  required: optional(boolean({ description: 'Whether the domain cannot be verified without it.' })),
  fix: optional(nullable(string({ description: 'What to change; null if it is right or was not checked yet.' }))),
})
export type DomainDnsRecord = Infer<typeof DomainDnsRecord>

export const Domain = object({
  domain: string(),
  status: oneOf(domainStatuses, {
    description: 'A broken domain still sends and receives; a pending one does not yet.',
  }),
  verifiedAt: nullable(timestamp()),
  records: array(DomainDnsRecord, { description: 'What to publish in the DNS; none for a free domain.' }),
  defaultDisplayName: nullable(string()),
  shared: boolean({ description: 'Whether it is a free domain of the service, which nobody can change.' }),
  createdAt: optional(timestamp()),
  checkedAt: optional(nullable(timestamp({ description: 'When the DNS was last checked.' }))),
  dns: optional(
    oneOf(dnsBackends, {
      description: 'Who maintains the DNS records: this service, another server that it updates, or the owner by hand.',
    }),
  ),
  expiresAt: optional(timestamp({ description: 'When its registration ends, if that is known.' })),
})
export type Domain = Infer<typeof Domain>

/** Bounds of the time to live of a record, in seconds. */
const ttlMin = 60
export const ttlMax = 604_800
export const RecordTtl = integer({
  minimum: ttlMin,
  maximum: ttlMax,
  description: 'Seconds that resolvers may cache it.',
})
export const RecordName = string({
  maxLength: identifierMax,
  description: 'Name within the domain, or the full name: www, *.shop, _sip._tcp; @ is the domain itself.',
})
export const RecordValue = string({
  maxLength: 8_000,
  description:
    'MX: a host; SRV: weight, port and host; CAA: flags, tag and a text in quotes; TXT: the text, without quotes.',
})
export const RecordPriority = nullable(integer({ minimum: 0, maximum: 65_535, description: 'Only for MX and SRV.' }))

export const DnsRecord = object({
  id: string(),
  type: oneOf(recordTypes),
  name: string({ description: 'The full name.' }),
  value: string(),
  ttl: integer(),
  priority: nullable(integer({ description: 'Only for MX and SRV.' })),
  mailCritical: boolean({ description: 'Whether mail depends on it: changing or deleting it needs force.' }),
  managed: boolean({
    description: 'Whether the service keeps it up to date; it stops once somebody changes the record.',
  }),
})
export type DnsRecord = Infer<typeof DnsRecord>
