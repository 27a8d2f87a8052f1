import { BlockList, isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'
import { isPublicAddress } from '../../core/access/public-address.ts'
import type { Context } from '../../core/process/context.ts'
import type { Network } from './route.ts'

const smtpPort = 25

/** Addresses that always mean this machine (RFC 1122 3.2.1.3, RFC 4291 2.5). No mail is sent to an MX with one of them. */
const loopback = new BlockList()
loopback.addSubnet('0.0.0.0', 8)
loopback.addSubnet('127.0.0.0', 8)
loopback.addAddress('::', 'ipv6')
loopback.addAddress('::1', 'ipv6')

/** Makes the network according to the settings: relays, DNS servers, and the names and addresses of this service. */
export function networkOf({
  settings,
  hostname,
  resolver,
}: Pick<Context, 'settings' | 'hostname' | 'resolver'>): Network {
  // Other servers send to port 25, so the machine's addresses mean this service only if it listens there.
  const ownAddresses = settings.smtp.port === smtpPort ? machineAddresses() : new Set<string>()
  return {
    resolver: {
      resolveMx: (name) => resolver.resolve(name, 'MX'),
      resolve4: (name) => resolver.resolve(name, 'A'),
      resolve6: (name) => resolver.resolve(name, 'AAAA'),
    },
    routes: settings.outbound.routes,
    mayReach: (address) => settings.outbound.allowPrivate || isPublicAddress(address),
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
