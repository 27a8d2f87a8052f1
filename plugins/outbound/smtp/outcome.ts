import type { Outcome } from '../../../core/deliver/attempt.ts'

/** What a dialogue with a server came to. */
export type Dialogue = {
  /** The last command that was sent: '' before the first, `.` for the end of the message. */
  readonly command: string
  /** The reply to it word for word, lines joined by LF; '' when there was none. */
  readonly reply: string
  readonly tls: boolean
  /** What broke the dialogue off; '' when nothing did. */
  readonly trouble: string
}

/**
 * What a dialogue that is over means for its recipient. Only a reply to the mail itself is final: a server that refuses
 * the connection, EHLO or STARTTLS may be better in an hour, unless it says that it never takes mail (RFC 7504).
 * After the final dot, silence leaves open whether the server has the mail: `ambiguous`.
 */
export function outcomeOf(
  { command, reply, tls, trouble }: Dialogue,
  { mx, at }: { readonly mx: string | null; readonly at: Date },
): Outcome {
  const code = Number(/(?:^|\n)(\d{3})(?: [^\n]*)?$/.exec(reply)?.[1] ?? 0)
  if (command === '.' && code >= 200 && code < 300) return { status: 'delivered', response: reply, mx, tls, at }
  if (code < 400) {
    const what = trouble !== '' ? trouble : reply === '' ? 'no answer in time' : `not a reply: ${reply}`
    const response = `451 ${command === '' ? '4.4.1' : '4.4.2'} ${what}`
    return { status: 'deferred', response, mx, tls, at, ...(command === '.' && { ambiguous: true }) }
  }
  const final = code >= 500 && (/^(?:MAIL|RCPT|DATA|\.)/.test(command) || code === 521 || code === 556)
  return { status: final ? 'bounced' : 'deferred', response: reply, mx, tls, at }
}
