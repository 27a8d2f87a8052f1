import { isIP, isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Whether an address is a loopback address, which only programs of this machine can reach. */
export function isLoopback(address: string): boolean {
  if (isIPv4(address)) return address.startsWith('127.') // RFC 1122 3.2.1.3
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback'
}

/**
 * Returns the network of an address, as `192.0.2.0/24` or `2001:db8::/64`: an IPv6 subscriber has at least a /64, and may use any
 * address in it. Text that is no IP address is in the network `unknown`.
 */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown'
  const parsed = ipaddr.process(address) // an IPv4 address within IPv6 is the IPv4 address
  const bits = parsed.kind() === 'ipv4' ? 24 : 64
  return `${ipaddr.fromByteArray(parsed.toByteArray().fill(0, bits / 8))}/${bits}`
}

/** Returns the address or network that identifies a host: an IPv4 address itself, or the network of an IPv6 address. */
export function hostOf(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown'
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv4' ? parsed.toString() : networkOf(address)
}

export type Networks = {
  /** Whether an address equals one of the addresses or is in one of the networks; an IPv4 address within IPv6 is the IPv4 address. */
  has(address: string): boolean
}

/** The addresses and networks (`10.0.0.0/8`) of a setting. Throws when one of them is neither. */
export function networksOf(setting: string, texts: readonly string[]): Networks {
  const ranges = texts.map((text) => rangeOf(setting, text))
  return {
    has(address) {
      if (!isIP(address)) return false
      const parsed = ipaddr.process(address)
      return ranges.some(([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits))
    },
  }
}

type Range = readonly [network: ipaddr.IPv4 | ipaddr.IPv6, bits: number]

function rangeOf(setting: string, text: string): Range {
  const [address = '', bits] = text.split('/')
  if (!isIP(address) || (bits !== undefined && !ipaddr.isValidCIDR(text)))
    throw new Error(`${setting}: ${text} is neither an address nor a network such as 10.0.0.0/8.`)
  if (bits !== undefined) return ipaddr.parseCIDR(text)
  const parsed = ipaddr.process(address)
  return [parsed, parsed.kind() === 'ipv4' ? 32 : 128]
}
