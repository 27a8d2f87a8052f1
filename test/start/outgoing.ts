/** Mail on its way out, carried in this process: what the outbound plugin does for recipients here and simulated ones. */
import { claimAttempts, deliverLocally } from '../../core/deliver/outbox.ts'
import { recordOutcome } from '../../core/deliver/outcomes.ts'
import type { Context } from '../../core/process/context.ts'
import { settleDue } from '../../core/send/settle.ts'

/** Delivers all mail that waits for recipients of this service. */
export async function carryOutgoing(ctx: Context): Promise<void> {
  // What is begun in the background may begin a send there, which is settled after it.
  for (let begun = 0; begun < 2; begun++) await ctx.background.done()
  for (const attempt of await claimAttempts(ctx, { owner: 'test', max: 500 })) {
    const outcome = await deliverLocally(ctx, attempt)
    if (outcome !== null) await recordOutcome(ctx, attempt, outcome)
  }
  await settleDue(ctx)
}
