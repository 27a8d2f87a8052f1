import type { Attempt, Outcome } from '../../core/attempt.ts'
import type { Context } from '../../core/context.ts'
import { deliverLocally } from '../../core/outbox.ts'
import { recordSent } from '../../core/outcomes.ts'
import type { Policies } from './policy.ts'
import { findRoute, type Network, type Route } from './route.ts'
import type { TlsPolicy } from './session.ts'

/** A server, and what TLS with it must be; `policy` names that, so that connections are shared only under the same. */
export type Way = { readonly route: Route; readonly tls: TlsPolicy; readonly policy: string }

/** What carries a message to one server. Resolves with what came of it, whatever that is; rejects only for a fault of ours. */
export type Carrier = {
  send(attempt: Attempt, raw: Buffer, way: Way): Promise<Outcome>
}

/** What lies outside this machine, and how to get there. */
export type Outside = { readonly network: Network; readonly policies: Policies; readonly carrier: Carrier }

/**
 * Makes one attempt to deliver to one recipient: to a mailbox of ours, or to one address of its domain. Never rejects: what
 * goes wrong on our side is `deferred`.
 */
export async function deliver(ctx: Context, outside: Outside, attempt: Attempt): Promise<Outcome> {
  try {
    return (await deliverLocally(ctx, attempt)) ?? (await deliverRemotely(ctx, outside, attempt))
  } catch (error) {
    ctx.log.error({ err: error, attempt: attempt.id }, 'delivery failed')
    return { status: 'deferred', response: '451 4.3.0 local error', mx: null, tls: false, at: ctx.clock.now() }
  }
}

async function deliverRemotely(
  ctx: Context,
  { network, policies, carrier }: Outside,
  attempt: Attempt,
): Promise<Outcome> {
  const { domain, emailId: seed } = attempt
  const nowhere = { mx: null, tls: false, at: ctx.clock.now() }
  const route = await findRoute(network, { domain, attempt: attempt.attempt, seed })
  if ('status' in route) return { ...route, ...nowhere }
  const policy = await policies.find(domain, route).catch((error: unknown) => {
    ctx.log.warn({ err: error, domain }, 'the DNS does not say what TLS must be')
    return null
  })
  if (policy === null)
    return { status: 'deferred', response: '451 4.7.5 the DNS does not say what TLS must be', ...nowhere }
  const raw = await attempt.readRaw()
  recordSent(ctx, attempt).catch((error: unknown) => ctx.log.warn({ err: error }, 'a mail on its way is not noted'))
  return carrier.send(attempt, raw, { route, tls: policy.tls, policy: policy.name })
}
