/** How often an account may resend deliveries and send test events (interface.md, Events, rule 9). */
import { takeRolling } from '../access/usage.ts'
import { minuteMs, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'

/** Most resends and tests of an account in any window of `resendWindowMs`. */
export const resendsMax = 20
export const resendWindowMs = 10 * minuteMs

/** Counts a resend or a test event. Returns null, or how long to wait when there are too many. */
export async function takeResend(ctx: Context, accountId: string): Promise<number | null> {
  const limit = { owner: accountId, counter: 'resends', limit: resendsMax, windowMs: resendWindowMs }
  const granted = await takeRolling(ctx, limit)
  return 'waitSeconds' in granted ? granted.waitSeconds * secondMs : null
}
