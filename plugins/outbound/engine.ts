/** Haraka's outbound engine as something that carries one message to one server and tells what came of it. */

import type { Attempt, Outcome } from '../../core/attempt.ts'
import type { Context } from '../../core/context.ts'
import type { HMailItem, OutboundModules, Plugin } from '../haraka.d.ts'
import { outcomeOf } from '../outcome/outcomes.ts'
import type { Engine } from './deliver.ts'
import { attemptMailClass } from './mail.ts'
import type { Route } from './route.ts'

/** Longer than all time limits of an honest dialogue together. */
const attemptTimeoutMs = 1_200_000
const noTlsMs = 3_600_000
const noTlsMax = 10_000

/** Makes the engine out of the running Haraka's modules. The hooks of plugins/outcome settle what it sends. */
export function harakaEngine(ctx: Context, modules: OutboundModules): Engine {
  const noTls = new Recent(ctx)
  const AttemptMail = attemptMailClass(modules, noTls)
  // Haraka keeps this list in Redis or not at all.
  modules.tls.check_tls_nogo = (address, go, noGo) => (noTls.has(address) ? noGo('its last handshake') : go())
  return {
    send: (attempt: Attempt, raw: Buffer, route: Route) =>
      new Promise<Outcome>((resolve) => {
        const mail = new AttemptMail({
          attempt,
          raw,
          route,
          settle: () => {
            clearTimeout(timer)
            resolve(outcomeOf(mail.dialogue(), { mx: route.name, at: ctx.clock.now() }))
          },
        })
        const timer = setTimeout(() => {
          mail.abort()
          mail.settle()
        }, attemptTimeoutMs)
        modules.deliveryQueue.push(mail)
      }),
  }
}

/** The modules of the running Haraka that its outbound engine consists of. */
export function outboundModules(plugin: Plugin): OutboundModules {
  const queue = plugin.haraka_require('outbound/queue') as { delivery_queue: OutboundModules['deliveryQueue'] }
  const files = plugin.haraka_require('outbound/qfile') as { name(): string }
  return {
    HMailItem: plugin.haraka_require('outbound/hmail') as typeof HMailItem,
    deliveryQueue: queue.delivery_queue,
    newFileName: () => files.name(),
    pool: plugin.haraka_require('outbound/client_pool') as OutboundModules['pool'],
    tls: plugin.haraka_require('outbound/tls') as OutboundModules['tls'],
  }
}

/** Addresses of the last hour. Invariant: at most `noTlsMax`, the oldest goes first. */
class Recent {
  readonly #ctx: Pick<Context, 'clock'>
  readonly #untilMs = new Map<string, number>()

  constructor(ctx: Pick<Context, 'clock'>) {
    this.#ctx = ctx
  }

  has(address: string): boolean {
    return (this.#untilMs.get(address) ?? 0) > this.#ctx.clock.now().getTime()
  }

  add(address: string): void {
    this.#untilMs.delete(address)
    this.#untilMs.set(address, this.#ctx.clock.now().getTime() + noTlsMs)
    const [oldest] = this.#untilMs.keys()
    if (this.#untilMs.size > noTlsMax && oldest !== undefined) this.#untilMs.delete(oldest)
  }
}
