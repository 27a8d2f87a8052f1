import { type DomainFigures, domainFigures } from '../core/account/daily-usage.ts'
import { type DomainReport, domainReport, type Passed } from '../core/deliverability/domain-report.ts'
import { DayOrTime } from '../schemas/accounts.ts'
import { DomainReports } from '../schemas/domain-reports.ts'
import { identifier, pageSizeDefault, paging } from '../schemas/fields.ts'
import { described, object, optional } from '../schemas/infer.ts'
import { operation } from './registry.ts'

export const getDomainReports = operation({
  name: 'domains.reports',
  summary:
    'What receivers report about mail from a domain (DMARC) and about TLS with its servers: pass rates by sending address, and failures with what to change.',
  scope: 'domains:read',
  http: 'GET /api/v1/domains/{domain}/reports',
  input: object({
    domain: identifier('A domain of the account.'),
    since: optional(described('Reports that begin at this time or later. Default: 30 days before "until".', DayOrTime)),
    until: optional(described('Reports that begin before this time. Default: the end of today.', DayOrTime)),
    ...paging,
  }),
  output: DomainReports,
  errors: ['domain_not_found'],
  async handle({ ctx, principal }, { domain, since, until, limit = pageSizeDefault, before }) {
    const report = await domainReport(ctx, principal, {
      domain,
      limit,
      ...(since !== undefined && { since: new Date(since) }),
      ...(until !== undefined && { until: new Date(until) }),
      ...(before !== undefined && { before }),
    })
    const { accountId } = principal
    return asShown(report, await domainFigures(ctx, { ...report, accountId }))
  },
})

function asShown(
  { domain, since, until, isComplete: complete, dmarc, tls, sources }: DomainReport,
  delivery: DomainFigures,
): DomainReports {
  return {
    domain,
    delivery,
    since: since.toISOString(),
    until: until.toISOString(),
    complete,
    dmarc: { ...dmarc, passRate: rateOf(dmarc) },
    tls: {
      ...tls,
      failures: tls.failures.map(({ receivingHost: mx, ...failure }) => ({ ...failure, mx })),
    },
    sources: sources.items.map(({ isOwn: own, ...source }) => ({ ...source, own, passRate: rateOf(source) })),
    next: sources.next,
  }
}

/** Rounded down to four digits, so that 1 always means that every message passed. */
function rateOf({ messages, passed }: Passed): number | null {
  return messages === 0 ? null : Math.floor((passed / messages) * 10_000) / 10_000
}
