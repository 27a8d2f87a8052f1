/**
 * What TLS must be on the way to a domain: as its DNS pins it (DANE, RFC 7672), else as its policy says (MTA-STS, RFC 8461),
 * else as good as it gets (RFC 7435). Relays of the settings are the operator's own.
 */

import { namesServer, type StsPolicies } from '../../core/deliver/mta-sts.ts'
import type { Context } from '../../core/process/context.ts'
import { accepts, usable } from './dane.ts'
import type { Route, TlsPolicy } from './smtp/session.ts'

export type Policies = {
  /** Those of a domain's servers that mail for it may go to, in the same order. */
  permitted(domain: string, routes: readonly Route[]): Promise<readonly Route[]>
  /** `name` tells policies apart. Rejects when the DNS does not say whether there is one (RFC 7672 2.1). */
  find(domain: string, route: Route): Promise<{ readonly tls: TlsPolicy; readonly name: string }>
}

const opportunistic = { tls: { kind: 'opportunistic' }, name: '' } as const

/** Makes the finder of this process. */
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
