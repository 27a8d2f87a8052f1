/** The delivery status of one send, found by its id or by its message in Sent (decisions.md 2, Sending). */
import { Failure } from '../../schemas/failures.ts'
import type { DeliveryStatus, EmailDoc } from '../../store/documents/sending.ts'
import { findEmailByMessage } from '../../store/emails.ts'
import { type Principal, reaches } from '../access/principal.ts'
import type { Context } from '../process/context.ts'
import { findSend } from './approval-state.ts'

/** Statuses in the order in which `overallStatus` looks for them. */
const unfinished = ['queued', 'sent'] as const satisfies readonly DeliveryStatus[]
const finished = ['complained', 'bounced', 'failed', 'delivered'] as const satisfies readonly DeliveryStatus[]

/**
 * Reads a send with its recipients. Exactly one of `id` and `messageId` must be given. Fails with `validation_error`,
 * and with `email_not_found` (id) or `not_found` (message id), also for sends from mailboxes that the key does not reach.
 */
export async function getDeliveryStatus(
  ctx: Context,
  principal: Principal,
  { id, messageId }: { id?: string; messageId?: string },
): Promise<EmailDoc> {
  if (id === undefined && messageId === undefined)
    throw new Failure('validation_error', 'Neither "message_id" nor "id" is given, so no send is named.', {
      param: 'message_id',
      fix: 'Give the "message_id" or the "id" that the request to send returned.',
    })
  if (id !== undefined && messageId !== undefined)
    throw new Failure('validation_error', 'Both "message_id" and "id" are given, but only one send can be asked for.', {
      param: 'message_id',
      fix: 'Give one of "message_id" and "id", and leave the other out.',
    })
  const { accountId } = principal
  const email =
    id === undefined
      ? await findEmailByMessage(ctx.store, { accountId, messageId: messageId ?? '' })
      : await findSend(ctx, { accountId, emailId: id })
  if (email !== null && isVisible(principal, email)) return email
  if (id !== undefined) throw new Failure('email_not_found', `There is no email ${id}.`)
  throw new Failure('not_found', `There is no sent message ${messageId}.`, {
    fix: 'Use the message_id that the request to send returned; for a send without a copy in Sent, use its "id" (em_...).',
  })
}

/**
 * One status for a whole send. While mail to any recipient is on its way, that of the recipient furthest behind (queued,
 * then sent). When all are done, the worst outcome (complained, bounced, failed, delivered).
 */
export function overallStatus({ scheduledFor, recipients }: EmailDoc): DeliveryStatus | 'scheduled' {
  if (scheduledFor !== undefined) return 'scheduled'
  const has = (wanted: DeliveryStatus) => recipients.some(({ status }) => status === wanted)
  return unfinished.find(has) ?? finished.find(has) ?? 'failed'
}

/** Whether the key may see a send. A send without a mailbox is visible to the key that made it and to account keys. */
function isVisible(principal: Principal, { mailboxId, keyId }: EmailDoc): boolean {
  return mailboxId === null ? principal.mailboxIds === null || keyId === principal.keyId : reaches(principal, mailboxId)
}
