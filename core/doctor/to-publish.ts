/**
 * What the doctor asks to publish of a domain, word by word: it speaks to whoever runs the service, and no account can ask for the
 * records of the shared domain. A name below that has those that stand there as wildcards; a record of its own would
 * take them away from it (RFC 4592 2.2.1).
 */
import { mxPriority, spfRecordOf } from '../deliverability/own-addresses.ts'
import { dmarcRecordOf, reportAddressOf, tlsReportRecordOf } from '../deliverability/report-address.ts'
import { recentDomain } from '../mailbox/domains.ts'
import { stsLabel, stsPolicyOf, stsRecordOf } from '../mailbox/sts-policy.ts'
import type { Context } from '../process/context.ts'

export type ToPublish = {
  readonly isBelowShared: boolean
  /** Each with its name in front. */
  readonly mx: string
  readonly spf: string
  readonly dmarc: string
  readonly stsPolicy: string
  readonly stsHost: string
  /** The domain whose reports tell of it, and where they come. */
  readonly reportsOf: string
  readonly reportAddress: string
  readonly tlsReports: string
}

export async function toPublish(ctx: Context, domain: string): Promise<ToPublish> {
  const { hostname } = ctx
  const doc = await recentDomain(ctx, domain)
  const parent = doc?.parent ?? null
  const reportsOf = parent ?? domain
  const at = parent === null ? domain : `*.${parent}`
  return {
    isBelowShared: parent !== null,
    mx: `MX ${mxPriority} ${hostname} at ${at}`,
    spf: `TXT ${at}: ${spfRecordOf(ctx)}`,
    dmarc: `TXT ${parent === null ? `_dmarc.${domain}` : at}: ${dmarcRecordOf(ctx, reportsOf)}`,
    stsPolicy: `TXT _${stsLabel}.${domain}: ${stsRecordOf(stsPolicyOf(ctx, doc ?? {}))}`,
    stsHost: `CNAME ${stsLabel}.${domain}: ${hostname}`,
    reportsOf,
    reportAddress: reportAddressOf(ctx, reportsOf),
    tlsReports: tlsReportRecordOf(ctx, reportsOf),
  }
}
