/** Delivers the mail of a sandbox, in the process that moved its clock. No mail leaves the machine. */
import { newToken } from '../../schemas/ids.ts'
import type { Attempt, Outcome } from '../deliver/attempt.ts'
import { claimAttemptsOf, deliverLocally, faultOf } from '../deliver/outbox.ts'
import { recordOutcome } from '../deliver/outcomes.ts'
import type { Context } from '../process/context.ts'

const attemptsMax = 100

/** Makes the delivery attempts of a sandbox that are due. Returns how many. */
export async function deliverOwn(ctx: Context, accountId: string): Promise<number> {
  const attempts = await claimAttemptsOf(ctx, accountId, { owner: `test clock ${newToken()}`, max: attemptsMax })
  await Promise.all(attempts.map(async (attempt) => recordOutcome(ctx, attempt, await outcomeOf(ctx, attempt))))
  return attempts.length
}

async function outcomeOf(ctx: Context, attempt: Attempt): Promise<Outcome> {
  try {
    return (await deliverLocally(ctx, attempt)) ?? nowhere(ctx)
  } catch (error) {
    return faultOf(ctx, attempt, error)
  }
}

/** The outcome for a recipient whose domain was deleted after the mail was accepted. */
const nowhere = (ctx: Context): Outcome => ({
  status: 'bounced',
  response: '550 5.7.1 a sandbox writes to nobody outside',
  mx: null,
  tls: false,
  at: ctx.clock.now(),
})
