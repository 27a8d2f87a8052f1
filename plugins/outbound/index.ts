/** Mail goes out: recipients that are due are claimed from the database and carried to their servers. */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { createStsPolicies } from '../../core/deliver/mta-sts.ts'
import type { Logs, Plugin, Server } from '../haraka.d.ts'
import { hook } from '../hook.ts'
import { context, onStop } from '../process.ts'
import { createCarrier } from './carrier.ts'
import { startClaims } from './claims.ts'
import { deliver } from './deliver.ts'
import { networkOf } from './network.ts'
import { createPolicies } from './tls-policy.ts'

/** What is in flight at a stop may take this long; after that its lease lapses. */
const stopTimeoutMs = 10_000

export function register(this: Plugin): void {
  this.register_hook('init_master', 'startDelivering')
}

/** init_master: after the lifecycle plugin has opened the context. */
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
  })
  return undefined
})
