/** What stands in front of a message on its way to a mailbox: kept beside the raw bytes, which stay as they came. */
import { authenticationResults, without } from '../../mail/authentication/authentication-results.ts'
import type { MessageDoc } from '../../store/documents/mail.ts'
import type { Context } from '../process/context.ts'

export type Peer = {
  readonly address: string
  readonly helo: string
  /** As in RFC 3848: ESMTP, ESMTPS ... */
  readonly protocol: string
  readonly cipher: string | null
}

/** What one word of a client may take. */
const wordCharsMax = 255

/**
 * Return-Path and Received (RFC 5321 4.4), and between them the address it came to (RFC 9228) and our
 * Authentication-Results (RFC 8601), unless nothing was looked at. Under 8 KB.
 */
export function traceOf(
  ctx: Context,
  {
    reversePath,
    peer,
    transactionId,
    deliveredTo,
    infos,
    at,
  }: {
    reversePath: string
    peer: Peer
    transactionId: string
    deliveredTo: string
    infos: readonly string[] | null
    at: Date
  },
): string {
  const clean = (text: string) => text.replaceAll(/[^\x21-\x7e]/g, '?').slice(0, wordCharsMax)
  const cipher = peer.cipher === null ? '' : ` (${clean(peer.cipher)})`
  const date = at.toUTCString().replace('GMT', '+0000')
  return [
    `Return-Path: <${clean(reversePath)}>\r\n`,
    `Delivered-To: ${clean(deliveredTo)}\r\n`,
    infos === null ? '' : authenticationResults(clean(ctx.hostname), infos),
    `Received: from ${clean(peer.helo)} ([${clean(peer.address)}])\r\n`,
    `\tby ${clean(ctx.hostname)} with ${clean(peer.protocol)} id ${clean(transactionId)}${cipher}\r\n`,
    `\tfor <${clean(deliveredTo)}>; ${date}\r\n`,
  ].join('')
}

/** A message as IMAP, forward and export show it: our trace in front, what was forged in our name left out. */
export function withTrace({ trace, cuts = [] }: Pick<MessageDoc, 'trace' | 'cuts'>, raw: Buffer): Buffer {
  return Buffer.concat([Buffer.from(trace), without(raw, cuts)])
}
