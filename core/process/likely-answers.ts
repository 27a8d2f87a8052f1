/**
 * Guesses at answers, from what the same lookup returned lately: the account of a key, the mailbox of an address. A
 * guess is never trusted; it lets the next lookup run beside the one that checks the guess instead of after it.
 */
import { hourMs } from './clock.ts'
import type { Context } from './context.ts'
import { createKept, type Kept } from './kept.ts'
import { perProcess } from './per-process.ts'

type Kind = 'account of key' | 'mailbox of address'

/** Guesses kept of each kind. */
const answersMax = 10_000

const answersOf = perProcess(({ clock }): { readonly [K in Kind]: Kept<string> } => {
  const policy = { max: answersMax, ttlMs: hourMs, renewOnUse: true }
  return { 'account of key': createKept(clock, policy), 'mailbox of address': createKept(clock, policy) }
})

/** Returns what a lookup of this kind returned last; undefined when that is not known. */
export function likelyAnswer(ctx: Context, kind: Kind, question: string): string | undefined {
  return answersOf(ctx)[kind].get(question)
}

/** Remembers what a lookup returned. */
export function noteAnswer(ctx: Context, kind: Kind, question: string, answer: string): void {
  answersOf(ctx)[kind].set(question, answer)
}
