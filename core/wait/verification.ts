/** Waits for a code or a link to verify with, and tells it alone. */
import type { Authenticated } from '../access/principal.ts'
import { after, minuteMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import type { VerificationKind } from './filters.ts'
import { type Waited, type WaitedMessage, waitForMessage } from './wait.ts'

export type VerificationWait = {
  readonly address: string
  readonly kind: VerificationKind
  readonly fromDomain?: string
  readonly since?: string
  readonly timeoutSeconds?: number
}

export type Found = {
  readonly kind: 'code' | 'link'
  /** The code, or the URL of the link. */
  readonly value: string
  /** The authenticated domain of the sender; null without one. */
  readonly domain: string | null
  /** Whether a link leads to that domain; null for a code. */
  readonly sameOrg: boolean | null
  readonly message: WaitedMessage
}

/** How long before a wait a mail may have come that is named as a near miss, because its receiver began to wait too late. */
const earlierMs = 10 * minuteMs

/**
 * Waits for a mail with a code or a link, as `waitForMessage` does, so nothing that was there before `since` (or before the call)
 * is ever told. A mail that came shortly before is a near miss. Fails as `waitForMessage` does.
 */
export async function waitForVerification(
  ctx: Context,
  caller: Authenticated,
  { kind, since, timeoutSeconds, ...where }: VerificationWait,
  hungUp: AbortSignal,
): Promise<Pick<Waited, 'nearMisses' | 'cursor'> & { readonly found: Found | null }> {
  const begun = ctx.clock.now()
  const wait = { ...where, verifies: kind }
  const { message, nearMisses, cursor } = await waitForMessage(ctx, caller, { ...wait, since, timeoutSeconds }, hungUp)
  if (message !== null) return { found: foundIn(message, kind), nearMisses, cursor }
  if (since !== undefined || hungUp.aborted) return { found: null, nearMisses, cursor }
  const earlier = await waitForMessage(
    ctx,
    caller,
    { ...wait, since: after(begun, -earlierMs).toISOString(), timeoutSeconds: 0 },
    hungUp,
  )
  const missed = earlier.message === null ? [] : [{ messageId: earlier.message.id, why: tooEarly }]
  return { found: null, nearMisses: [...missed, ...nearMisses], cursor }
}

const tooEarly = 'since: it came before this call. If it is the one you caused, call again with a since before it.'

/** The best of what a mail has: the code that is most certainly one, else a link, first one to where the mail comes from. */
function foundIn(message: WaitedMessage, kind: VerificationKind): Found | null {
  const { codes, links } = message.verification ?? { codes: [], links: [] }
  const domain = message.trust?.alignedFrom ?? null
  const [code] = codes.toSorted((a, b) => b.confidence - a.confidence)
  if (code !== undefined && kind !== 'link') return { kind: 'code', value: code.value, domain, sameOrg: null, message }
  const link = links.find(({ sameOrg }) => sameOrg) ?? links[0]
  return link === undefined ? null : { kind: 'link', value: link.url, domain, sameOrg: link.sameOrg, message }
}
