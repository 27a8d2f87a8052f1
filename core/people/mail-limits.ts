/** How many mails strangers may make the service send, to one address and at the request of one network. */
import { Failure } from '../../schemas/failures.ts'
import { networkOf } from '../access/network.ts'
import { giveBackUsage, takeUsage } from '../access/usage.ts'
import { periodsOf, secondsUntil } from '../process/clock.ts'
import type { Context } from '../process/context.ts'

/**
 * Counts a mail to an address that a peer requests. Fails with `rate_limited`, whether the address is a person's or not, and then
 * counts nothing.
 */
export async function countRequestedMail(
  ctx: Context,
  { to, peerAddress }: { to: string; peerAddress: string },
): Promise<void> {
  const { mailsPerAddressPerHour, mailsPerNetworkPerHour } = ctx.settings.limits.people
  const at = ctx.clock.now()
  const count = { period: 'hour', counter: 'notices', by: 1, at } as const
  const [address, network] = [`notices:${to}`, `notices:${networkOf(peerAddress)}`]
  if (!(await takeUsage(ctx, { ...count, owner: network, limit: mailsPerNetworkPerHour })))
    throw tooMany(at, 'from your network')
  if (await takeUsage(ctx, { ...count, owner: address, limit: mailsPerAddressPerHour })) return
  await giveBackUsage(ctx, { ...count, owner: network })
  throw tooMany(at, 'to this address')
}

function tooMany(at: Date, where: string): Failure {
  const retryAfter = secondsUntil(at, periodsOf(at).hourEnd)
  return new Failure('rate_limited', `Too many mails were asked for in this hour ${where}.`, { retryAfter })
}
