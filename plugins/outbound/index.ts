/** Delivers outgoing mail: claims the recipients that are due from the database, and sends to their servers. */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { createStsPolicies } from '../../core/deliver/mta-sts.ts'
import { writeTlsResults } from '../../core/deliverability/tls-results.ts'
import type { Logs, Plugin, Server } from '../haraka.d.ts'
import { hook } from '../hook.ts'
import { context, onStop } from '../process.ts'
import { createCarrier } from './carrier.ts'
import { startClaims } from './claims.ts'
import { deliver } from './deliver.ts'
import { networkOf } from './network.ts'
import { createPolicies } from './tls-policy.ts'

/** How long mail in flight may take after a stop. Mail that takes longer is due again when its lease lapses. */
const stopTimeoutMs = 10_000

export function register(this: Plugin): void {
  this.register_hook('init_master', 'startDelivering')
}

/** init_master: runs after the lifecycle plugin has opened the context. */
export const startDelivering = hook(async (_server: Server & Partial<Logs>) => {
  const ctx = await context()
  const carrier = createCarrier(ctx)
  const outside = { network: networkOf(ctx), policies: createPolicies(ctx, createStsPolicies(ctx)), carrier }
  const claims = startClaims(ctx, {
    owner: `${hostname()} ${process.pid} ${randomUUID()}`,
    deliver: (attempt) => deliver(ctx, outside, attempt),
  })
  onStop(async (timeoutMs) => {
    await claims.stop(Math.min(timeoutMs, stopTimeoutMs))
    carrier.close()
    await writeTlsResults(ctx)
  })
  return undefined
})
