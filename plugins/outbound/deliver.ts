import type { Attempt, Outcome } from '../../core/deliver/attempt.ts'
import { deliverLocally, faultOf } from '../../core/deliver/outbox.ts'
import { recordSent } from '../../core/deliver/outcomes.ts'
import { noteTlsSession, type ReportedPolicyDoc } from '../../core/deliverability/tls-results.ts'
import { inTimeOf } from '../../core/process/account-time.ts'
import type { Context } from '../../core/process/context.ts'
import { findRoutes, type Network } from './route.ts'
import type { Route } from './smtp/session.ts'
import { anyTlsPolicy, type FoundPolicy, notNamed, type Policies } from './tls-policy.ts'

/** A server, and the TLS policy for it. Only mail under the same `policy` shares a connection. */
export type Way = { readonly route: Route; readonly policy: FoundPolicy }

/** Sends a message to one server. Resolves with the outcome, whatever it is; rejects only for a fault of ours. */
export type Carrier = {
  send(attempt: Attempt, raw: Buffer, way: Way): Promise<Outcome>
}

/** What is needed to reach other servers. */
export type Outside = { readonly network: Network; readonly policies: Policies; readonly carrier: Carrier }

/**
 * Makes one attempt to deliver to one recipient: to a mailbox of ours, or to a server of the recipient's domain. Never rejects:
 * a fault of ours is a deferral, and does not count as an attempt if the database is unreachable.
 */
export async function deliver(process: Context, outside: Outside, attempt: Attempt): Promise<Outcome> {
  const ctx = inTimeOf(process, attempt.accountId)
  try {
    return await ctx.tracing.span(
      'delivery',
      { cause: attempt, kind: 'client' },
      async () => (await deliverLocally(ctx, attempt)) ?? (await deliverRemotely(ctx, outside, attempt)),
    )
  } catch (error) {
    return faultOf(ctx, attempt, error)
  }
}

/** Unreachable servers that one attempt tries: each may take the whole time to connect, and a domain may name forty. */
const unreachedMax = 3

/**
 * Each attempt begins at the server after the one at which the last attempt began. If that one cannot be reached, the next is tried
 * at once (RFC 5321 5.1). If all servers are in backoff or have no free connection, it does not count as an attempt.
 */
async function deliverRemotely(ctx: Context, outside: Outside, attempt: Attempt): Promise<Outcome> {
  const { domain, emailId: seed } = attempt
  const nowhere = (status: Outcome['status'], response: string): Outcome => ({
    status,
    response,
    mx: null,
    tls: false,
    at: ctx.clock.now(),
  })
  const found = await findRoutes(outside.network, { domain, seed })
  if ('status' in found) return nowhere(found.status, found.response)
  const routes = attempt.anyTls === true ? found : await outside.policies.permitted(domain, found)
  if (routes.length === 0) {
    noteUnnamed(ctx, { domain, reported: await outside.policies.reported(domain), servers: found })
    return nowhere('deferred', `451 4.7.5 the MTA-STS policy of ${domain} names none of its mail servers`)
  }
  const raw = await attempt.readRaw()
  recordSent(ctx, attempt).catch((error: unknown) =>
    ctx.log.warn({ err: error }, 'mail could not be recorded as being sent'),
  )
  const first = (attempt.attempt - 1) % routes.length
  const putOff: Outcome[] = []
  const unreached: Outcome[] = []
  for (const route of [...routes.slice(first), ...routes.slice(0, first)]) {
    const policy = attempt.anyTls === true ? anyTlsPolicy : await policyFor(ctx, outside, { domain, route })
    if (policy === null) return nowhere('deferred', '451 4.7.5 the TLS policy could not be looked up in the DNS')
    const outcome = await outside.carrier.send(attempt, raw, { route, policy })
    if (outcome.unreached === true) unreached.push(outcome)
    // No pause is asked for: the lease lapsed, and another server would not change that.
    else if (outcome.untried !== true || pauseOf(outcome) === 0) return outcome
    else putOff.push(outcome)
    if (unreached.length === unreachedMax) break
  }
  return unreached.at(-1) ?? putOff.sort((a, b) => pauseOf(a) - pauseOf(b))[0]!
}

async function policyFor(
  ctx: Context,
  { policies }: Outside,
  { domain, route }: { domain: string; route: Route },
): Promise<FoundPolicy | null> {
  try {
    return await policies.find(domain, route)
  } catch (error) {
    ctx.log.warn({ err: error, domain }, 'the TLS policy of a server could not be looked up in the DNS')
    return null
  }
}

/** Notes for our TLS report that the domain's policy leaves no server to send to. */
function noteUnnamed(
  ctx: Context,
  {
    domain,
    reported: policy,
    servers,
  }: { domain: string; reported: ReportedPolicyDoc | null; servers: readonly Route[] },
): void {
  const [server] = servers
  if (policy === null || server === undefined) return
  noteTlsSession(ctx, { domain, kind: { policy, mx: server.name, address: server.address, failure: notNamed } })
}

const pauseOf = ({ retryAfterSeconds = 0 }: Outcome) => retryAfterSeconds
