/**
 * MTA-STS policies of other domains (RFC 8461), kept in the database: who can keep us from a policy must not get around it by
 * our restart. Invariant: a policy that was had counts until its max_age is over, whatever fails meanwhile.
 */
import type { fetchPolicy, resolvePolicy } from 'mailauth/lib/mta-sts.js'
import type { StsPolicyDoc } from '../../store/documents/sending.ts'
import { findStsPolicy, keepStsPolicy } from '../../store/sts-policies.ts'
import { after, dayMs, minuteMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { createKept } from '../process/kept.ts'
import { loadOnce } from '../process/load-once.ts'

export type StsPolicies = {
  /** The mail servers a domain asks to insist on, as names or `*.` patterns; null: it asks for nothing. */
  enforced(domain: string): Promise<readonly string[] | null>
}

/** Domains remembered, and for how long nothing is asked about them (RFC 8461 3.3: five minutes after a failure). */
const knownMax = 10_000
const freshMs = 5 * minuteMs
/** RFC 8461 10.2: a policy is had again each day, so that nobody only has to wait for its end. */
const refreshMs = dayMs
const fetchMs = 15_000
/** A domain with more servers is making us work. */
const serversMax = 100

type World = { readonly resolvePolicy: typeof resolvePolicy; readonly fetchPolicy: typeof fetchPolicy }

/** The library comes with the first domain that is asked about. */
const load = loadOnce(() => import('mailauth/lib/mta-sts.js'))
const mailauth: World = {
  resolvePolicy: async (...given) => (await load()).resolvePolicy(...given),
  fetchPolicy: async (...given) => (await load()).fetchPolicy(...given),
}

/** Makes the finder of this process. `world` answers for the DNS and the policy hosts. */
export function createStsPolicies(
  ctx: Pick<Context, 'store' | 'resolver' | 'clock' | 'log'>,
  world: World = mailauth,
): StsPolicies {
  const known = createKept<StsPolicyDoc | null>(ctx.clock, { max: knownMax, ttlMs: freshMs })
  const asking = new Map<string, Promise<StsPolicyDoc | null>>()

  async function policyOf(domain: string): Promise<StsPolicyDoc | null> {
    const last = known.get(domain)
    if (last !== undefined) return last
    const policy = await look(domain, ctx.clock.now())
    known.set(domain, policy)
    return policy
  }

  async function look(domain: string, now: Date): Promise<StsPolicyDoc | null> {
    const kept = await findStsPolicy(ctx.store, domain, now)
    try {
      const policyId = await world.resolvePolicy(domain, options)
      // Without a record a policy counts all the same until it ends (RFC 8461 5).
      if (policyId === false) return kept
      if (kept?.policyId === policyId && now < after(kept.fetchedAt, refreshMs)) return kept
      const fetched = await world.fetchPolicy(domain, options)
      if (fetched === false) throw new Error('the policy host has no address')
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
        ctx.log.warn({ err: error, domain, expiresAt: kept.expiresAt }, 'the MTA-STS policy was not had again')
      return kept
    }
  }

  const options = {
    strict: true,
    timeout: fetchMs,
    resolver: async (name: string, type: string) =>
      type === 'TXT'
        ? (await ctx.resolver.resolve(name, 'TXT')).map((texts) => [...texts])
        : ctx.resolver.resolve(name, type === 'AAAA' ? 'AAAA' : 'A'),
  }

  return {
    async enforced(domain) {
      const asked = asking.get(domain) ?? policyOf(domain).finally(() => asking.delete(domain))
      asking.set(domain, asked)
      const policy = await asked
      return policy?.mode === 'enforce' ? policy.servers : null
    },
  }
}

/** Whether a pattern of a policy means a server: a wildcard stands for the leftmost label (RFC 8461 4.1). */
export function namesServer(pattern: string, server: string): boolean {
  const host = server.toLowerCase().replace(/\.$/, '')
  const wanted = pattern.toLowerCase().replace(/\.$/, '')
  return wanted.startsWith('*.') ? host.slice(host.indexOf('.') + 1) === wanted.slice(2) : host === wanted
}
