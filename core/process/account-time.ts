/** The time of an account: work for an account is done in a context with its clock, which for a sandbox may be ahead. */
import type { Due } from '../../store/due.ts'
import { after } from './clock.ts'
import type { Context } from './context.ts'

/** The context for work on an account: with the time of that account. */
export function inTimeOf(ctx: Context, accountId: string): Context {
  const clock = ctx.testClocks.of(accountId)
  if (clock === ctx.clock) return ctx
  const movedMs = (clock.aheadMs ?? 0) - (ctx.clock.aheadMs ?? 0)
  return { ...ctx, clock, requestedAt: ctx.requestedAt === null ? null : after(ctx.requestedAt, movedMs) }
}

/** The condition for what is due now, in one account or in all, each by its own clock. */
export function dueNow(ctx: Context, accountId?: string): Due {
  if (accountId !== undefined) return { now: inTimeOf(ctx, accountId).clock.now(), accountId }
  const ahead = ctx.testClocks.moved().map((id) => ({ accountId: id, now: ctx.testClocks.of(id).now() }))
  return { now: ctx.machineClock.now(), ahead }
}
