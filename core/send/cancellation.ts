/** The cancellation of a scheduled send: its allowance comes back, and a draft that was scheduled is one again. */
import { Failure } from '../../schemas/failures.ts'
import type { MailboxDoc } from '../../store/documents/mail.ts'
import type { EmailDoc } from '../../store/documents/sending.ts'
import { findMailboxes } from '../../store/mailboxes.ts'
import { type Principal, reaches } from '../access/principal.ts'
import type { Context } from '../process/context.ts'
import { deleteDraft, makeDraftAgain } from './drafts.ts'
import { endSchedule } from './release.ts'
import { notScheduled } from './scheduled.ts'

/**
 * Cancels a scheduled send. Returns it with the id of the draft that has its text again; null where it was none, or none can be made
 * of it. Fails with `conflict` (too late), `unavailable`.
 */
export async function cancelScheduled(
  ctx: Context,
  principal: Principal,
  email: EmailDoc,
): Promise<{ email: EmailDoc; draftId: string | null }> {
  const mailbox = email.wasDraft === true ? await mailboxOf(ctx, principal, email) : null
  // First the draft: a crash leaves it beside the send, and does not lose the text.
  const draftId = mailbox === null ? null : await draftOf(ctx, principal, { mailbox, email })
  const cancelled = await endSchedule(ctx, email, () => 'cancelled')
  if (cancelled === null) {
    if (mailbox !== null && draftId !== null) await deleteDraft(ctx, principal, { address: mailbox.address, draftId })
    throw notScheduled()
  }
  return { email: cancelled, draftId }
}

/** The mailbox of a send, where it is there and the key reaches it. */
async function mailboxOf(
  ctx: Context,
  principal: Principal,
  { accountId, mailboxId }: EmailDoc,
): Promise<MailboxDoc | null> {
  if (mailboxId === null || !reaches(principal, mailboxId)) return null
  const [mailbox = null] = await findMailboxes(ctx.store, [{ accountId, mailboxId }])
  return mailbox
}

/** The id of the new draft. What was to be kept from going out is kept so also where no draft can be made of it. */
async function draftOf(
  ctx: Context,
  principal: Principal,
  send: { readonly mailbox: MailboxDoc; readonly email: EmailDoc },
): Promise<string | null> {
  try {
    return await makeDraftAgain(ctx, principal, send)
  } catch (error) {
    if (!(error instanceof Failure) || error.code === 'unavailable') throw error
    ctx.log.warn({ err: error, emailId: send.email._id }, 'a cancelled send could not be made a draft again')
    return null
  }
}
