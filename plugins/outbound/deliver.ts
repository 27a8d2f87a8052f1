import type { Attempt, Outcome } from '../../core/attempt.ts'
import type { Context } from '../../core/context.ts'
import { deliverLocally, recordSent } from '../../core/outbox.ts'
import { findRoute, type Network, type Route } from './route.ts'

/** What carries a message to one server. Resolves with what came of it, whatever that is; rejects only for a fault of ours. */
export type Engine = {
  send(attempt: Attempt, raw: Buffer, route: Route): Promise<Outcome>
}

/**
 * Makes one attempt to deliver to one recipient: to a mailbox of ours, or to one address of its domain. Never rejects: what
 * goes wrong on our side is `deferred`.
 */
export async function deliver(ctx: Context, network: Network, engine: Engine, attempt: Attempt): Promise<Outcome> {
  try {
    return (await deliverLocally(ctx, attempt)) ?? (await deliverRemotely(ctx, network, engine, attempt))
  } catch (error) {
    ctx.log.error({ err: error, attempt: attempt.id }, 'delivery failed')
    return { status: 'deferred', response: '451 4.3.0 local error', mx: null, tls: false, at: ctx.clock.now() }
  }
}

async function deliverRemotely(ctx: Context, network: Network, engine: Engine, attempt: Attempt): Promise<Outcome> {
  const { domain, emailId: seed } = attempt
  const route = await findRoute(network, { domain, attempt: attempt.attempt, seed })
  if ('status' in route) return { ...route, mx: null, tls: false, at: ctx.clock.now() }
  const raw = await attempt.readRaw()
  await recordSent(ctx, attempt)
  return engine.send(attempt, raw, route)
}
