import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** All of IPv6 that is handed out to networks (IANA's IPv6 address space; RFC 4291 2.4). */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Whether an address belongs to a host of the public Internet. Asked of every address that a stranger named before we
 * connect to it: webhooks, mail servers, policy hosts. The special-purpose blocks of IANA's registries (RFC 6890) never
 * are, nor the forms of IPv6 that hold an IPv4 address, which may be a private one. False for what is no IP address.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false
  const parsed = ipaddr.parse(address)
  return parsed.range() === 'unicast' && (parsed instanceof ipaddr.IPv4 || parsed.match(globalUnicast))
}
