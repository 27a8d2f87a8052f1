/** The DNS records that a domain needs so that its mail arrives here and is trusted elsewhere. */
import type { DkimKey, DomainDoc, ZoneRecordDoc } from '../../store/documents/domains.ts'
import { mxPriority, spfRecordOf } from '../deliverability/own-addresses.ts'
import { dmarcRecordOf, tlsReportRecordOf } from '../deliverability/report-address.ts'
import { stsLabel, stsPolicyOf, stsRecordOf } from '../mailbox/sts-policy.ts'
import type { Context } from '../process/context.ts'
import { ownershipLabel } from '../zones/mail-critical.ts'

/** A record to publish. */
export type RecordToPublish = Pick<ZoneRecordDoc, 'value' | 'priority'> & {
  readonly type: 'CNAME' | 'MX' | 'SRV' | 'TXT'
  /** The purpose of the record: `mx`, `dkim <selector>`, ...; unique within a domain. */
  readonly purpose: string
  /** Absolute name. */
  readonly name: string
  /** Whether the domain cannot be verified without it, and is broken if it disappears. */
  readonly required: boolean
}

/** The fields of a domain that determine its records. */
export type Published = Pick<DomainDoc, 'stsMode'> & {
  readonly domain: string
  readonly dkim: readonly Pick<DkimKey, 'selector' | 'publicRecord' | 'use'>[]
  /** Proves who owns the domain; null if no proof is needed. */
  readonly token: string | null
}

const ownershipTag = 'mailroom-verification='

/**
 * The records of a domain, in the order in which they should be published. For the shared domain, wildcards give every name below it
 * the records for mail, so that a signup needs no records of its own.
 */
export function recordsToPublish(ctx: Context, published: Published): readonly RecordToPublish[] {
  const { hostname } = ctx
  const { domain, dkim, token } = published
  const at = (label: string) => `${label}.${domain}`
  const text = (purpose: string, name: string, value: string, required = true): RecordToPublish => ({
    purpose,
    type: 'TXT',
    name,
    value,
    priority: null,
    required,
  })
  const alias = (purpose: string, label: string): RecordToPublish => ({
    purpose,
    type: 'CNAME',
    name: at(label),
    value: hostname,
    priority: null,
    required: false,
  })
  const service = (label: string, port: number): RecordToPublish => ({
    purpose: label,
    type: 'SRV',
    name: at(`${label}._tcp`),
    value: `1 ${port} ${hostname}`,
    priority: 0,
    required: false,
  })
  const mx: RecordToPublish = {
    purpose: 'mx',
    type: 'MX',
    name: domain,
    value: hostname,
    priority: mxPriority,
    required: true,
  }
  const senders = spfRecordOf(ctx)
  const policy = dmarcRecordOf(ctx, domain)
  return [
    ...(token === null ? [] : [text('ownership', at(ownershipLabel), `${ownershipTag}${token}`)]),
    mx,
    text('spf', domain, senders),
    ...dkim.map(({ selector, publicRecord, use }) =>
      text(`dkim ${selector}`, at(`${selector}._domainkey`), publicRecord, use === undefined),
    ),
    text('dmarc', at('_dmarc'), policy),
    text('mta-sts', at('_mta-sts'), stsRecordOf(stsPolicyOf(ctx, published)), false),
    alias('policy host', stsLabel),
    text('tls-rpt', at('_smtp._tls'), tlsReportRecordOf(ctx, domain), false),
    alias('autoconfig', 'autoconfig'),
    alias('autodiscover', 'autodiscover'),
    ...mailServices(ctx).map(([label, port]) => service(label, port)),
    ...(domain === ctx.settings.sharedDomain
      ? [
          { ...mx, purpose: 'mx below', name: at('*') },
          text('spf below', at('*'), senders),
          text('dmarc below', at('*'), policy),
        ]
      : []),
  ]
}

/** The services that mail programs look for (RFC 6186, RFC 8314 5.1), with their ports. */
function mailServices({ settings }: Context): readonly (readonly [string, number])[] {
  const { imap, imaps, submission, submissions } = settings
  const all = [
    ['_imaps', imaps.port],
    ['_imap', imap.port],
    ['_submissions', submissions.port],
    ['_submission', submission.port],
  ] as const
  return all.flatMap(([label, port]) => (port === null || port === 0 ? [] : [[label, port] as const]))
}

/** The value of a record as in a zone file. */
export function presented({ type, value, priority }: Pick<ZoneRecordDoc, 'type' | 'value' | 'priority'>): string {
  return type === 'MX' || type === 'SRV' ? `${priority ?? 0} ${value}` : value
}
