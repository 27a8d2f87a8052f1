import { BlockList, isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { Context } from '../../core/process/context.ts'
import type { Network } from './route.ts'

const smtpPort = 25

/** Always this machine (RFC 1122 3.2.1.3, RFC 4291 2.5): whoever publishes them wants to reach what only we should. */
const loopback = new BlockList()
loopback.addSubnet('0.0.0.0', 8)
loopback.addSubnet('127.0.0.0', 8)
loopback.addAddress('::', 'ipv6')
loopback.addAddress('::1', 'ipv6')

/** The network as the settings describe it: routes, DNS servers, and what this service is called in it. */
export function networkOf({
  settings,
  hostname,
  resolver,
}: Pick<Context, 'settings' | 'hostname' | 'resolver'>): Network {
  // Mail goes to port 25: an address of this machine is this service only when it listens there.
  const ownAddresses = settings.smtp.port === smtpPort ? machineAddresses() : new Set<string>()
  return {
    resolver: {
      resolveMx: (name) => resolver.resolve(name, 'MX'),
      resolve4: (name) => resolver.resolve(name, 'A'),
      resolve6: (name) => resolver.resolve(name, 'AAAA'),
    },
    routes: settings.outbound.routes,
    hostAddresses: async (name) => (await resolver.addresses(name)).map(({ address }) => address),
    isOurs: (name, addresses) =>
      name.toLowerCase() === hostname.toLowerCase() ||
      addresses.some((address) => ownAddresses.has(address) || isLoopback(address)),
  }
}

function machineAddresses(): ReadonlySet<string> {
  return new Set(
    Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address)),
  )
}

const isLoopback = (address: string) => loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
