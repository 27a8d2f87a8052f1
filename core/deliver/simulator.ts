/**
 * Simulated recipients at the reserved domain `simulator.invalid` (decisions.md 2, Simulated recipients): they produce an
 * outcome through the real pipeline without leaving the machine.
 */
import { splitAddress, withoutTag } from '../../mail/message/address.ts'
import type { Context } from '../process/context.ts'
import type { Attempt, Outcome } from './attempt.ts'

const simulatorDomain = 'simulator.invalid'
const slowMs = 5_000

type Play = Pick<Outcome, 'status' | 'response'>

const plays: { readonly [name: string]: Play } = {
  delivered: { status: 'delivered', response: '250 2.0.0 delivered (simulated)' },
  bounced: { status: 'bounced', response: '550 5.1.1 no such user (simulated)' },
  softbounced: { status: 'deferred', response: '452 4.2.2 mailbox full (simulated)' },
  complained: { status: 'delivered', response: '250 2.0.0 delivered, a complaint follows (simulated)' },
  slow: { status: 'delivered', response: '250 2.0.0 delivered slowly (simulated)' },
}

/** The outcome of a simulated recipient; null for every other one. Unknown names bounce. */
export async function simulate(ctx: Context, { recipient, domain }: Attempt): Promise<Outcome | null> {
  if (domain !== simulatorDomain) return null
  const { local } = splitAddress(withoutTag(recipient).base)
  const play = plays[local] ?? plays.bounced!
  if (local === 'slow') await new Promise((resolve) => setTimeout(resolve, slowMs))
  return { ...play, mx: simulatorDomain, tls: false, at: ctx.clock.now() }
}

/** Whether a recipient is one that never leaves the machine. */
export function isSimulated(recipient: string): boolean {
  return splitAddress(recipient).domain === simulatorDomain
}

/** Whether a delivered recipient complains afterwards. */
export function complains(recipient: string): boolean {
  const { local, domain } = splitAddress(withoutTag(recipient).base)
  return domain === simulatorDomain && local === 'complained'
}
