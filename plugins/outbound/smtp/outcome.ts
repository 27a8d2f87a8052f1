import type { Outcome } from '../../../core/deliver/attempt.ts'
import { enhancedStatusOf } from '../../../mail/encoding/enhanced-status.ts'

/** How a dialogue with a server ended. */
export type Dialogue = {
  /** The verb of the last command that was sent: '' before the first, `.` for the end of the message. */
  readonly command: string
  /** The reply to it word for word, lines joined by LF; '' when there was none. */
  readonly reply: string
  readonly tls: boolean
  /** Why the dialogue broke off; '' when it did not. */
  readonly trouble: string
  /** Why there is no TLS as it should be, where that broke it off. */
  readonly tlsFailure?: TlsFailure
  /** Whether the reply refuses mail in the clear, although the server offers a TLS that failed. */
  readonly wantsTls?: boolean
}

/** A kind of failure (RFC 8460 4.3), and what was found. */
export type TlsFailure = { readonly type: string; readonly detail: string | null }

/**
 * Returns what a dialogue means for the recipient. Only a 5xx reply to the mail itself is a bounce: a server that refuses the
 * connection, EHLO or STARTTLS, or mail in the clear when its own TLS fails, may take mail in an hour, unless it says that it never
 * does (RFC 7504). When no reply follows the final dot, the server may have the mail or not: the outcome is `ambiguous`.
 */
export function outcomeOf(
  { command, reply, tls, trouble, wantsTls = false }: Dialogue,
  { mx, at }: { readonly mx: string | null; readonly at: Date },
): Outcome {
  // RFC 5321 4.2: the codes of replies begin with 2 to 5.
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

/** Whether the server was not told yet who is to get the mail. */
const isBeforeRecipient = (command: string) => isBeforeMail(command) || command === 'MAIL'

const isOfContent = (command: string) => command === 'DATA' || command === '.'

/** Whether a refusal tells by its code alone that the transaction failed (RFC 5321 4.2.3): some refuse recipients as late as here. */
const saysNothingElse = (reply: string) => enhancedStatusOf(reply) === null && /^554/.test(reply)

/** Whether a command greets the server, or none was sent: the dialogue came no further. */
export const isOpening = (command: string): boolean => command === '' || command === 'EHLO' || command === 'HELO'

/** Whether no mail has begun with this command: another server may take it. */
const isBeforeMail = (command: string) => isOpening(command) || command === 'STARTTLS'
