/** Cancels a scheduled send: gives its allowance back, and makes a scheduled draft a draft again. */
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
 * Cancels a scheduled send. Returns it with the id of the draft that holds its text again; the id is null if the send was not a
 * draft or no draft can be made of it. Fails with `conflict` (too late), `unavailable`.
 */
export async function cancelScheduled(
  ctx: Context,
  principal: Principal,
  email: EmailDoc,
): Promise<{ email: EmailDoc; draftId: string | null }> {
  const mailbox = email.wasDraft === true ? await mailboxOf(ctx, principal, email) : null
  // The draft is written first: a crash then leaves a draft next to the send, and the text is not lost.
  const draftId = mailbox === null ? null : await draftOf(ctx, principal, { mailbox, email })
  const cancelled = await endSchedule(ctx, email, () => 'cancelled')
  if (cancelled === null) {
    if (mailbox !== null && draftId !== null) await deleteDraft(ctx, principal, { address: mailbox.address, draftId })
    throw notScheduled()
  }
  return { email: cancelled, draftId }
}

/** The mailbox of a send, if it exists and the key reaches it. */
async function mailboxOf(
  ctx: Context,
  principal: Principal,
  { accountId, mailboxId }: EmailDoc,
): Promise<MailboxDoc | null> {
  if (mailboxId === null || !reaches(principal, mailboxId)) return null
  const [mailbox = null] = await findMailboxes(ctx.store, [{ accountId, mailboxId }])
  return mailbox
}

/** The id of the new draft; null if none can be made. The send is cancelled in either case. */
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
