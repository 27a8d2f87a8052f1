/**
 * What TLS must be on the way to a domain: as its DNS pins it (DANE, RFC 7672), else as its policy says (MTA-STS, RFC 8461),
 * else as good as it gets (RFC 7435). Relays of the settings are the operator's own.
 */
import type { MTASTSPolicy } from 'mailauth'
import { getPolicy } from 'mailauth/lib/mta-sts.js'
import type { Context } from '../../core/context.ts'
import { accepts, usable } from './dane.ts'
import type { Route } from './route.ts'
import type { TlsPolicy } from './session.ts'

export type Policies = {
  /** `name` tells policies apart. Rejects when the DNS does not say whether there is one (RFC 7672 2.1). */
  find(domain: string, route: Route): Promise<{ readonly tls: TlsPolicy; readonly name: string }>
}

const policiesMax = 10_000
/** A policy that was looked for is not looked for again so soon. */
const freshMs = 300_000
const fetchMs = 15_000
const opportunistic = { tls: { kind: 'opportunistic' }, name: '' } as const

type Known = { readonly policy: MTASTSPolicy; readonly checkedMs: number }

/** Makes the finder of this process. */
export function createPolicies(ctx: Pick<Context, 'resolver' | 'settings' | 'clock' | 'log'>): Policies {
  const known = new Map<string, Known>()
  const asking = new Map<string, Promise<MTASTSPolicy>>()
  const { routes, dane, mtaSts } = ctx.settings.outbound

  async function stsOf(domain: string): Promise<MTASTSPolicy> {
    const last = known.get(domain)
    const now = ctx.clock.now().getTime()
    if (last !== undefined && now - last.checkedMs < freshMs) return last.policy
    const { policy } = await getPolicy(domain, last?.policy, {
      strict: true,
      timeout: fetchMs,
      resolver: async (name: string, type: string) =>
        type === 'TXT'
          ? (await ctx.resolver.resolve(name, 'TXT')).map((texts) => [...texts])
          : ctx.resolver.resolve(name, type === 'AAAA' ? 'AAAA' : 'A'),
    })
    known.delete(domain)
    known.set(domain, { policy, checkedMs: now })
    const [oldest] = known.keys()
    if (known.size > policiesMax && oldest !== undefined) known.delete(oldest)
    return policy
  }

  function stsShared(domain: string): Promise<MTASTSPolicy> {
    const asked = asking.get(domain) ?? stsOf(domain).finally(() => asking.delete(domain))
    asking.set(domain, asked)
    return asked
  }

  return {
    async find(domain, route) {
      if (routes[domain] !== undefined || routes['*'] !== undefined) return opportunistic
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
      if (!mtaSts) return opportunistic
      const policy = await stsShared(domain)
      if (policy.mode !== 'enforce') return opportunistic
      const names = policy.mx ?? []
      return { tls: { kind: 'verified', names }, name: `sts ${names.join(' ')}` }
    },
  }
}
