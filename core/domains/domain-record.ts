/** A domain as callers see it (decisions.md 2, Domains): its state, and what was found in the DNS for each record to publish. */
import type { Domain, DomainDnsRecord } from '../../schemas/domains.ts'
import type { DomainClaimDoc, DomainDoc } from '../../store/documents/domains.ts'
import type { Context } from '../process/context.ts'
import { criticalIn } from '../zones/mail-critical.ts'
import { type Published, presented, recordsToPublish } from './records-to-publish.ts'

/** The representation of a domain or of a claim. */
export function domainRecord(ctx: Context, doc: DomainDoc | DomainClaimDoc): Domain {
  const isClaim = 'domain' in doc
  const shared = !isClaim && doc.parent !== null
  const { watch, createdAt, defaultDisplayName, backend } = doc
  return {
    domain: isClaim ? doc.domain : doc._id,
    status: isClaim || doc.status === 'removed' ? 'pending' : doc.status,
    verifiedAt: isClaim ? null : (doc.verifiedAt?.toISOString() ?? null),
    records: shared ? [] : dnsRecords(ctx, doc),
    defaultDisplayName,
    shared,
    createdAt: createdAt.toISOString(),
    checkedAt: watch?.lookedAt?.toISOString() ?? null,
    dns: shared ? 'built-in' : (backend?.kind ?? 'built-in'),
    ...(!isClaim && doc.expiresAt !== undefined && { expiresAt: doc.expiresAt.toISOString() }),
  }
}

/** The fields of a domain that determine its records. */
export function publishedOf(doc: DomainDoc | DomainClaimDoc): Published {
  const { dkim, token = null } = doc
  if ('domain' in doc) return { domain: doc.domain, dkim, token }
  return { domain: doc._id, dkim, token, ...(doc.stsMode !== undefined && { stsMode: doc.stsMode }) }
}

/** The records to publish for a domain, each with what was last found; only those of one purpose if that is given. */
export function dnsRecords(ctx: Context, doc: DomainDoc | DomainClaimDoc, only?: string): readonly DomainDnsRecord[] {
  const published = publishedOf(doc)
  const { domain } = published
  const records = recordsToPublish(ctx, published)
  const inZone = records.map(({ name, ...rest }) => ({
    ...rest,
    name: name === domain ? '@' : name.slice(0, -domain.length - 1),
  }))
  const why = criticalIn({ origin: domain, records: inZone })
  return records.flatMap((record, n): readonly DomainDnsRecord[] => {
    const { purpose, type, name, required } = record
    if (only !== undefined && purpose !== only) return []
    const { found = [], ok = false, fix = null } = doc.watch?.looks.find((look) => look.purpose === purpose) ?? {}
    return [{ type, name, value: presented(record), found, ok, mailCritical: why(inZone[n]!) !== null, required, fix }]
  })
}
