/** The cancellation of a scheduled send: its allowance comes back, and a draft that was scheduled is one again. */
import { Failure } from '../../schemas/failures.ts'
import type { MailboxDoc } from '../../store/documents/mail.ts'
import type { EmailDoc } from '../../store/documents/sending.ts'
import type { Principal } from '../access/principal.ts'
import type { Context } from '../process/context.ts'
import { deleteDraft, makeDraftAgain } from './drafts.ts'
import { endSchedule, notScheduled, reachScheduled } from './scheduled.ts'

/**
 * Cancels a scheduled send. Returns it with the id of the draft that has its text again; null where it was none, or none can be made
 * of it. Fails with `mailbox_not_found`, `email_not_found`, `conflict` (too late), `unavailable`.
 */
export async function cancelScheduled(
  ctx: Context,
  principal: Principal,
  which: { readonly address: string; readonly id: string },
): Promise<{ email: EmailDoc; draftId: string | null }> {
  const { email, mailbox } = await reachScheduled(ctx, principal, which)
  // First the draft: a crash leaves it beside the send, and does not lose the text.
  const draftId = email.wasDraft === true ? await draftOf(ctx, principal, { mailbox, email }) : null
  const cancelled = await endSchedule(ctx, email, () => 'cancelled')
  if (cancelled === null) {
    if (draftId !== null) await deleteDraft(ctx, principal, { address: which.address, draftId })
    throw notScheduled()
  }
  return { email: cancelled, draftId }
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
