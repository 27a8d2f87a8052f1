/**
 * Receives mail in a sandbox as if it came from outside: by the same functions as the SMTP door, except that the caller chooses the
 * verdict about the sender (decisions.md 4, Sandbox).
 */
import type { AuthResult } from '../../mail/authentication/authentication-results.ts'
import { compose } from '../../mail/compose/compose.ts'
import { parseAddressList, splitAddress } from '../../mail/message/address.ts'
import { firstHeader, readHeaders } from '../../mail/message/headers.ts'
import { Failure } from '../../schemas/failures.ts'
import { newToken } from '../../schemas/ids.ts'
import type { Named } from '../../store/documents/mail.ts'
import { type Principal, requireSandbox } from '../access/principal.ts'
import { reachMailbox } from '../mailbox/mailboxes.ts'
import type { Context } from '../process/context.ts'
import { receive } from '../receive/receive.ts'
import { findRecipient } from '../receive/recipients.ts'
import type { Verdict } from '../receive/sender-verdict.ts'
import { asValidationError } from '../send/commit.ts'
import { filesOf, type NewAttachment } from '../send/content.ts'

/** The verdicts about the sender that the caller chooses; those left out are as for honest mail. */
export type ChosenVerdicts = {
  readonly spf?: AuthResult
  readonly dkim?: AuthResult
  readonly dmarc?: AuthResult
  readonly arc?: AuthResult
  /** The policy that the author's domain publishes for mail that fails DMARC. */
  readonly policy?: 'none' | 'quarantine' | 'reject'
  /** Whether a filter marks the mail as spam. */
  readonly spam?: boolean
}

/** A message given by its parts, which is composed here. */
export type WrittenMail = {
  readonly from: Named
  readonly to?: readonly Named[]
  readonly subject?: string
  readonly text?: string
  readonly html?: string
  readonly headers?: { readonly [name: string]: string }
  readonly attachments?: readonly NewAttachment[]
}

export type TestMail = {
  readonly mailbox: string
  readonly mail: Buffer | WrittenMail
  readonly verdicts?: ChosenVerdicts
}

/** The peer has an address from a network for documentation (RFC 5737), which is never one of this machine. */
const peer = { address: '192.0.2.1', helo: 'sender.test', protocol: 'ESMTPS', cipher: null } as const

/**
 * Receives a message for a mailbox of the caller's sandbox. Returns its id. Fails with `forbidden` for a live key or when a list of the
 * mailbox refuses the sender, `mailbox_not_found`, `validation_error`, `attachments_too_large`, `payload_too_large`, and `unprocessable`
 * where the SMTP door would refuse the message: the mailbox is full, or the author's domain asks for it (DMARC).
 */
export async function receiveTest(
  ctx: Context,
  principal: Principal,
  { mailbox: address, mail, verdicts = {} }: TestMail,
): Promise<string> {
  requireSandbox(principal)
  const mailbox = await reachMailbox(ctx, principal, address)
  const raw = Buffer.isBuffer(mail) ? asLines(mail) : await written(ctx, principal, { address: mailbox.address, mail })
  const { messageBytes } = ctx.settings.limits.smtp
  if (raw.length > messageBytes)
    throw new Failure('payload_too_large', `A message may have ${messageBytes} bytes; this one has ${raw.length}.`)
  const from = parseAddressList(firstHeader(readHeaders(raw).fields, 'from')?.rawValue ?? '')[0]?.address ?? ''
  const verdict = verdictOf(verdicts, from)
  if (verdict === null)
    throw new Failure(
      'unprocessable',
      "Refused as the author's domain asks (DMARC): the SMTP door answers 550 5.7.1.",
      {
        fix: 'Leave "policy" out of the verdicts, or let DMARC pass.',
      },
    )
  const { messageIds } = await receive(ctx, {
    raw,
    reversePath: from,
    recipients: [await findRecipient(ctx, address, raw.length)],
    peer,
    transactionId: ctx.requestId,
    verdict,
  })
  return messageIds[0] ?? ''
}

/** The bytes with CRLF line ends, as in SMTP. */
function asLines(raw: Buffer): Buffer {
  const text = raw.toString('latin1').replaceAll(/\r\n|\r|\n/g, '\r\n')
  return Buffer.from(text.endsWith('\r\n') ? text : `${text}\r\n`, 'latin1')
}

/** Header fields that are separate inputs of the composer, by the name of the input. */
const composed = { 'message-id': 'messageId', 'in-reply-to': 'inReplyTo', 'auto-submitted': 'autoSubmitted' } as const

async function written(
  ctx: Context,
  principal: Principal,
  { address, mail }: { address: string; mail: WrittenMail },
): Promise<Buffer> {
  const { from, to = [{ name: '', address }], subject = '', text = null, html = null, headers = {} } = mail
  const files = await filesOf(ctx, principal, { mailbox: address, attachments: mail.attachments })
  const isComposed = (name: string) => Object.hasOwn(composed, name.toLowerCase())
  const own = Object.entries(headers).filter(([name]) => isComposed(name))
  const references = Object.entries(headers).find(([name]) => name.toLowerCase() === 'references')?.[1]
  const draft = {
    messageId: `${newToken()}@${splitAddress(from.address).domain}`,
    ...Object.fromEntries(own.map(([name, value]) => [composed[name.toLowerCase() as keyof typeof composed], value])),
    from,
    to,
    cc: [],
    bcc: [],
    subject,
    text,
    html,
    attachments: files,
    references: references?.split(/\s+/) ?? [],
    date: ctx.clock.now(),
    headers: Object.entries(headers).filter(([name]) => !isComposed(name) && name.toLowerCase() !== 'references'),
  }
  return (await compose(draft).catch(asValidationError)).raw
}

/** The verdict of the chosen results, as `judge` would give it for mail from `from`; null when the mail is refused. */
function verdictOf(chosen: ChosenVerdicts, from: string): Verdict | null {
  const { domain } = splitAddress(from)
  // Without an author there is no signature, and no domain for DMARC.
  const hasAuthor = domain !== ''
  const { spf = 'pass', dkim = hasAuthor ? 'pass' : 'none', arc = 'none', policy = 'none', spam = false } = chosen
  const isAligned = spf === 'pass' || dkim === 'pass'
  const { dmarc = hasAuthor ? (isAligned ? 'pass' : 'fail') : 'none' } = chosen
  const failed = dmarc === 'fail'
  if (failed && policy === 'reject') return null
  return {
    authentication: {
      spf,
      dkim: dkim === 'none' ? [] : [{ domain, result: dkim }],
      dmarc,
      arc,
      alignedFrom: hasAuthor && isAligned && !failed ? domain : null,
      perhapsAligned: false,
      infos: [
        `dkim=${dkim}${dkim === 'none' || !hasAuthor ? '' : ` header.d=${domain}`}`,
        `spf=${spf} ${hasAuthor ? `smtp.mailfrom=${domain}` : `smtp.helo=${peer.helo}`}`,
        `dmarc=${dmarc}${hasAuthor ? ` header.from=${domain}` : ''}`,
      ],
    },
    cuts: [],
    suspicion: failed && policy === 'quarantine' ? 'policy' : spam ? 'filter' : null,
  }
}
