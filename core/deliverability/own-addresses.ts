/** The addresses that the service sends from, as others see them, and how the records of domains name them. */
import type { Context } from '../process/context.ts'

/** Those of the setting `deliverability.addresses`; without it, those that the DNS has for the host name. None when it has none. */
export async function ownAddresses({ settings, resolver, hostname }: Context): Promise<readonly string[]> {
  const { addresses } = settings.deliverability
  if (addresses.length > 0) return addresses
  return resolver.addresses(hostname).then(
    (found) => found.map(({ address }) => address),
    () => [],
  )
}

/** Of the MX record of a domain whose mail comes here. */
export const mxPriority = 10

/** What has to stand in the SPF record of a domain. */
export function spfMechanism({ settings, hostname }: Pick<Context, 'settings' | 'hostname'>): string {
  return settings.domains.spf ?? `a:${hostname}`
}

/** The SPF record of a domain that sends from here alone. */
export const spfRecordOf = (ctx: Pick<Context, 'settings' | 'hostname'>) => `v=spf1 ${spfMechanism(ctx)} ~all`
