/**
 * Report addresses: where the world sends DMARC and TLS reports about a domain of ours (`rua` of RFC 7489 6.3 and RFC 8460 3). The
 * address is on the domain itself, so no other domain has to agree to get its reports (RFC 7489 7.1), and names it under a
 * keyed digest: no mailbox has such an address by chance, and what comes to it is about this domain or nothing.
 */
import { timingSafeEqual } from 'node:crypto'
import { splitAddress } from '../../mail/message/address.ts'
import { reportForm } from '../mailbox/served-addresses.ts'
import type { Context } from '../process/context.ts'

const purpose = 'report address'
const digestChars = 16

/** The report address of a domain (A-labels), which stands as `mailto:` in the `rua` of its DMARC and its TLS-RPT record. */
export function reportAddressOf(ctx: Pick<Context, 'secrets'>, domain: string): string {
  return `reports-${digestOf(ctx, domain)}@${domain}`
}

/** The DMARC record of a domain as we ask for it: it changes nothing for the mail, and has us told of it. */
export const dmarcRecordOf = (ctx: Pick<Context, 'secrets'>, domain: string) =>
  `v=DMARC1; p=none; rua=mailto:${reportAddressOf(ctx, domain)}`

/** The record of a domain that has us told how its mail was encrypted (RFC 8460 3). */
export const tlsReportRecordOf = (ctx: Pick<Context, 'secrets'>, domain: string) =>
  `v=TLSRPTv1; rua=mailto:${reportAddressOf(ctx, domain)}`

/** The domain whose reports come to a canonical address; null when it is no report address. */
export function readReportAddress(ctx: Pick<Context, 'secrets'>, address: string): string | null {
  const { local, domain } = splitAddress(address)
  const digest = reportForm.exec(local)?.[1]
  if (digest === undefined) return null
  return timingSafeEqual(Buffer.from(digest), Buffer.from(digestOf(ctx, domain))) ? domain : null
}

function digestOf({ secrets }: Pick<Context, 'secrets'>, domain: string): string {
  return secrets.tag(domain, purpose).toString('hex').slice(0, digestChars)
}
