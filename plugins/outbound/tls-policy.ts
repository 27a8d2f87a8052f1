/**
 * What TLS must be on the way to a domain: as the DNS of the server pins it (DANE, RFC 7672), else as the policy of the domain
 * says (MTA-STS, RFC 8461), else opportunistic (RFC 7435). Relays named in the settings are the operator's own affair.
 */

import { namesServer, type StsPolicies } from '../../core/deliver/mta-sts.ts'
import type { Context } from '../../core/process/context.ts'
import { accepts, usable } from './dane.ts'
import type { Route, TlsPolicy } from './smtp/session.ts'

export type Policies = {
  /** Returns the servers that the domain's policy allows, in the same order. */
  permitted(domain: string, routes: readonly Route[]): Promise<readonly Route[]>
  /** Returns the policy for a server, and a name to tell policies apart. Rejects when the DNS does not say (RFC 7672 2.1). */
  find(domain: string, route: Route): Promise<{ readonly tls: TlsPolicy; readonly name: string }>
}

const opportunistic = { tls: { kind: 'opportunistic' }, name: '' } as const

/** Makes the lookup of policies of this process. */
export function createPolicies(ctx: Pick<Context, 'resolver' | 'settings'>, sts: StsPolicies): Policies {
  const { routes, dane, mtaSts } = ctx.settings.outbound
  const isRelayed = (domain: string) => routes[domain] !== undefined || routes['*'] !== undefined
  const enforced = async (domain: string) => (mtaSts && !isRelayed(domain) ? sts.enforced(domain) : null)

  return {
    async permitted(domain, servers) {
      const patterns = await enforced(domain)
      if (patterns === null) return servers
      return servers.filter(({ name }) => patterns.some((pattern) => namesServer(pattern, name)))
    },
    async find(domain, route) {
      if (isRelayed(domain)) return opportunistic
      if (dane) {
        const pins = await ctx.resolver.securePins(`_${route.port}._tcp.${route.name}`)
        if (pins !== null && pins.length > 0) {
          const good = usable(pins)
          const tls: TlsPolicy = {
            kind: 'pinned',
            accepts: (chain) => good.length === 0 || accepts(good, chain, route.name),
          }
          return { tls, name: 'dane' }
        }
      }
      return (await enforced(domain)) === null ? opportunistic : { tls: { kind: 'verified' }, name: 'sts' }
    },
  }
}
