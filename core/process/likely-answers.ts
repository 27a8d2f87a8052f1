/**
 * What a question was answered with lately: the account of a key, the mailbox of an address. Such an answer is never taken
 * for true again; it lets the next question be asked beside the first one instead of after it.
 */
import { hourMs } from './clock.ts'
import type { Context } from './context.ts'
import { createKept, type Kept } from './kept.ts'
import { perProcess } from './per-process.ts'

type Kind = 'account of key' | 'mailbox of address'

/** Of each kind. */
const answersMax = 10_000

const lately = perProcess(({ clock }): { readonly [K in Kind]: Kept<string> } => {
  const policy = { max: answersMax, ttlMs: hourMs, isRenewed: true }
  return { 'account of key': createKept(clock, policy), 'mailbox of address': createKept(clock, policy) }
})

/** What a question of this kind was answered with lately; undefined when that is not known. */
export function likelyAnswer(ctx: Context, kind: Kind, question: string): string | undefined {
  return lately(ctx)[kind].get(question)
}

/** Remembers what a question was answered with. */
export function noteAnswer(ctx: Context, kind: Kind, question: string, answer: string): void {
  lately(ctx)[kind].set(question, answer)
}
