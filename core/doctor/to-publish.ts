/**
 * The exact records that the doctor asks to publish for a domain. Its reader is the operator of the service, since no account can look
 * up the records of the shared domain. A name below the shared domain gets its records from wildcards there; a record of its own would
 * hide these from it (RFC 4592 2.2.1).
 */
import { mxPriority, spfRecordOf } from '../deliverability/own-addresses.ts'
import { dmarcRecordOf, reportAddressOf, tlsReportRecordOf } from '../deliverability/report-address.ts'
import { recentDomain } from '../mailbox/domains.ts'
import { stsLabel, stsPolicyOf, stsRecordOf } from '../mailbox/sts-policy.ts'
import type { Context } from '../process/context.ts'

export type ToPublish = {
  readonly isBelowShared: boolean
  /** Each of these records includes its name. */
  readonly mx: string
  readonly spf: string
  readonly dmarc: string
  readonly stsPolicy: string
  readonly stsHost: string
  /** The domain whose reports cover this one, and the address that receives them. */
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
