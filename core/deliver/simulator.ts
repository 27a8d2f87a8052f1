/**
 * Simulated recipients at the reserved domain `simulator.invalid` (decisions.md 2, Simulated recipients). Each produces an
 * outcome through the real pipeline without any mail leaving the machine.
 */
import { splitAddress, withoutTag } from '../../mail/message/address.ts'
import { simulatorDomain } from '../mailbox/domains.ts'
import type { Context } from '../process/context.ts'
import type { Attempt, Outcome } from './attempt.ts'

const slowMs = 5_000

type Simulation = Pick<Outcome, 'status' | 'response'>

const simulations: { readonly [name: string]: Simulation } = {
  delivered: { status: 'delivered', response: '250 2.0.0 delivered (simulated)' },
  bounced: { status: 'bounced', response: '550 5.1.1 no such user (simulated)' },
  softbounced: { status: 'deferred', response: '452 4.2.2 mailbox full (simulated)' },
  complained: { status: 'delivered', response: '250 2.0.0 delivered, a complaint follows (simulated)' },
  slow: { status: 'delivered', response: '250 2.0.0 delivered slowly (simulated)' },
}

/** The outcome of a simulated recipient; null for all others. Unknown names at the domain bounce. */
export async function simulate(ctx: Context, { recipient, domain }: Attempt): Promise<Outcome | null> {
  if (domain !== simulatorDomain) return null
  const { local } = splitAddress(withoutTag(recipient).base)
  const simulation = simulations[Object.hasOwn(simulations, local) ? local : 'bounced']!
  if (local === 'slow') await new Promise((resolve) => setTimeout(resolve, slowMs))
  return { ...simulation, mx: simulatorDomain, tls: false, at: ctx.clock.now() }
}

/** Whether a recipient is simulated. */
export function isSimulated(recipient: string): boolean {
  return splitAddress(recipient).domain === simulatorDomain
}

/** Whether a recipient simulates a complaint after its delivery. */
export function simulatesComplaint(recipient: string): boolean {
  const { local, domain } = splitAddress(withoutTag(recipient).base)
  return domain === simulatorDomain && local === 'complained'
}
