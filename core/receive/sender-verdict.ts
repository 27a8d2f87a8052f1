/**
 * Verifies the sender of mail before it is stored: who it is really from, and whether it is therefore refused,
 * deferred or put into Spam (decisions.md 3, Received mail's verdict). Mail from our own mailboxes needs no
 * verification (`ownVerdict`).
 */
import { isIP } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Authentication, DNSResolver, Envelope, Spf } from '../../mail/authentication/authenticate.ts'
import { type ByteRange, forgedResults } from '../../mail/authentication/authentication-results.ts'
import { parseAddressList, splitAddress } from '../../mail/message/address.ts'
import { firstHeader, readHeaders } from '../../mail/message/headers.ts'
import { isLoopback } from '../access/network.ts'
import type { RecordType } from '../dns/query.ts'
import type { Context } from '../process/context.ts'
import { loadOnce } from '../process/load-once.ts'

export type Verdict = {
  readonly authentication: Pick<
    Authentication,
    'spf' | 'dkim' | 'dmarc' | 'arc' | 'alignedFrom' | 'perhapsAligned' | 'infos'
  >
  /** Authentication-Results fields in the message that were forged in our name; they are cut out. */
  readonly cuts: readonly ByteRange[]
  /**
   * Why the mail goes to Spam: the DMARC policy of its author's domain asks for it, in every mailbox, or a filter
   * classified it as spam.
   */
  readonly suspicion: 'policy' | 'filter' | null
}

/**
 * Why mail is refused: the DMARC policy of its author's domain says so ('policy'), the DNS did not answer ('undecided',
 * to be tried again), or it has too many fields forged in our name ('forged').
 */
export type Refusal = 'policy' | 'undecided' | 'forged'

/** Most forged fields that are cut out; mail with more is refused, since no mail has that many by accident. */
const cutsMax = 100
const largeBytes = 256 * 1024

/** SPF, DKIM and the like need a large library, which is loaded with the first mail from outside. */
const loadAuthentication = loadOnce(() => import('../../mail/authentication/authenticate.ts'))

/** The sender as the SMTP session names it, before the message has arrived. */
export type Sender = { readonly reversePath: string; readonly client: string; readonly helo: string }

/**
 * Begins to verify a sender, so that the DNS is queried while the message is being received. The result goes to `judge`;
 * it is null when the address of the client authenticates nobody.
 */
export async function beginJudging(ctx: Context, sender: Sender): Promise<Spf | null> {
  const envelope = envelopeOf(ctx, sender)
  if (envelope.client === null) return null
  const { beginSpf } = await loadAuthentication()
  return beginSpf(envelope, resolverOf(ctx))
}

/**
 * Verifies mail that came from the IP address `client` with HELO name `helo`. A client on this machine may be anything
 * (a relay, a tunnel, a program), so its address authenticates nobody and no policy is enforced on it. The exception is
 * a DNS resolver in the settings, with which the operator controls what the DNS says about such a client.
 */
export async function judge(
  ctx: Context,
  { raw, begun, ...sender }: Sender & { readonly raw: Buffer; readonly begun?: Promise<Spf | null> },
): Promise<{ readonly verdict: Verdict } | { readonly refusal: Refusal }> {
  const cuts = forgedResults(raw, ctx.hostname, cutsMax)
  if (cuts === null) return { refusal: 'forged' }
  // Walking a header as large as the limits allow takes some 30 milliseconds each time: other work goes first.
  if (raw.length > largeBytes) await nextTurn()
  const { authenticate } = await loadAuthentication()
  const authentication = await authenticate(
    raw,
    readHeaders(raw),
    { ...envelopeOf(ctx, sender), spf: begun },
    resolverOf(ctx),
  )
  if (authentication.undecided) return { refusal: 'undecided' }
  if (authentication.policy === 'reject') return { refusal: 'policy' }
  return { verdict: { authentication, cuts, suspicion: authentication.policy === 'quarantine' ? 'policy' : null } }
}

/**
 * The verdict on mail from one mailbox of ours to another: we wrote its From and signed it, so nothing needs to be
 * looked up. `sender` is the reverse-path of the envelope.
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
        sender === '' ? `spf=pass smtp.helo=${ctx.hostname}` : `spf=pass smtp.mailfrom=${splitAddress(sender).domain}`,
        `dmarc=pass header.from=${domain}`,
      ],
    },
    cuts: [],
    suspicion: null,
  }
}

function envelopeOf(ctx: Context, { client, helo, reversePath }: Sender): Envelope {
  return { client: isUnidentifiedClient(ctx, client) ? null : client, helo, reversePath, hostname: ctx.hostname }
}

function resolverOf({ resolver }: Context): DNSResolver {
  // mailauth asks only for record types that the resolver knows.
  return (name, type) => resolver.resolve(name, type as RecordType) as Promise<string[]>
}

function isUnidentifiedClient({ settings }: Context, address: string): boolean {
  return settings.resolver.length === 0 && (!isIP(address) || isLoopback(address))
}
