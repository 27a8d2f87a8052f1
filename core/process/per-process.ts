import type { Context } from './context.ts'

/** What the makers of per-process state are given: nothing that belongs to one request. */
export type Process = Omit<Context, 'log' | 'requestId' | 'requestedAt' | 'onceId' | 'likelyMailbox'>

/**
 * Something a process has one of, shared by the contexts of all its requests: made when it is first asked for, and gone with the
 * store it stands beside. All of it is listed at `Context` (core/process/context.ts).
 */
export function perProcess<T>(make: (process: Process) => T): (ctx: Process) => T {
  const made = new WeakMap<object, { readonly value: T }>()
  return (ctx) => {
    const known = made.get(ctx.store)
    if (known !== undefined) return known.value
    const fresh = { value: make(ctx) }
    made.set(ctx.store, fresh)
    return fresh.value
  }
}
