/** Mail goes out: recipients that are due are claimed from the database and delivered by Haraka's engine. */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { HMailItem, Logs, Plugin, Server } from '../haraka.d.ts'
import { accept, hook } from '../hook.ts'
import { context, onStop } from '../process.ts'
import { startClaims } from './claims.ts'
import { deliver } from './deliver.ts'
import { harakaEngine, outboundModules } from './engine.ts'
import { type AttemptMail, exchangerOf } from './mail.ts'
import { networkOf } from './network.ts'

/** What is in flight at a stop may take this long; after that its lease lapses. */
const stopTimeoutMs = 10_000

let modules: ReturnType<typeof outboundModules>

export function register(this: Plugin): void {
  modules = outboundModules(this)
  this.register_hook('init_master', 'startDelivering')
  this.register_hook('get_mx', 'answerRoute')
}

/** init_master: after the lifecycle plugin has emptied the queue folder and opened the context. */
export const startDelivering = hook(async (_server: Server & Partial<Logs>) => {
  const ctx = await context()
  const network = networkOf(ctx)
  const engine = harakaEngine(ctx, modules)
  const claims = startClaims(ctx, {
    owner: `${hostname()} ${process.pid} ${randomUUID()}`,
    deliver: (attempt) => deliver(ctx, network, engine, attempt),
  })
  onStop((timeoutMs) => claims.stop(Math.min(timeoutMs, stopTimeoutMs)))
  return undefined
})

/** get_mx: the one address this attempt is for. */
export const answerRoute = hook((mail: HMailItem & Partial<AttemptMail>) =>
  mail.route === undefined ? undefined : accept(exchangerOf(mail.route)),
)
