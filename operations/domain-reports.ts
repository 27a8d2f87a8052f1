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
    'What receivers report of mail in the name of a domain (DMARC) and of TLS with its servers: pass rates by sending address, failures with what to change.',
  scope: 'domains:read',
  http: 'GET /api/v1/domains/{domain}/reports',
  input: object({
    domain: identifier('A domain of the account.'),
    since: optional(
      described('Reports that begin at this time or later; 30 days before "until" without it.', DayOrTime),
    ),
    until: optional(described('Reports that begin before this time; the end of today without it.', DayOrTime)),
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

/** Rounded down: 1 is told of nothing but all. */
function rateOf({ messages, passed }: Passed): number | null {
  return messages === 0 ? null : Math.floor((passed / messages) * 10_000) / 10_000
}
