/** Finds the servers for mail to a domain: a relay named in the settings, or the domain's MX (RFC 5321 5.1). */
import { createHash } from 'node:crypto'
import { isIP } from 'node:net'
import type { Route } from './smtp/session.ts'

type MxRecord = { readonly exchange: string; readonly priority: number }

/** The DNS queries made here. */
export type Resolver = {
  resolveMx(name: string): Promise<MxRecord[]>
  resolve4(name: string): Promise<string[]>
  resolve6(name: string): Promise<string[]>
}

/** There is no server to send to: a bounce or a deferral, with a response that says why. */
export type Unroutable = { readonly status: 'bounced' | 'deferred'; readonly response: string }

export type Destination = {
  readonly domain: string
  /** Orders servers of equal preference differently from seed to seed (RFC 5321 5.1). */
  readonly seed: string
}

export type Network = {
  readonly resolver: Resolver
  /** Whether mail may go to an address that the DNS or an address literal names. Relays may be anywhere. */
  mayReach(address: string): boolean
  /** The addresses of a relay's name. */
  hostAddresses(name: string): Promise<readonly string[]>
  /** Relays as `host:port`, by domain, or `*` for all other domains. */
  readonly routes: { readonly [domain: string]: string }
  /** Whether a server with this name and these addresses is this service itself. */
  isOurs(name: string, addresses: readonly string[]): boolean
}

/** MX records used, the best ones: nobody needs more, and each costs DNS queries. */
const serversMax = 10
const addressesPerServerMax = 4
const smtpPort = 25

/**
 * Returns the servers for a domain, at least one, the best first. Never rejects. Returns a deferral if the DNS does not answer, and a
 * bounce if the domain does not exist, has a null MX (RFC 7505), has no server with an address that may be reached, or leads back
 * to us.
 */
export async function findRoutes(network: Network, destination: Destination): Promise<readonly Route[] | Unroutable> {
  try {
    const { domain } = destination
    const relay = relayOf(network.routes, domain)
    const found = relay === undefined ? await candidatesOf(network, destination) : await relays(network, relay)
    if ('status' in found || found.length > 0) return found
    return bounced('5.4.4', `no address for the mail servers of ${domain}`)
  } catch (error) {
    return { status: 'deferred', response: `451 4.4.3 DNS lookup failed: ${messageOf(error)}` }
  }
}

/** The relay through which mail to a domain goes, as `host:port`; undefined when it goes to the servers of the domain. */
export function relayOf(routes: Network['routes'], domain: string): string | undefined {
  return Object.hasOwn(routes, domain) ? routes[domain] : routes['*']
}

async function candidatesOf(network: Network, { domain, seed }: Destination): Promise<readonly Route[] | Unroutable> {
  const literal = /^\[(?:IPv6:)?([^\]]+)\]$/i.exec(domain)?.[1] // RFC 5321 4.1.3
  const records =
    literal === undefined ? await serversOf(network.resolver, domain) : [{ exchange: literal, priority: 0 }]
  if (records === null) return bounced('5.1.2', `domain ${domain} does not exist`)
  if (records.some(({ exchange }) => exchange === '' || exchange === '.')) {
    return { status: 'bounced', response: `556 5.1.10 ${domain} does not accept mail (null MX)` }
  }
  const { servers, failure } = await withAddresses(network.resolver, inOrder(records, seed))
  // RFC 5321 5.1: if this service is in the list, only servers of better preference may be tried.
  const ourPreference = Math.min(
    ...servers.filter(({ exchange, addresses }) => network.isOurs(exchange, addresses)).map(({ priority }) => priority),
  )
  const usable = servers.filter(({ priority }) => priority < ourPreference)
  if (usable.length === 0) return bounced('5.4.6', `mail for ${domain} loops back to this server`)
  const named = usable.flatMap(({ exchange, addresses }) =>
    addresses.map((address) => ({ name: exchange, address, port: smtpPort })),
  )
  const routes = named.filter(({ address }) => network.mayReach(address))
  // A lookup that failed may succeed later.
  if (routes.length === 0 && failure !== null) throw failure
  if (named.length > 0 && routes.length === 0)
    return bounced('5.4.4', `the mail servers of ${domain} have no public address`)
  return routes
}

/** Returns the MX records, or the domain itself if it has none (RFC 5321 5.1); null if the domain does not exist. */
async function serversOf(resolver: Resolver, domain: string): Promise<readonly MxRecord[] | null> {
  try {
    const records = await resolver.resolveMx(domain)
    if (records.length > 0) return records
  } catch (error) {
    if (codeOf(error) === 'ENOTFOUND') return null
    if (codeOf(error) !== 'ENODATA') throw error
  }
  return [{ exchange: domain, priority: 0 }]
}

function inOrder(records: readonly MxRecord[], seed: string): readonly MxRecord[] {
  const rank = ({ exchange }: MxRecord) => createHash('sha1').update(`${seed} ${exchange}`).digest('hex')
  return [...records].sort((a, b) => a.priority - b.priority || rank(a).localeCompare(rank(b))).slice(0, serversMax)
}

type Server = MxRecord & { readonly addresses: readonly string[] }

/** Finds the addresses of servers; a server whose lookup failed has none. `failure` is the error of a failed lookup, if any. */
async function withAddresses(
  resolver: Resolver,
  records: readonly MxRecord[],
): Promise<{ readonly servers: readonly Server[]; readonly failure: unknown }> {
  const found = await Promise.allSettled(records.map(({ exchange }) => addressesOf(resolver, exchange)))
  const servers = records.map((record, index) => {
    const result = found[index]
    return { ...record, addresses: result?.status === 'fulfilled' ? result.value : [] }
  })
  return { servers, failure: found.find((result) => result.status === 'rejected')?.reason ?? null }
}

/** Returns the IPv4 addresses of a host, or its IPv6 addresses if it has no others. Rejects if the DNS does not answer. */
async function addressesOf(resolver: Resolver, name: string): Promise<readonly string[]> {
  if (isIP(name) !== 0) return [name]
  const found = await emptyWhenAbsent(resolver.resolve4(name))
  return (found.length > 0 ? found : await emptyWhenAbsent(resolver.resolve6(name))).slice(0, addressesPerServerMax)
}

async function relays(network: Network, relay: string): Promise<readonly Route[]> {
  const colon = relay.lastIndexOf(':')
  const name = relay.slice(0, colon).replace(/^\[(.*)\]$/, '$1')
  const addresses = isIP(name) === 0 ? await network.hostAddresses(name) : [name]
  return addresses.map((address) => ({ name, address, port: Number(relay.slice(colon + 1)) }))
}

async function emptyWhenAbsent(asked: Promise<string[]>): Promise<string[]> {
  try {
    return await asked
  } catch (error) {
    if (['ENOTFOUND', 'ENODATA'].includes(codeOf(error))) return []
    throw error
  }
}

function bounced(enhanced: string, text: string): Unroutable {
  return { status: 'bounced', response: `550 ${enhanced} ${text}` }
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? ''
const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
