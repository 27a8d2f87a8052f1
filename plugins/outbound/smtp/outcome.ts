import type { Outcome } from '../../../core/deliver/attempt.ts'
import { enhancedStatusOf } from '../../../mail/encoding/enhanced-status.ts'

/** How a dialogue with a server ended. */
export type Dialogue = {
  /** The verb of the last command that was sent: '' before the first, `.` for the end of the message. */
  readonly command: string
  /** The reply to it, word for word, lines joined by LF; '' if there was none. */
  readonly reply: string
  readonly tls: boolean
  /** Why the dialogue broke off; '' if it did not. */
  readonly trouble: string
  /** Why TLS is not as required, if that broke off the dialogue. */
  readonly tlsFailure?: TlsFailure
  /** Whether the reply refuses mail without TLS, although the TLS that the server offers failed. */
  readonly wantsTls?: boolean
}

/** A type of failure (RFC 8460 4.3), and its details. */
export type TlsFailure = { readonly type: string; readonly detail: string | null }

/**
 * Returns what a dialogue means for the recipient. Only a 5xx reply to the mail itself is a bounce. A server that refuses the
 * connection, EHLO or STARTTLS, or mail without TLS when its own TLS fails, may accept mail in an hour, unless it says that it never
 * does (RFC 7504). If no reply follows the final dot, the server may or may not have the mail: the outcome is `ambiguous`.
 */
export function outcomeOf(
  { command, reply, tls, trouble, wantsTls = false }: Dialogue,
  { mx, at }: { readonly mx: string | null; readonly at: Date },
): Outcome {
  // RFC 5321 4.2: reply codes begin with 2 to 5.
  const code = Number(/(?:^|\n)([2-5]\d\d)(?: [^\n]*)?$/.exec(reply)?.[1] ?? 0)
  if (command === '.' && code >= 200 && code < 300) return { status: 'delivered', response: reply, mx, tls, at }
  if (code < 400) {
    const what = trouble !== '' ? trouble : reply === '' ? 'no answer in time' : `not a reply: ${reply}`
    const response = `451 ${command === '' ? '4.4.1' : '4.4.2'} ${what}`
    return {
      status: 'deferred',
      response,
      mx,
      tls,
      at,
      ...(command === '.' && { ambiguous: true }),
      ...(isBeforeMail(command) && { unreached: true }),
    }
  }
  const isOfMail = /^(?:MAIL|RCPT|DATA|\.)/.test(command) && !wantsTls
  const final = code >= 500 && (isOfMail || code === 521 || code === 556)
  if (final) {
    const ofMail = isBeforeRecipient(command) || (isOfContent(command) && saysNothingElse(reply))
    return { status: 'bounced', response: reply, mx, tls, at, ...(ofMail && { ofMail }) }
  }
  const unreached = wantsTls || isBeforeMail(command)
  return { status: 'deferred', response: reply, mx, tls, at, ...(unreached && { unreached: true }) }
}

/** Whether the server does not know the recipient of the mail yet. */
const isBeforeRecipient = (command: string) => isBeforeMail(command) || command === 'MAIL'

const isOfContent = (command: string) => command === 'DATA' || command === '.'

/** Whether a refusal says only that the transaction failed (RFC 5321 4.2.3). Some servers refuse recipients as late as this. */
const saysNothingElse = (reply: string) => enhancedStatusOf(reply) === null && /^554/.test(reply)

/** Whether a command greets the server, or none was sent: the dialogue got no further. */
export const isOpening = (command: string): boolean => command === '' || command === 'EHLO' || command === 'HELO'

/** Whether no mail has begun with this command, so that another server may take it. */
const isBeforeMail = (command: string) => isOpening(command) || command === 'STARTTLS'
