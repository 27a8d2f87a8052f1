/**
 * Trace header fields: what is put in front of a message when it is delivered to a mailbox. They are stored beside the
 * raw bytes, which are never changed.
 */
import { authenticationResults, withoutRanges } from '../../mail/authentication/authentication-results.ts'
import { headerLine, phrase } from '../../mail/encoding/encode.ts'
import type { MessageDoc, Named } from '../../store/documents/mail.ts'
import type { Context } from '../process/context.ts'

export type Peer = {
  readonly address: string
  readonly helo: string
  /** Protocol as in RFC 3848: ESMTP, ESMTPS, ... */
  readonly protocol: string
  readonly cipher: string | null
}

/** Most characters kept of a text that the client chose. */
const textCharsMax = 255
/** RFC 5321 4.5.3.1.1, 4.5.3.1.2. */
const addressCharsMax = 64 + 1 + 255

/**
 * Makes the trace fields: Return-Path and Received (RFC 5321 4.4), Delivered-To (RFC 9228), and our
 * Authentication-Results (RFC 8601) unless the sender was not verified. Less than 8 KB in all.
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
  const clean = (text: string) => text.replaceAll(/[^\x21-\x7e]/g, '?').slice(0, textCharsMax)
  // Characters outside names and address literals could begin a comment in Received, or end the field.
  const name = (text: string) => clean(text).replaceAll(/[^\w.:[\]-]/g, '?')
  // A local part may hold blanks in quotes, and UTF-8 (RFC 6532 3.2).
  const address = (text: string) => text.replaceAll(/\p{Cc}/gu, '?').slice(0, addressCharsMax)
  const cipher = peer.cipher === null ? '' : ` (${clean(peer.cipher)})`
  const date = at.toUTCString().replace('GMT', '+0000')
  return [
    `Return-Path: <${address(reversePath)}>\r\n`,
    `Delivered-To: ${address(deliveredTo)}\r\n`,
    infos === null ? '' : authenticationResults(clean(ctx.hostname), infos),
    `Received: from ${name(peer.helo)} ([${clean(peer.address)}])\r\n`,
    `\tby ${clean(ctx.hostname)} with ${clean(peer.protocol)} id ${clean(transactionId)}${cipher}\r\n`,
    `\tfor <${address(deliveredTo)}>; ${date}\r\n`,
  ].join('')
}

/** The trace of the copy in Sent: the Bcc field, which no other copy of the send has; '' without Bcc. Never throws. */
export function traceOfSent(bcc: readonly Named[]): string {
  if (bcc.length === 0) return ''
  const list = bcc.map(({ name, address }) => (name === '' ? address : `${phrase(oneLine(name))} <${address}>`))
  return headerLine('Bcc', oneLine(list.join(', ')))
}

const oneLine = (text: string) => text.replaceAll(/\p{Cc}+/gu, ' ')

/** The size in bytes of what `withTrace` returns for raw bytes of `sizeBytes`. */
export function shownBytes(
  { trace, cuts = [] }: { readonly trace: string; readonly cuts?: MessageDoc['cuts'] | undefined },
  sizeBytes: number,
): number {
  return cuts.reduce((sum, { start, end }) => sum - (end - start), Buffer.byteLength(trace) + sizeBytes)
}

/**
 * A message as IMAP, forwarding and export show it: with our trace fields in front, and without fields forged in our
 * name.
 */
export function withTrace({ trace, cuts = [] }: Pick<MessageDoc, 'trace' | 'cuts'>, raw: Buffer): Buffer {
  return Buffer.concat([Buffer.from(trace), withoutRanges(raw, cuts)])
}
