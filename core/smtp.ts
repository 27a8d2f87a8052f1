/** How a failure is told to an SMTP peer. */
import { Failure, failures } from '../schemas/failures.ts'

export type SmtpReply = { readonly code: number; readonly enhanced: string; readonly text: string }

/** A Failure becomes its SMTP row; anything else a temporary 451, so that the sender keeps the mail. */
export function smtpReplyOf(error: unknown): SmtpReply {
  const code = error instanceof Failure ? error.code : 'internal_error'
  const [number, enhanced] = failures[code].smtp.split(' ')
  return {
    code: Number(number),
    enhanced: enhanced!,
    text: error instanceof Failure ? error.message : 'Please try again later.',
  }
}
