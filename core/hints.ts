/**
 * What a question was answered with lately: the account of a key, the mailbox of an address. Such an answer is never taken
 * for true again; it lets the next question be asked beside the first one instead of after it.
 */
import type { Context } from './context.ts'

type Kind = 'account of key' | 'mailbox of address'

/** Of each kind; the oldest are forgotten. */
const hintsMax = 10_000

/** Kept beside the store, which is one per process and shared by the contexts of its requests. */
const known = new WeakMap<object, { readonly [K in Kind]: Map<string, string> }>()

export function hintOf(ctx: Context, kind: Kind, name: string): string | undefined {
  return known.get(ctx.store)?.[kind].get(name)
}

export function hint(ctx: Context, kind: Kind, name: string, value: string): void {
  const own = known.get(ctx.store) ?? { 'account of key': new Map(), 'mailbox of address': new Map() }
  known.set(ctx.store, own)
  own[kind].set(name, value)
  const [oldest] = own[kind].keys()
  if (own[kind].size > hintsMax && oldest !== undefined) own[kind].delete(oldest)
}
