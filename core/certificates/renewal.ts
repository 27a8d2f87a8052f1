/** When a certificate is renewed: when the authority suggests it, else before a third of its lifetime is left. */
import { createHash } from 'node:crypto'
import type { IssuedCertificate } from '../../store/certificates.ts'
import { after, dayMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { authorityAt, type RenewalWindow } from './authority.ts'
import { openIssued } from './issued.ts'

/** How often the authority is asked for its suggestion: it may want a certificate replaced sooner (RFC 9773 4.3). */
const lookMs = dayMs

/** Whether a certificate is due for renewal, and if not, when to check again. */
export async function renewalOf(
  ctx: Context,
  { name, issued }: { readonly name: string; readonly issued: IssuedCertificate },
): Promise<{ readonly isDue: boolean; readonly nextAt: Date }> {
  const now = ctx.clock.now()
  const at = renewalTime(name, issued, await suggestionOf(ctx, name, issued))
  return { isDue: at <= now, nextAt: earlier(at, after(now, lookMs)) }
}

/**
 * The time of renewal: within the window that the authority suggests, but before the last tenth of the lifetime. Without a suggestion,
 * between three fifths and two thirds of the lifetime. The name decides, so certificates issued together are renewed apart.
 */
export function renewalTime(
  name: string,
  { validFrom, validTo }: Pick<IssuedCertificate, 'validFrom' | 'validTo'>,
  window: RenewalWindow | null,
): Date {
  const lifetimeMs = validTo.getTime() - validFrom.getTime()
  const left = (share: number) => after(validTo, -share * lifetimeMs)
  if (window === null) return between(name, left(2 / 5), left(1 / 3))
  const [suggested, last] = [between(name, window.from, window.to), left(1 / 10)]
  return earlier(suggested, last)
}

/** The window that the authority suggests; null if it suggests none or cannot be reached. */
async function suggestionOf(ctx: Context, name: string, issued: IssuedCertificate): Promise<RenewalWindow | null> {
  try {
    const authority = await authorityAt(ctx, issued.directory)
    return await authority.renewalWindow(openIssued(ctx, name, issued).leaf)
  } catch (error) {
    ctx.log.warn({ err: error, name }, 'the authority could not be asked when to renew a certificate')
    return null
  }
}

/** A time within a span, always the same for a name. */
function between(name: string, from: Date, to: Date): Date {
  const share = createHash('sha256').update(name).digest().readUInt32BE() / 2 ** 32
  return after(from, share * (to.getTime() - from.getTime()))
}

const earlier = (a: Date, b: Date) => new Date(Math.min(a.getTime(), b.getTime()))
