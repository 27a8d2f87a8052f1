/**
 * MTA-STS policies of other domains (RFC 8461). They are stored in the database, so that an attacker who blocks a policy
 * cannot get around it when this process restarts. Invariant: a policy that was fetched applies until its max_age ends,
 * whatever fails in the meantime.
 */
import type { fetchPolicy, resolvePolicy } from 'mailauth/lib/mta-sts.js'
import type { StsPolicyDoc } from '../../store/documents/sending.ts'
import { findStsPolicy, keepStsPolicy } from '../../store/sts-policies.ts'
import { isPublicAddress } from '../access/public-address.ts'
import { after, dayMs, minuteMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { createKept } from '../process/kept.ts'
import { loadOnce } from '../process/load-once.ts'

export type StsPolicies = {
  /** The mail servers that the domain's policy enforces, as names or `*.` patterns; null if it has no policy to enforce. */
  enforced(domain: string): Promise<readonly string[] | null>
  /** The domain's policy, enforced or in testing, for our TLS report; null if it has none. */
  reported(domain: string): Promise<ReportedPolicy | null>
}

export type ReportedPolicy = Pick<StsPolicyDoc, 'mode' | 'servers'> & {
  readonly maxAgeSeconds: number
  /** Why no policy could be fetched although the domain announces one; null if there is no problem. */
  readonly problem: string | null
}

/**
 * Domains cached in memory, and for how long a domain is not looked up again (RFC 8461 3.3: five minutes after a
 * failure).
 */
const knownMax = 10_000
const freshMs = 5 * minuteMs
/** A policy is fetched again each day, so that an attacker cannot simply wait until it expires (RFC 8461 10.2). */
const refreshMs = dayMs
const fetchMs = 15_000
/** Servers of a policy that are kept; more than this is abuse. */
const serversMax = 100

type StsRequests = { readonly resolvePolicy: typeof resolvePolicy; readonly fetchPolicy: typeof fetchPolicy }

/** The library is loaded for the first domain that is looked up. */
const load = loadOnce(() => import('mailauth/lib/mta-sts.js'))
const mailauth: StsRequests = {
  resolvePolicy: async (...given) => (await load()).resolvePolicy(...given),
  fetchPolicy: async (...given) => (await load()).fetchPolicy(...given),
}

/** Creates the cache of policies of this process. `world` makes the DNS and HTTPS requests; tests replace it. */
export function createStsPolicies(
  ctx: Pick<Context, 'settings' | 'store' | 'resolver' | 'clock' | 'log'>,
  world: StsRequests = mailauth,
): StsPolicies {
  const known = createKept<StsPolicyDoc | null>(ctx.clock, { max: knownMax, ttlMs: freshMs })
  const problems = createKept<string>(ctx.clock, { max: knownMax, ttlMs: freshMs })
  const underWay = new Map<string, Promise<StsPolicyDoc | null>>()

  async function policyOf(domain: string): Promise<StsPolicyDoc | null> {
    const last = known.get(domain)
    if (last !== undefined) return last
    const policy = await findPolicy(domain, ctx.clock.now())
    known.set(domain, policy)
    return policy
  }

  async function findPolicy(domain: string, now: Date): Promise<StsPolicyDoc | null> {
    const kept = await findStsPolicy(ctx.store, domain, now)
    try {
      const policyId = await world.resolvePolicy(domain, options)
      // Without a TXT record an earlier policy applies until it ends (RFC 8461 5).
      if (policyId === false) return kept
      if (kept?.policyId === policyId && now < after(kept.fetchedAt, refreshMs)) return kept
      const fetched = await world.fetchPolicy(domain, options)
      if (fetched === false) throw new Error('The host of the MTA-STS policy has no public address.')
      const { mode, mx = [], maxAge = 0 } = fetched
      const policy: StsPolicyDoc = {
        _id: domain,
        policyId,
        mode,
        servers: mx.slice(0, serversMax),
        fetchedAt: now,
        expiresAt: after(now, maxAge * 1_000),
      }
      await keepStsPolicy(ctx.store, policy)
      return policy
    } catch (error) {
      if (kept !== null && kept.mode !== 'none')
        ctx.log.warn(
          { err: error, domain, expiresAt: kept.expiresAt },
          'the MTA-STS policy could not be fetched again; the stored one stays in force',
        )
      else problems.set(domain, error instanceof Error ? error.message : String(error))
      return kept
    }
  }

  // The policy host is reached at an address that this returns, so that no second lookup can name another one.
  const options = {
    strict: true,
    timeout: fetchMs,
    async resolver(name: string, type: string) {
      if (type === 'TXT') return (await ctx.resolver.resolve(name, 'TXT')).map((texts) => [...texts])
      const addresses = await ctx.resolver.resolve(name, type === 'AAAA' ? 'AAAA' : 'A')
      return ctx.settings.outbound.allowPrivate ? addresses : addresses.filter(isPublicAddress)
    },
  }

  function askedOnce(domain: string): Promise<StsPolicyDoc | null> {
    const asked = underWay.get(domain) ?? policyOf(domain).finally(() => underWay.delete(domain))
    underWay.set(domain, asked)
    return asked
  }

  return {
    async enforced(domain) {
      const policy = await askedOnce(domain)
      return policy?.mode === 'enforce' ? policy.servers : null
    },
    async reported(domain) {
      const policy = await askedOnce(domain)
      const problem = problems.get(domain) ?? null
      if (policy === null) return problem === null ? null : { mode: 'none', servers: [], maxAgeSeconds: 0, problem }
      const { mode, servers, fetchedAt, expiresAt } = policy
      if (mode === 'none') return null
      return { mode, servers, maxAgeSeconds: (expiresAt.getTime() - fetchedAt.getTime()) / 1_000, problem: null }
    },
  }
}

/** Whether a pattern of a policy matches a server. A wildcard stands for exactly the leftmost label (RFC 8461 4.1). */
export function namesServer(pattern: string, server: string): boolean {
  const host = server.toLowerCase().replace(/\.$/, '')
  const wanted = pattern.toLowerCase().replace(/\.$/, '')
  return wanted.startsWith('*.') ? host.slice(host.indexOf('.') + 1) === wanted.slice(2) : host === wanted
}
