/**
 * What is known of mail before it is stored: who it is really from, and whether that asks for it to be refused, deferred or
 * put into Spam (decisions.md 3, Received mail's verdict). Mail of our own mailboxes never passes here: we know whom it is from.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import ipaddr from 'ipaddr.js'
import type { Authentication } from '../../mail/authentication/authenticate.ts'
import { forgedResults, type Range } from '../../mail/authentication/authentication-results.ts'
import { parseAddressList, splitAddress } from '../../mail/message/address.ts'
import { firstHeader, readHeaders } from '../../mail/message/headers.ts'
import type { RecordType } from '../dns/query.ts'
import type { Context } from '../process/context.ts'
import { loadOnce } from '../process/load-once.ts'

export type Verdict = {
  readonly authentication: Pick<
    Authentication,
    'spf' | 'dkim' | 'dmarc' | 'arc' | 'alignedFrom' | 'perhapsAligned' | 'infos'
  >
  /** Authentication-Results fields of the message that were forged in our name. */
  readonly cuts: readonly Range[]
  /** Why it belongs into Spam whoever gets it: its author's domain asks for that, or a filter took it for spam. */
  readonly suspicion: 'policy' | 'filter' | null
}

/** Why mail is not taken: its author's domain asks for that, the DNS has to be asked again, or it wears our name too often. */
export type Refusal = 'policy' | 'undecided' | 'forged'

/** Fields forged in our name that are cut out; no mail has so many by accident. */
const cutsMax = 100
const largeBytes = 256 * 1024

/** SPF, DKIM and the like need a large library: it comes with the first mail from outside. */
const loadAuthentication = loadOnce(() => import('../../mail/authentication/authenticate.ts'))

/**
 * Judges mail as it came from `client` with `helo`. A client on this machine may be anything (a relay, a tunnel, a program):
 * its address authenticates nobody and no policy is enforced on it, unless the settings name the DNS to ask: then whoever
 * runs this has said what the DNS is to say of it.
 */
export async function judge(
  ctx: Context,
  { raw, reversePath, client, helo }: { raw: Buffer; reversePath: string; client: string; helo: string },
): Promise<{ readonly verdict: Verdict } | { readonly refusal: Refusal }> {
  const cuts = forgedResults(raw, ctx.hostname, cutsMax)
  if (cuts === null) return { refusal: 'forged' }
  // A header as large as the limits allow takes some 30 milliseconds each time it is walked.
  if (raw.length > largeBytes) await nextTurn()
  const { authenticate } = await loadAuthentication()
  const authentication = await authenticate(
    raw,
    readHeaders(raw),
    { client: isAnybody(ctx, client) ? null : client, helo, reversePath, hostname: ctx.hostname },
    // Names that mailauth asks for are of these types.
    (name, type) => ctx.resolver.resolve(name, type as RecordType) as Promise<string[]>,
  )
  if (authentication.undecided) return { refusal: 'undecided' }
  if (authentication.policy === 'reject') return { refusal: 'policy' }
  return { verdict: { authentication, cuts, suspicion: authentication.policy === 'quarantine' ? 'policy' : null } }
}

/**
 * The verdict on mail that a mailbox of ours sent to another: we wrote its From and signed it, so that there is nothing to
 * look up. `sender` is the envelope's.
 */
export function ownVerdict(ctx: Context, { sender, raw }: { sender: string; raw: Buffer }): Verdict {
  const from = parseAddressList(firstHeader(readHeaders(raw).fields, 'from')?.rawValue ?? '')[0]?.address ?? sender
  const { domain } = splitAddress(from)
  return {
    authentication: {
      spf: 'pass',
      dkim: [{ domain, result: 'pass' }],
      dmarc: 'pass',
      arc: 'none',
      alignedFrom: domain,
      perhapsAligned: false,
      infos: [
        `dkim=pass (signed by ${ctx.hostname}) header.d=${domain}`,
        `spf=pass smtp.mailfrom=${splitAddress(sender).domain}`,
        `dmarc=pass header.from=${domain}`,
      ],
    },
    cuts: [],
    suspicion: null,
  }
}

function isAnybody({ settings }: Context, address: string): boolean {
  if (settings.resolver.length > 0) return false
  return !ipaddr.isValid(address) || ipaddr.process(address).range() === 'loopback'
}
