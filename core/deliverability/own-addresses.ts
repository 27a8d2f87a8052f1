/** The addresses that the service sends from, as others see them. */
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
