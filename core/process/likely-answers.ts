/**
 * What a question was answered with lately: the account of a key, the mailbox of an address. Such an answer is never taken
 * for true again; it lets the next question be asked beside the first one instead of after it.
 */
import type { Context } from './context.ts'
import { perStore } from './per-process.ts'

type Kind = 'account of key' | 'mailbox of address'

/** Of each kind; the oldest are forgotten. */
const hintsMax = 10_000

const known = perStore((): { readonly [K in Kind]: Map<string, string> } => ({
  'account of key': new Map(),
  'mailbox of address': new Map(),
}))

export function hintOf(ctx: Context, kind: Kind, name: string): string | undefined {
  return known(ctx)[kind].get(name)
}

export function hint(ctx: Context, kind: Kind, name: string, value: string): void {
  const own = known(ctx)
  own[kind].set(name, value)
  const [oldest] = own[kind].keys()
  if (own[kind].size > hintsMax && oldest !== undefined) own[kind].delete(oldest)
}
