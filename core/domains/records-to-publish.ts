/** What the owner of a domain has to have in the DNS so that its mail arrives here, and is believed elsewhere. */
import type { DkimKey, DomainDoc, ZoneRecordDoc } from '../../store/documents/domains.ts'
import { mxPriority, spfRecordOf } from '../deliverability/own-addresses.ts'
import { dmarcRecordOf, tlsReportRecordOf } from '../deliverability/report-address.ts'
import { stsLabel, stsPolicyOf, stsRecordOf } from '../mailbox/sts-policy.ts'
import type { Context } from '../process/context.ts'
import { ownershipLabel } from '../zones/mail-critical.ts'

/** A record to publish. */
export type RecordToPublish = Pick<ZoneRecordDoc, 'value' | 'priority'> & {
  readonly type: 'CNAME' | 'MX' | 'SRV' | 'TXT'
  /** What it is for: `mx`, `dkim <selector>`, ...; once in each domain. */
  readonly purpose: string
  /** Absolute. */
  readonly name: string
  /** Whether the domain is verified only with it, and broken without it. */
  readonly required: boolean
}

/** A domain, as far as its records follow from it. */
export type Published = Pick<DomainDoc, 'stsMode'> & {
  readonly domain: string
  readonly dkim: readonly Pick<DkimKey, 'selector' | 'publicRecord' | 'use'>[]
  /** What shows whose it is; null where nobody has to show it. */
  readonly token: string | null
}

const ownershipTag = 'mailroom-verification='

/**
 * The records of a domain, in the order in which one publishes them. Below the shared domain every name has those of mail, so that a
 * signup needs no record of its own.
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

/** What mail programs look for (RFC 6186, RFC 8314 5.1), at the ports where it is. */
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

/** A record as a zone file has it, without its name. */
export function presented({ type, value, priority }: Pick<ZoneRecordDoc, 'type' | 'value' | 'priority'>): string {
  return type === 'MX' || type === 'SRV' ? `${priority ?? 0} ${value}` : value
}
