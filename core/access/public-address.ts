import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Context } from '../process/context.ts'

/** The part of IPv6 from which networks get addresses (IANA's IPv6 address space; RFC 4291 2.4). */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Whether an address belongs to a host of the public Internet. Every address that a stranger named is checked before we connect to it:
 * webhooks, mail servers, policy hosts. The special-purpose blocks of IANA's registries (RFC 6890) are not public, nor are the forms
 * of IPv6 that contain an IPv4 address, which may be a private one. False for text that is no IP address.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false
  const parsed = ipaddr.parse(address)
  return parsed.range() === 'unicast' && (parsed instanceof ipaddr.IPv4 || parsed.match(globalUnicast))
}

/** Makes a lookup for connections that resolves a name to its public addresses only, or to all of them with `allowPrivate`. */
export function publicLookup(resolver: Context['resolver'], allowPrivate: boolean): LookupFunction {
  return (hostname, options, done) => {
    resolver.addresses(hostname).then(
      (found) => {
        const allowed = found.filter(({ address }) => allowPrivate || isPublicAddress(address))
        const [first] = allowed
        if (first === undefined) done(new Error(`${hostname} does not resolve to a public address.`), '', 0)
        else if (options.all === true) done(null, [...allowed])
        else done(null, first.address, first.family)
      },
      (error: Error) => done(error, '', 0),
    )
  }
}
