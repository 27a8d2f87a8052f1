/** Delivers outgoing mail in this process, as the outbound plugin does for local and simulated recipients. */
import { claimAttempts, deliverLocally } from '../../core/deliver/outbox.ts'
import { recordOutcome } from '../../core/deliver/outcomes.ts'
import type { Context } from '../../core/process/context.ts'
import { settleDue } from '../../core/send/settle.ts'

/** Delivers all waiting mail for recipients of this service. */
export async function carryOutgoing(ctx: Context): Promise<void> {
  // Work in the background may start a send, whose settling is also work in the background.
  for (let begun = 0; begun < 2; begun++) await ctx.background.done()
  for (const attempt of await claimAttempts(ctx, { owner: 'test', max: 500 })) {
    const outcome = await deliverLocally(ctx, attempt)
    if (outcome !== null) await recordOutcome(ctx, attempt, outcome)
  }
  await settleDue(ctx)
}
