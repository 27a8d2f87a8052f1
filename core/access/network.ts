import { isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Whether an address is one of this machine's own, by which only its own programs reach it. */
export function isLoopback(address: string): boolean {
  if (isIPv4(address)) return address.startsWith('127.') // RFC 1122 3.2.1.3
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback'
}

/**
 * Returns the network of an address, as `192.0.2.0/24` or `2001:db8::/64`: who has an IPv6 connection has at least a /64, and
 * may use any address in it. Everything that is no IP address is in the network `unknown`.
 */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown'
  const parsed = ipaddr.process(address) // an IPv4 address within IPv6 is the IPv4 address
  const bits = parsed.kind() === 'ipv4' ? 24 : 64
  return `${ipaddr.fromByteArray(parsed.toByteArray().fill(0, bits / 8))}/${bits}`
}

/** Returns what one host may use: an IPv4 address itself, of an IPv6 address its network. */
export function hostOf(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown'
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv4' ? parsed.toString() : networkOf(address)
}
