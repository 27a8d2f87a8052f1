/**
 * Scheduled sends: accepted sends with `scheduledFor`. Until it is released (release.ts), a scheduled send can be moved to another
 * time or cancelled (cancellation.ts).
 */
import { dkimSign } from '../../mail/authentication/dkim-sign.ts'
import { redate } from '../../mail/compose/redate.ts'
import { splitAddress } from '../../mail/message/address.ts'
import { Failure } from '../../schemas/failures.ts'
import { newId } from '../../schemas/ids.ts'
import { insertBlob, markBlobsInDoubt, packBlob, readBlob, releaseBlobs } from '../../store/blobs.ts'
import type { EmailDoc } from '../../store/documents/sending.ts'
import * as store from '../../store/emails.ts'
import { type Page, pageOf, readIdCursor } from '../access/paging.ts'
import type { Principal } from '../access/principal.ts'
import { findSend, type SeenSend } from '../deliver/approval-state.ts'
import { signingKeys } from '../mailbox/domains.ts'
import { reachMailbox } from '../mailbox/mailboxes.ts'
import { noteDue } from '../process/alarms.ts'
import type { Context } from '../process/context.ts'
import { sendTimeOf } from './content.ts'
import { getEmail } from './transactional.ts'

export const notScheduled = (): Failure =>
  new Failure('conflict', 'The send is no longer scheduled: it is being sent, was sent, or was cancelled.', {
    fix: 'Read the email to see its state; only a send that is still scheduled can be moved or cancelled.',
  })

/** Lists the scheduled sends of a mailbox, newest first. Fails with `mailbox_not_found`, `validation_error` (cursor). */
export async function listScheduled(
  ctx: Context,
  principal: Principal,
  { address, limit, before }: { address: string; limit: number; before?: string },
): Promise<Page<EmailDoc>> {
  const mailbox = await reachMailbox(ctx, principal, address)
  const rows = await store.listScheduled(ctx.store, {
    accountId: mailbox.accountId,
    mailboxId: mailbox._id,
    before: readIdCursor(before, 'em'),
    limit: limit + 1,
  })
  return pageOf(rows, limit)
}

/**
 * Changes the time of a scheduled send: gives its message the new date and signs it again. Fails with `forbidden` (a key whose sends
 * wait for approval), `validation_error`, `conflict` (too late).
 */
export async function reschedule(
  ctx: Context,
  principal: Principal,
  { email, sendAt }: { email: EmailDoc; sendAt: Date },
): Promise<EmailDoc> {
  if (principal.waitsForApproval)
    throw new Failure('forbidden', 'A person approved this send for its current time, so this key may not change it.', {
      fix: 'Cancel it and send it again with the new time, which asks for another approval.',
    })
  const at = ctx.clock.now()
  const time = sendTimeOf(at, sendAt) ?? at
  const raw = await readBlob(ctx.store, email.blob)
  if (raw === null) throw new Failure('internal_error', 'The stored bytes of the message are missing.')
  const signed = await dkimSign(redate(raw, time), await signingKeys(ctx, splitAddress(email.from.address).domain), at)
  // A copy that a mail program put in Sent has its own blob, and stays where it is.
  const hasOwnCopy = email.messageId !== null && !email.hasBroughtCopy
  // Mail is listed in the order of the ids, so the copy gets the id of the time at which it is sent.
  const messageId = hasOwnCopy ? newId('msg', time) : email.messageId
  const usersWith = (copyId: string | null) => [email._id, ...(hasOwnCopy && copyId !== null ? [copyId] : [])]
  const users = usersWith(messageId)
  const { ref, chunks } = await packBlob(ctx.store, { id: newId('blb', at), bytes: signed, users, at })
  await insertBlob(ctx.store, chunks)
  await markBlobsInDoubt(ctx.store, [email.blob.id, ref.id], at)
  const moved = await store.moveScheduled(ctx.store, email, { blob: ref, messageId, sendAt: time })
  const unused =
    moved === null ? { blobId: ref.id, users } : { blobId: email.blob.id, users: usersWith(email.messageId) }
  await releaseBlobs(ctx.store, [unused])
  if (moved === null) throw notScheduled()
  noteDue(ctx, 'sends', time)
  return moved
}

/** Reads a scheduled send of a mailbox. Fails with `mailbox_not_found`, `email_not_found`, `conflict` (too late). */
export async function reachScheduled(
  ctx: Context,
  principal: Principal,
  { address, id }: { address: string; id: string },
): Promise<EmailDoc> {
  const mailbox = await reachMailbox(ctx, principal, address)
  const send = await findSend(ctx, { accountId: mailbox.accountId, emailId: id })
  if (send?.mailboxId !== mailbox._id || !(isAsked(send) || isForLater(send)))
    throw new Failure('email_not_found', `There is no scheduled send ${id} of ${mailbox.address}.`)
  return requireScheduled(send)
}

/** Reads a scheduled send, from a mailbox or not, as `getEmail` does. Fails with `email_not_found`, `conflict` (too late). */
export async function reachScheduledEmail(ctx: Context, principal: Principal, id: string): Promise<EmailDoc> {
  return requireScheduled(await getEmail(ctx, principal, id))
}

/** Whether the send waits for approval. */
const isAsked = ({ approval }: SeenSend) => approval?.status === 'waiting'

/** Whether the send was accepted for a later time: a send that needs approval is only accepted once it is approved. */
const isForLater = ({ sendAt, approval }: SeenSend) =>
  sendAt !== undefined && (approval === undefined || approval.status === 'approved')

function requireScheduled(send: SeenSend): EmailDoc {
  if (isAsked(send))
    throw new Failure('conflict', 'The send waits for the approval of a person, and is not scheduled yet.', {
      fix: 'Delete its draft to withdraw it; to send at another time, withdraw it and send again.',
    })
  if (send.scheduledFor === undefined) throw notScheduled()
  return send
}
