/**
 * The clock that checks the DNS of domains. Invariants: one process at a time checks a domain, under a lease that ends by itself.
 * Pauses grow and have a random part. If a check fails, the domain waits for its next turn.
 */
import { Failure } from '../../schemas/failures.ts'
import { findClaim, findDomain, findDueDomains, leaseLook, type WatchedRef } from '../../store/domains.ts'
import { after, dayMs, minuteMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { askRegistry } from './expiry.ts'
import { checkDomain, tellNews } from './verification.ts'

/** Longer than a check takes if resolvers do not answer. */
const leaseMs = 5 * minuteMs
/** How often a claim is checked while another account has its domain. */
const takenPauseMs = dayMs
const domainsMax = 200
const atOnce = 10

/** Checks the domains and claims that are due. Returns how many were. */
export async function watchDomains(ctx: Context): Promise<number> {
  const now = ctx.clock.now()
  const due = await findDueDomains(ctx.store, now, domainsMax)
  const waiting = [...due]
  const takeTurns = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { domain } = next
      await look(ctx, next, after(now, leaseMs)).catch((error: unknown) =>
        ctx.log.warn(
          { err: error, domain },
          'the DNS of a domain could not be checked; it is tried again at its next turn',
        ),
      )
    }
  }
  await Promise.all(Array.from({ length: atOnce }, takeTurns))
  return due.length
}

async function look(ctx: Context, ref: WatchedRef & { readonly dueAt: Date }, until: Date): Promise<void> {
  if (!(await leaseLook(ctx.store, ref, until))) return
  const { accountId, domain, isClaim } = ref
  const found = isClaim
    ? await findClaim(ctx.store, { accountId: accountId ?? '', domain })
    : await findDomain(ctx.store, domain)
  if (found === null) return
  if (!('domain' in found)) await tellNews(ctx, found)
  const doc = 'domain' in found ? found : await askRegistry(ctx, found)
  await checkDomain(ctx, doc).catch((error: unknown) => {
    if (!(error instanceof Failure && error.code === 'conflict')) throw error
    // Another account has verified the domain. The claim stays visible to its owner, and counts if that account gives the domain up.
    return leaseLook(ctx.store, { ...ref, dueAt: until }, after(until, takenPauseMs))
  })
}
