/**
 * Report addresses: where other servers send DMARC and TLS reports about a domain of ours (`rua` of RFC 7489 6.3 and RFC 8460 3). The
 * address is on the domain itself, so no other domain has to agree to receive its reports (RFC 7489 7.1). It contains a keyed digest
 * of the domain, so no mailbox has such an address by chance, and mail to it can only be about this domain.
 */
import { timingSafeEqual } from 'node:crypto'
import { splitAddress } from '../../mail/message/address.ts'
import { reportForm } from '../mailbox/service-addresses.ts'
import type { Context } from '../process/context.ts'

const purpose = 'report address'
const digestChars = 16

/** The report address of a domain (A-labels), which its DMARC and TLS-RPT records name as `mailto:` in `rua`. */
export function reportAddressOf(ctx: Pick<Context, 'secrets'>, domain: string): string {
  return `reports-${digestOf(ctx, domain)}@${domain}`
}

/** The DMARC record that we ask a domain to publish: it changes nothing for its mail, and has reports sent to us. */
export const dmarcRecordOf = (ctx: Pick<Context, 'secrets'>, domain: string) =>
  `v=DMARC1; p=none; rua=mailto:${reportAddressOf(ctx, domain)}`

/** The TLS-RPT record of a domain, which has reports about the encryption of its mail sent to us (RFC 8460 3). */
export const tlsReportRecordOf = (ctx: Pick<Context, 'secrets'>, domain: string) =>
  `v=TLSRPTv1; rua=mailto:${reportAddressOf(ctx, domain)}`

/** The domain whose reports are sent to a canonical address; null if it is not a report address. */
export function readReportAddress(ctx: Pick<Context, 'secrets'>, address: string): string | null {
  const { local, domain } = splitAddress(address)
  const digest = reportForm.exec(local)?.[1]
  if (digest === undefined) return null
  return timingSafeEqual(Buffer.from(digest), Buffer.from(digestOf(ctx, domain))) ? domain : null
}

function digestOf({ secrets }: Pick<Context, 'secrets'>, domain: string): string {
  return secrets.tag(domain, purpose).toString('hex').slice(0, digestChars)
}
