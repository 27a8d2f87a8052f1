/** Waits for a code or a link to verify with, and picks it out of the mail. */
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

/** How long before the wait a mail may have arrived to count as a near miss: the caller then began to wait too late. */
const earlierMs = 10 * minuteMs

/**
 * Waits for a mail with a code or a link, as `waitForMessage` does, so a mail that arrived before `since` (or before the call) is
 * never returned. Without `since`, a mail that arrived shortly before the call is a near miss. Fails as `waitForMessage` does.
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

const tooEarly = 'since: it arrived before this call. If it is the one you want, call again with an earlier since.'

/** The best find in a mail: the code with the highest confidence, else a link, preferably one to the sender's own organisation. */
function foundIn(message: WaitedMessage, kind: VerificationKind): Found | null {
  const { codes, links } = message.verification ?? { codes: [], links: [] }
  const domain = message.trust?.alignedFrom ?? null
  const [code] = codes.toSorted((a, b) => b.confidence - a.confidence)
  if (code !== undefined && kind !== 'link') return { kind: 'code', value: code.value, domain, sameOrg: null, message }
  const link = links.find(({ sameOrg }) => sameOrg) ?? links[0]
  return link === undefined ? null : { kind: 'link', value: link.url, domain, sameOrg: link.sameOrg, message }
}
