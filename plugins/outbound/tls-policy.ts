/**
 * The TLS required on the way to a domain: what the DNS of the server pins (DANE, RFC 7672), else what the policy of the domain
 * says (MTA-STS, RFC 8461), else opportunistic (RFC 7435). Relays named in the settings are the operator's responsibility.
 */
import { isIP } from 'node:net'
import { namesServer, type ReportedPolicy, type StsPolicies } from '../../core/deliver/mta-sts.ts'
import type { ReportedPolicyDoc } from '../../core/deliverability/tls-results.ts'
import type { Context } from '../../core/process/context.ts'
import { accepts, pinsAuthority, type Tlsa, usable } from './dane.ts'
import { relayOf } from './route.ts'
import type { TlsFailure } from './smtp/outcome.ts'
import type { Route, TlsPolicy } from './smtp/session.ts'

export type Policies = {
  /** Returns the servers that the domain's policy allows, in the same order. */
  permitted(domain: string, routes: readonly Route[]): Promise<readonly Route[]>
  /** Returns the policy for a server, and a name that distinguishes policies. Rejects if the DNS does not answer (RFC 7672 2.1). */
  find(domain: string, route: Route): Promise<FoundPolicy>
  /** The policy that a report names if none of the domain's servers is permitted. */
  reported(domain: string): Promise<ReportedPolicyDoc | null>
}

export type FoundPolicy = {
  readonly tls: TlsPolicy
  readonly name: string
  /** The names that the server's certificate may be for, if its DNS pins an authority. */
  readonly serverNames?: readonly string[] | undefined
  /** The policy as our TLS report states it; null on the way to a relay, where nothing is reported. */
  readonly reported: ReportedPolicyDoc | null
  /** A problem with the policy itself, independent of the session. */
  readonly problem: TlsFailure | null
}

const relayed: FoundPolicy = { tls: { kind: 'opportunistic' }, name: '', reported: null, problem: null }
/** For mail that is sent with any TLS and is not reported: TLS reports themselves (RFC 8460 3). */
export const anyTlsPolicy: FoundPolicy = { ...relayed, name: 'any' }
const noPolicy: ReportedPolicyDoc = { type: 'no-policy-found', strings: [], mxHosts: [] }

/** Makes the lookup of policies for this process. */
export function createPolicies(
  ctx: Pick<Context, 'resolver' | 'settings' | 'machineClock'>,
  sts: StsPolicies,
): Policies {
  const { routes, dane, mtaSts } = ctx.settings.outbound
  const isRelayed = (domain: string) => relayOf(routes, domain) !== undefined
  const stsOf = async (domain: string) => (mtaSts && !isRelayed(domain) ? sts.reported(domain) : null)
  /** RFC 7672 3.2.2: the domain also counts as a name of its server if DNSSEC protects the record that names the server. */
  const namesOf = async (domain: string, { name }: Route) =>
    (await ctx.resolver.isSecure(domain, 'MX')) ? [name, domain] : [name]
  const enforced = async (domain: string) => (mtaSts && !isRelayed(domain) ? sts.enforced(domain) : null)

  return {
    async permitted(domain, servers) {
      const patterns = await enforced(domain)
      if (patterns === null) return servers
      return servers.filter(({ name }) => patterns.some((pattern) => namesServer(pattern, name)))
    },
    async find(domain, route) {
      if (isRelayed(domain)) return relayed
      // A server that is named only by its address has no TLSA records.
      if (dane && isIP(route.name) === 0) {
        const { name: host, port, address } = route
        const pins = await ctx.resolver.securePins({ host, port, family: isIP(address) === 6 ? 6 : 4 })
        if (pins !== null && pins.length > 0) {
          const good = usable(pins)
          const tls: TlsPolicy = {
            kind: 'pinned',
            accepts: (chain, names) =>
              good.length === 0 || accepts(good, chain, { names, now: ctx.machineClock.now() }),
          }
          const reported: ReportedPolicyDoc = { type: 'tlsa', strings: pins.map(textOf), mxHosts: [route.name] }
          const serverNames = pinsAuthority(good) ? await namesOf(domain, route) : undefined
          return { tls, name: `dane ${reported.strings.toSorted().join(', ')}`, serverNames, reported, problem: null }
        }
      }
      return underSts(await stsOf(domain), route)
    },
    async reported(domain) {
      const policy = await stsOf(domain)
      return policy === null ? null : reportedPolicyOf(policy)
    },
  }
}

function underSts(policy: ReportedPolicy | null, { name }: Route): FoundPolicy {
  const opportunistic = { tls: { kind: 'opportunistic' }, name: '' } as const
  if (policy === null) return { ...opportunistic, reported: noPolicy, problem: null }
  const reported = reportedPolicyOf(policy)
  if (policy.problem !== null)
    return { ...opportunistic, reported, problem: { type: 'sts-policy-fetch-error', detail: policy.problem } }
  if (policy.mode === 'enforce') return { tls: { kind: 'verified' }, name: 'sts', reported, problem: null }
  const isNamed = policy.servers.some((pattern) => namesServer(pattern, name))
  return {
    tls: { kind: 'opportunistic', isWatched: true },
    name: 'sts tested',
    reported,
    problem: isNamed ? null : notNamed,
  }
}

/** The policy does not name the server. */
export const notNamed: TlsFailure = { type: 'validation-failure', detail: 'the policy does not name the server' }

/** RFC 8460 4.4. */
function reportedPolicyOf({ mode, servers, maxAgeSeconds, problem }: ReportedPolicy): ReportedPolicyDoc {
  if (problem !== null) return { type: 'sts', strings: [], mxHosts: [] }
  const strings = ['version: STSv1', `mode: ${mode}`, ...servers.map((mx) => `mx: ${mx}`), `max_age: ${maxAgeSeconds}`]
  return { type: 'sts', strings, mxHosts: servers }
}

const textOf = ({ usage, selector, matchingType, certificate }: Tlsa) =>
  `${usage} ${selector} ${matchingType} ${certificate.toString('hex')}`
