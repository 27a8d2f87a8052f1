import { Resolver as DnsResolver, lookup } from 'node:dns/promises'
import { networkInterfaces } from 'node:os'
import type { Context } from '../../core/context.ts'
import { addressesOf, type Network, type Resolver } from './route.ts'

const questionLimits = { timeout: 5_000, tries: 2 }
const smtpPort = 25

/** The network as the settings describe it: routes, DNS servers, and what this service is called in it. */
export function networkOf({ settings, hostname }: Pick<Context, 'settings' | 'hostname'>): Network {
  const resolver: Resolver & { setServers(servers: readonly string[]): void } = new DnsResolver(questionLimits)
  const ownDns = settings.resolver.length > 0
  if (ownDns) resolver.setServers(settings.resolver)
  // Mail goes to port 25: an address of this machine is this service only when it listens there.
  const ownAddresses = settings.smtp.port === smtpPort ? machineAddresses() : new Set<string>()
  return {
    resolver,
    routes: settings.outbound.routes,
    hostAddresses: async (name) => {
      if (name === 'localhost') return ['127.0.0.1'] // RFC 6761 6.3
      return ownDns ? addressesOf(resolver, name) : (await lookup(name, { all: true })).map(({ address }) => address)
    },
    isOurs: (name, addresses) =>
      name.toLowerCase() === hostname.toLowerCase() || addresses.some((address) => ownAddresses.has(address)),
  }
}

function machineAddresses(): ReadonlySet<string> {
  return new Set(
    Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address)),
  )
}
