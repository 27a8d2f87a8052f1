import type { Context } from '../../core/process/context.ts'

/** Names that are remembered for `keptMs`. Invariant: at most `max` of them; the oldest is forgotten first. */
export class Recent {
  readonly #ctx: Pick<Context, 'clock'>
  readonly #keptMs: number
  readonly #max: number
  readonly #untilMs = new Map<string, number>()

  constructor(ctx: Pick<Context, 'clock'>, { keptMs, max }: { keptMs: number; max: number }) {
    this.#ctx = ctx
    this.#keptMs = keptMs
    this.#max = max
  }

  has(name: string): boolean {
    return (this.#untilMs.get(name) ?? 0) > this.#ctx.clock.now().getTime()
  }

  add(name: string): void {
    this.#untilMs.delete(name)
    this.#untilMs.set(name, this.#ctx.clock.now().getTime() + this.#keptMs)
    const [oldest] = this.#untilMs.keys()
    if (this.#untilMs.size > this.#max && oldest !== undefined) this.#untilMs.delete(oldest)
  }
}
