/** The public addresses that the service sends from, and how the DNS records of domains name them. */
import ipaddr from 'ipaddr.js'
import type { Context } from '../process/context.ts'

/**
 * The addresses in the setting `deliverability.addresses` or, without it, those in the DNS for the host name; none if it has none. Each is
 * in its shortest form, as reports and the DNS name it.
 */
export async function ownAddresses({ settings, resolver, hostname }: Context): Promise<readonly string[]> {
  const { addresses } = settings.deliverability
  if (addresses.length > 0) return addresses.map((text) => ipaddr.process(text).toString())
  return resolver.addresses(hostname).then(
    (found) => found.map(({ address }) => address),
    () => [],
  )
}

/** Priority of the MX record of a domain that receives its mail here. */
export const mxPriority = 10

/** The mechanism that the SPF record of a domain must contain. */
export function spfMechanism({ settings, hostname }: Pick<Context, 'settings' | 'hostname'>): string {
  return settings.domains.spf ?? `a:${hostname}`
}

/** The SPF record of a domain that sends only from here. */
export const spfRecordOf = (ctx: Pick<Context, 'settings' | 'hostname'>) => `v=spf1 ${spfMechanism(ctx)} ~all`
