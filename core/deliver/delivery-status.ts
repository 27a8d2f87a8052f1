/** What became of one send, found by its own id or by the message in Sent (decisions.md 2, Sending). */
import { Failure } from '../../schemas/failures.ts'
import type { DeliveryStatus, EmailDoc } from '../../store/documents/sending.ts'
import { findEmail, findEmailByMessage } from '../../store/emails.ts'
import { type Principal, reaches } from '../access/principal.ts'
import type { Context } from '../process/context.ts'

/** From the one that speaks for all to the one that is left when all is well. */
const unfinished = ['queued', 'sent'] as const satisfies readonly DeliveryStatus[]
const finished = ['complained', 'bounced', 'failed', 'delivered'] as const satisfies readonly DeliveryStatus[]

/**
 * A send with its recipients. Exactly one of `id` and `messageId` must be given. Fails with `validation_error`,
 * `email_not_found` (id), `not_found` (message id): also for sends from mailboxes that the key does not reach.
 */
export async function getDeliveryStatus(
  ctx: Context,
  principal: Principal,
  { id, messageId }: { id?: string; messageId?: string },
): Promise<EmailDoc> {
  if ((id === undefined) === (messageId === undefined))
    throw new Failure('validation_error', 'Give either "message_id" or "id".', { param: 'message_id' })
  const { accountId } = principal
  const email =
    id === undefined
      ? await findEmailByMessage(ctx.store, { accountId, messageId: messageId ?? '' })
      : await findEmail(ctx.store, { accountId, emailId: id })
  if (email !== null && isVisible(principal, email)) return email
  if (id !== undefined) throw new Failure('email_not_found', `There is no email ${id}.`)
  throw new Failure('not_found', `No send has a message ${messageId} in Sent.`)
}

/**
 * One word for a send: while somebody's mail is under way, the status of the one who is furthest behind (queued, then sent);
 * when all are done with, the worst of what happened (complained, bounced, failed, delivered).
 */
export function overallStatus({ scheduledFor, recipients }: EmailDoc): DeliveryStatus | 'scheduled' {
  if (scheduledFor !== undefined) return 'scheduled'
  const has = (wanted: DeliveryStatus) => recipients.some(({ status }) => status === wanted)
  return unfinished.find(has) ?? finished.find(has) ?? 'failed'
}

/** A send without a mailbox is its key's. */
function isVisible(principal: Principal, { mailboxId, keyId }: EmailDoc): boolean {
  return mailboxId === null ? principal.mailboxIds === null || keyId === principal.keyId : reaches(principal, mailboxId)
}
