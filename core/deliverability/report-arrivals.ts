/**
 * DMARC and TLS reports that arrive at the report address of a domain. A report is accepted if its mail was authenticated as coming
 * from its author's domain and it is about the domain of the address. The document of a report is its commit point; everything
 * shown is computed from the documents.
 */
import { sameOrganisation } from '../../mail/domain.ts'
import type { AggregateReport } from '../../mail/report/aggregate-report.ts'
import type { TlsReport } from '../../mail/report/tls-report.ts'
import { Failure } from '../../schemas/failures.ts'
import { countReports, domainReportId, insertReport } from '../../store/deliverability.ts'
import { after, dayMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'

/** A domain of ours that reports are about; `accountId` null is the shared domain. */
export type ReportedDomain = { readonly domain: string; readonly accountId: string | null }

/** The verified sender of the mail. */
export type ReportSender = {
  /** The domain of From if it was authenticated, else null. */
  readonly alignedFrom: string | null
  /** Whether it might have been authenticated if the DNS had answered. */
  readonly perhapsAligned: boolean
  readonly dkim: readonly { readonly domain: string; readonly result: string }[]
}

/** Reports about one domain stored in a day, from one reporter and from all. Stops reporters that flood us; most send one a day. */
const reportsOfOneMax = 50
const reportsOfAllMax = 1_000
/** The longest period that a report may cover. RFC 7489 6.3 has a day; some reporters are asked for a week. */
const spanMaxMs = 32 * dayMs
/** How far the clock of a reporter may be ahead. */
const aheadMaxMs = dayMs

/**
 * Stores the reports in a mail to the report addresses of some domains, each report once and under the domain that it is about. Fails
 * with `forbidden` (550) if the sender is not authenticated or the mail has no acceptable report about one of them, with
 * `unprocessable` (452) if more arrived within a day than are kept, and with `unavailable` (451) if the DNS could not tell who sent it.
 */
export async function keepReports(
  ctx: Context,
  { raw, about, sender }: { raw: Buffer; about: readonly ReportedDomain[]; sender: ReportSender },
): Promise<void> {
  const { alignedFrom: reporter } = sender
  if (reporter === null && sender.perhapsAligned)
    throw new Failure('unavailable', 'The sender could not be authenticated right now; please try again later.')
  // RFC 7489 7.2.1.1.
  if (reporter === null) throw refused('the mail is not authenticated by DMARC as coming from its author')
  const found = await ctx.parsing.run('reports', { raw })
  if (found === null) throw refused('a file in the mail cannot be read, or is too large')
  const isSigned = sender.dkim.some(({ domain, result }) => result === 'pass' && sameOrganisation(domain, reporter))
  const pairs = found.flatMap((report) =>
    about.map((one) => ({ report, one, doubt: doubtOf(ctx, report, { about: one, isSigned }) })),
  )
  const believed = pairs.filter(({ doubt }) => doubt === null)
  if (believed.length === 0) throw refused(pairs[0]?.doubt ?? 'the mail contains no report')
  for (const one of new Set(believed.map((each) => each.one))) await requireRoom(ctx, one, reporter)
  for (const { report, one } of believed) await insertReport(ctx.store, documentOf(ctx, report, one, reporter))
}

function refused(reason: string): Failure {
  return new Failure('forbidden', `This address only takes DMARC and TLS reports: ${reason}.`, {
    fix: 'Send the report as RFC 7489 or RFC 8460 describes it, from an authenticated address, to the address that the domain names.',
  })
}

/** Why a report is not accepted; null if it is. */
function doubtOf(
  ctx: Context,
  report: AggregateReport | TlsReport,
  { about: { domain }, isSigned }: { about: ReportedDomain; isSigned: boolean },
): string | null {
  const { from, until } = report
  const now = ctx.clock.now()
  const isAbout =
    report.kind === 'dmarc'
      ? report.policy.domain === domain
      : report.policies.some((policy) => policy.domain === domain)
  if (!isAbout) return `the report is not about ${domain}`
  // RFC 8460 3: reports without a signature are to be ignored.
  if (report.kind === 'tls' && !isSigned)
    return 'the mail with the TLS report has no valid DKIM signature of its author'
  const span = until.getTime() - from.getTime()
  if (span < 0 || span > spanMaxMs || until > after(now, aheadMaxMs)) return 'the period of the report is not plausible'
  if (until < after(now, -keptMs(ctx))) return 'the period of the report is too long ago'
  return null
}

const keptMs = ({ settings }: Context) => settings.keep.reportDays * dayMs

async function requireRoom(ctx: Context, { accountId, domain }: ReportedDomain, reporter: string): Promise<void> {
  const since = after(ctx.clock.now(), -dayMs)
  const [ofAll, ofOne] = await Promise.all([
    countReports(ctx.store, { accountId, domain, since }),
    countReports(ctx.store, { accountId, domain, since, reporter }),
  ])
  if (ofAll >= reportsOfAllMax || ofOne >= reportsOfOneMax)
    throw new Failure('unprocessable', `Too many reports about ${domain} came within a day; please try again later.`, {
      fix: 'Send one report a day.',
    })
}

function documentOf(
  ctx: Context,
  report: AggregateReport | TlsReport,
  { accountId, domain }: ReportedDomain,
  reporter: string,
) {
  const { organisation, reportId, from, until } = report
  const common = {
    _id: domainReportId({ accountId, domain, kind: report.kind, reporter, reportId }),
    accountId,
    domain,
    reporter,
    organisation,
    reportId,
    from,
    until,
    receivedAt: ctx.clock.now(),
    expiresAt: after(until, keptMs(ctx)),
  }
  return report.kind === 'dmarc'
    ? { ...common, kind: report.kind, rows: report.rows, omitted: report.omitted }
    : { ...common, kind: report.kind, policies: report.policies.filter((policy) => policy.domain === domain) }
}
