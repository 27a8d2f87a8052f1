import type { Context } from './context.ts'

/** The part of the context that belongs to no request; per-process state is made from it. */
export type ProcessContext = Omit<Context, 'log' | 'requestId' | 'requestedAt' | 'onceId' | 'mayRepeat'>

/**
 * State that a process has once, shared by all its requests: made at the first use, and freed together with the store
 * of the process. `Context` (core/process/context.ts) lists all of it.
 */
export function perProcess<T>(make: (process: ProcessContext) => T): (ctx: ProcessContext) => T {
  const states = new WeakMap<object, { readonly value: T }>()
  return (ctx) => {
    const existing = states.get(ctx.store)
    if (existing !== undefined) return existing.value
    const created = { value: make({ ...ctx, clock: ctx.machineClock }) }
    states.set(ctx.store, created)
    return created.value
  }
}
