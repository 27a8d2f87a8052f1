/** The cancellation of a scheduled send: its allowance comes back, and a draft that was scheduled is one again. */
import type { EmailDoc } from '../../store/documents/sending.ts'
import type { Principal } from '../access/principal.ts'
import type { Context } from '../process/context.ts'
import { deleteDraft, makeDraftAgain } from './drafts.ts'
import { endSchedule, notScheduled, reachScheduled } from './scheduled.ts'

/**
 * Cancels a scheduled send. Returns it with the id of the draft that has its text again; null where it was none. Fails with
 * `mailbox_not_found`, `email_not_found`, `conflict` (too late).
 */
export async function cancelScheduled(
  ctx: Context,
  principal: Principal,
  which: { readonly address: string; readonly id: string },
): Promise<{ email: EmailDoc; draftId: string | null }> {
  const { email, mailbox } = await reachScheduled(ctx, principal, which)
  // First the draft: a crash leaves it beside the send, and does not lose the text.
  const draftId = email.wasDraft === true ? await makeDraftAgain(ctx, principal, { mailbox, email }) : null
  const cancelled = await endSchedule(ctx, email, () => 'cancelled')
  if (cancelled === null) {
    if (draftId !== null) await deleteDraft(ctx, principal, { address: which.address, draftId })
    throw notScheduled()
  }
  return { email: cancelled, draftId }
}
