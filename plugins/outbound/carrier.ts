/** Sends mail to other servers. Connections are kept for a while, for all mail to one server under one TLS policy. */
import { isAscii } from 'node:buffer'
import type { Attempt, Outcome } from '../../core/deliver/attempt.ts'
import { isHeld } from '../../core/deliver/outbox.ts'
import { noteTlsSession } from '../../core/deliverability/tls-results.ts'
import { signingKeys } from '../../core/mailbox/domains.ts'
import type { Context } from '../../core/process/context.ts'
import { createKept } from '../../core/process/kept.ts'
import { dkimSign } from '../../mail/authentication/dkim-sign.ts'
import { withoutSignatures } from '../../mail/compose/redate.ts'
import { toSevenBit } from '../../mail/compose/seven-bit.ts'
import { splitAddress } from '../../mail/message/address.ts'
import { parseMessage } from '../../mail/message/parse.ts'
import type { Carrier } from './deliver.ts'
import { createDestination, type Destination } from './smtp/destination.ts'
import { outcomeOf, type TlsFailure } from './smtp/outcome.ts'
import type { Mail, Route, TlsPolicy } from './smtp/session.ts'
import type { FoundPolicy } from './tls-policy.ts'

/** RFC 5321 4.5.3.2.6: giving up on the final reply sooner would send the mail twice. */
const finalReplyMs = 600_000
const usesPerConnection = 500
const idleMs = 10_000
const patienceMs = 2_000
/** The number of destinations from which on those that can be forgotten are removed. */
const destinationsMax = 10_000
const noTlsMs = 3_600_000
const noTlsMax = 10_000
/** Longest detail that is reported of a server's refusal of TLS. */
const detailCharsMax = 200

/** Makes the carrier of this process. */
export function createCarrier(ctx: Context): Carrier & { close(): void } {
  const { outbound } = ctx.settings
  const destinations = new Map<string, Destination>()
  /** The size at which the next removal runs: twice what the last one left, so that not every new destination causes a full scan. */
  let forgetAt = destinationsMax
  const noTls = createKept<true>(ctx.clock, { max: noTlsMax, ttlMs: noTlsMs })
  const limits = {
    connections: outbound.destinationConnections,
    messagesPerSecond: outbound.destinationMessagesPerSecond,
    usesPerConnection,
    idleMs,
    patienceMs,
  }
  const timeouts = {
    connectMs: outbound.connectSeconds * 1_000,
    replyMs: outbound.replySeconds * 1_000,
    finalReplyMs,
  }

  function destinationOf(route: Route, tls: TlsPolicy, policy: string): Destination {
    const key = `${route.name} ${route.address} ${route.port} ${policy}`
    const known = destinations.get(key)
    if (known !== undefined) return known
    if (destinations.size >= forgetAt) {
      for (const [name, { isForgettable }] of destinations) if (isForgettable) destinations.delete(name)
      forgetAt = Math.max(destinationsMax, 2 * destinations.size)
    }
    const made = createDestination(ctx, { route, name: ctx.hostname, tls, limits: timeouts }, limits, noTls)
    destinations.set(key, made)
    return made
  }

  return {
    async send(attempt: Attempt, raw: Buffer, { route, policy }): Promise<Outcome> {
      const stuffed = dotStuffed(raw)
      const mail: Mail = {
        sender: attempt.sender,
        recipient: attempt.recipient,
        content: [stuffed, endOfMail],
        sizeBytes: raw.length,
        is8Bit: !isAscii(raw),
        needsUtf8: needsUtf8(attempt, raw),
        serverNames: policy.serverNames,
        onConnection: (failure) => noteSession(ctx, { domain: attempt.domain, route, policy, failure }),
        isHeld: () => isHeld(ctx, attempt).catch(() => false),
        async sevenBit() {
          const converted = await sevenBitSigned(ctx, raw)
          if (converted === null) return null
          return { content: [dotStuffed(converted), endOfMail], sizeBytes: converted.length }
        },
      }
      const dialogue = await destinationOf(route, policy.tls, policy.name).send(mail)
      const at = ctx.clock.now()
      if ('why' in dialogue) {
        return {
          status: 'deferred',
          response: `451 4.4.5 ${route.name} ${dialogue.why}`,
          mx: route.name,
          tls: false,
          at,
          untried: true,
          retryAfterSeconds: dialogue.retrySeconds,
        }
      }
      return outcomeOf(dialogue, { mx: route.name, at })
    },
    close() {
      for (const destination of destinations.values()) destination.close()
    },
  }
}

function noteSession(
  ctx: Context,
  { domain, route, policy, failure }: { domain: string; route: Route; policy: FoundPolicy; failure: TlsFailure | null },
): void {
  const { reported, problem } = policy
  if (reported === null) return
  const detail = failure?.detail?.slice(0, detailCharsMax) ?? null
  const found = problem ?? (failure === null ? null : { ...failure, detail })
  noteTlsSession(ctx, { domain, kind: { policy: reported, mx: route.name, address: route.address, failure: found } })
}

/** Returns the mail with 7-bit lines, signed again; null if it cannot be converted. */
async function sevenBitSigned(ctx: Context, raw: Buffer): Promise<Buffer | null> {
  const parsed = parseMessage(withoutSignatures(raw))
  const converted = toSevenBit(withoutSignatures(raw), parsed.root)
  if (converted === null || parsed.from === null) return null
  const { domain } = splitAddress(parsed.from.address)
  return dkimSign(converted, await signingKeys(ctx, domain), ctx.clock.now())
}

/** Whether an address or a header field is in UTF-8 (RFC 6531 3.1, RFC 6532 3). */
function needsUtf8({ sender, recipient }: Attempt, raw: Buffer): boolean {
  if (!isAscii(Buffer.from(sender + recipient))) return true
  const end = raw.indexOf('\r\n\r\n')
  return !isAscii(raw.subarray(0, end < 0 ? raw.length : end))
}

/** Returns the content of DATA: a dot at the start of a line is doubled (RFC 5321 4.5.2), and CRLF ends the content. */
export function dotStuffed(raw: Buffer): Buffer {
  const parts: Buffer[] = raw[0] === 0x2e ? [dot] : []
  let start = 0
  for (let at = raw.indexOf(dotLine); at !== -1; at = raw.indexOf(dotLine, start)) {
    parts.push(raw.subarray(start, at + 2), dot)
    start = at + 2
  }
  parts.push(raw.subarray(start))
  if (raw.length > 0 && !raw.subarray(-2).equals(crlf)) parts.push(crlf)
  return parts.length === 1 ? raw : Buffer.concat(parts)
}

const dot = Buffer.from('.')
const crlf = Buffer.from('\r\n')
const dotLine = Buffer.from('\r\n.')
const endOfMail = Buffer.from('.\r\n')
