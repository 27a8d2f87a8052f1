import { networkInterfaces } from 'node:os'
import type { Context } from '../../core/context.ts'
import type { Network } from './route.ts'

const smtpPort = 25

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
      name.toLowerCase() === hostname.toLowerCase() || addresses.some((address) => ownAddresses.has(address)),
  }
}

function machineAddresses(): ReadonlySet<string> {
  return new Set(
    Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address)),
  )
}
