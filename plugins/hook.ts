/**
 * The one adapter between Haraka's hooks and our functions. Invariants: `next` is called exactly once, whatever the function
 * does; nothing thrown or rejected reaches Haraka, which would answer a permanent 550 or end the process.
 */
import { inspect } from 'node:util'
import { cont, deny, denydisconnect, denysoft, denysoftdisconnect, ok } from 'haraka-constants'
import DSN from 'haraka-dsn'
import { Failure, failures, messageAndFix, smtpNo } from '../schemas/failures.ts'
import type { Logs, Next, Plugin } from './haraka.d.ts'

/** A refusal as it is sent: code, enhanced code, and a text for the peer (for example `552`, `5.3.4`). */
export type Reply = { readonly code: number; readonly enhanced: string; readonly text: string }

export type Answer = { readonly retval: number; readonly message?: unknown }

/** Longest text of a reply: with its codes, a reply has at most 512 bytes (RFC 5321 4.5.3.1.5). */
const textBytesMax = 480

/** The hook does not decide: Haraka continues with the next one. */
export const pass: Answer = { retval: cont }

/** The hook accepts; `message` is the text of the reply, or the value that Haraka asks the hook for. */
export function accept(message?: unknown): Answer {
  return { retval: ok, message }
}

/** The hook refuses, with exactly this code; `disconnect` ends the session after the reply. */
export function refuse(reply: Reply, { disconnect = false } = {}): Answer {
  const permanent = reply.code >= 500
  const retval = disconnect ? (permanent ? denydisconnect : denysoftdisconnect) : permanent ? deny : denysoft
  const [, subject = '0', detail = '0'] = reply.enhanced.split('.')
  // Haraka would send a plain text with 550 or 450, whatever code we want.
  return { retval, message: DSN.create(reply.code, reply.text, Number(subject), Number(detail)) }
}

/**
 * Makes a Haraka hook from a function that takes the hook's subject (connection, server, outbound mail) and parameters, and
 * returns an answer; no answer means `pass`. A Failure is answered with its SMTP row; any other error is logged and answered
 * with 451 4.3.0. With `advises`, for peers who are users of ours, the reply to a Failure also says what to change.
 */
export function hook<Subject extends Partial<Logs>, Params = undefined>(
  decide: (subject: Subject, params: Params) => Answer | undefined | Promise<Answer | undefined>,
  { advises = false }: { readonly advises?: boolean } = {},
): (this: Plugin, next: Next, subject: Subject, params: Params) => void {
  return function run(this: Plugin, next, subject, params) {
    const answer = (given: Answer = pass): void => {
      try {
        next(given.retval, given.message)
      } catch (error) {
        this.logerror(...named(subject), inOneLine(error))
      }
    }
    const failed = (error: unknown): void => {
      const reply = replyOf(error, advises)
      try {
        if (reply.code === 451) this.logerror(...named(subject), inOneLine(error))
      } finally {
        answer(refuse(reply))
      }
    }
    let decided: Answer | undefined | Promise<Answer | undefined>
    try {
      decided = decide(subject, params)
    } catch (error) {
      failed(error)
      return
    }
    if (decided instanceof Promise) decided.then(answer, failed)
    else answer(decided)
  }
}

/** Returns the SMTP row of a Failure, and for any other error a temporary 451, so that the sender keeps the mail. */
function replyOf(error: unknown, advises: boolean): Reply {
  if (!(error instanceof Failure)) return { code: 451, enhanced: '4.3.0', text: 'Please try again later.' }
  const neverPasses = error.detail.retryAfter === null
  const [number = '451', enhanced = '4.3.0'] = (neverPasses ? smtpNo : failures[error.code].smtp).split(' ')
  const whole = advises ? messageAndFix(error) : error.message
  return { code: Number(number), enhanced, text: Buffer.byteLength(whole) > textBytesMax ? error.message : whole }
}

/** An error with its stack and cause in one line: Haraka would make a log entry of each line. */
function inOneLine(error: unknown): string {
  return inspect(error).replaceAll(/\s*\n\s*/g, ' ')
}

/** Returns the subject if a log line can name it: Haraka's logger throws if given the server object. */
function named(subject: object): readonly object[] {
  return 'uuid' in subject || 'todo' in subject ? [subject] : []
}
