/**
 * Finds the client of a request. A proxy in front names its client, in Forwarded (RFC 7239) or X-Forwarded-For; but anybody else can
 * send these fields too. Invariant: only what a trusted proxy appended is believed, so the client is the last address that is not a
 * trusted proxy, whatever comes before it.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { isIP, isIPv4 } from 'node:net'
import parseForwarded from 'forwarded-parse'
import ipaddr from 'ipaddr.js'
import { networksOf } from '../core/access/network.ts'

export type Proxies = {
  /** Whether an address is one of the proxies. */
  isTrusted(address: string): boolean
  /** The address of the client that a request of the peer comes from; '' if even the peer is unknown. */
  clientOf(peer: string | undefined, headers: IncomingHttpHeaders): string
}

/** Makes the proxies of addresses and networks (`10.0.0.0/8`). Throws if an entry is neither. */
export function createProxies(networks: readonly string[]): Proxies {
  const { has: isTrusted } = networksOf('http.proxies', networks)
  /** Follows a chain from its end for as long as trusted proxies vouch for it. */
  const firstUntrusted = (peer: string, chain: readonly (string | null)[]) => {
    let client = peer
    for (const node of chain.toReversed()) {
      if (node === null || !isTrusted(client)) break
      client = node
    }
    return client
  }
  return {
    isTrusted,
    clientOf(given = '', headers) {
      const peer = canonical(given)
      if (networks.length === 0 || !isTrusted(peer)) return peer
      // A proxy appends to one of the fields and may pass on the other as the client wrote it: if they disagree, neither is believed.
      const clients = new Set(chainsOf(headers).map((chain) => firstUntrusted(peer, chain)))
      const [client = peer] = clients
      return clients.size === 1 ? client : peer
    },
  }
}

/** The address of a peer in its shortest form; an IPv4-mapped IPv6 address becomes the IPv4 address. */
function canonical(given: string): string {
  if (isIPv4(given)) return given
  return isIP(given) ? ipaddr.process(given).toString() : ''
}

/** The addresses in each present field, the client's first; null for an entry that is not an address (`unknown`, a hidden name). */
function chainsOf(headers: IncomingHttpHeaders): readonly (readonly (string | null)[])[] {
  const { forwarded, 'x-forwarded-for': forwardedFor } = headers
  return [
    ...(typeof forwarded === 'string' ? [forwardedChain(forwarded)] : []),
    ...(typeof forwardedFor === 'string' ? [forwardedFor.split(',').map(addressOf)] : []),
  ]
}

/** A malformed field counts as empty. */
function forwardedChain(field: string): readonly (string | null)[] {
  try {
    return parseForwarded(field).map(({ for: node = '' }) => addressOf(node))
  } catch {
    return []
  }
}

/** An IPv4 address or one of IPv6 in brackets, with a port or without (RFC 7239 6); many proxies also write IPv6 without brackets. */
const nodeForm = /^(?:\[(?<v6>[^\]]+)\]|(?<v4>[\d.]+))(?::(?:\d{1,5}|_[\w.-]+))?$/

function addressOf(node: string): string | null {
  const text = node.trim()
  const { v4, v6 } = nodeForm.exec(text)?.groups ?? {}
  const address = v6 ?? v4 ?? text
  return isIP(address) ? ipaddr.process(address).toString() : null
}
