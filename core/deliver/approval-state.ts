/**
 * The state of a send that waits for approval. Nothing notifies us if the draft is changed, moved or deleted, through whichever
 * door. So whoever reads an approval also looks at its draft, and an approval whose draft has changed is void.
 */
import { Failure } from '../../schemas/failures.ts'
import { deriveId } from '../../schemas/ids.ts'
import { changeApproval, findApproval, listApprovalsOfSends } from '../../store/approvals.ts'
import { markBlobsInDoubt, releaseBlobs } from '../../store/blobs.ts'
import type { MessageDoc } from '../../store/documents/mail.ts'
import type { ApprovalDoc, EmailDoc, EmailRecipient } from '../../store/documents/sending.ts'
import { findEmail, findEmails, listEmails } from '../../store/emails.ts'
import { standardFolderId } from '../../store/folders.ts'
import { findMessagesIn } from '../../store/messages.ts'
import type { Context } from '../process/context.ts'

/** The id of the approval of a send. */
export const approvalIdOf = (emailId: string) => deriveId('apr', emailId, 'approval')

/** Brings approvals up to date: one whose time is over has expired, and one whose draft changed is void. */
export async function currentApprovals(
  ctx: Context,
  approvals: readonly ApprovalDoc[],
): Promise<readonly ApprovalDoc[]> {
  const waiting = approvals.filter(({ status }) => status === 'waiting')
  const ids = waiting.flatMap(({ draft }) => draft?.messageId ?? [])
  const mailboxIds = [...new Set(waiting.flatMap(({ mailboxId }) => mailboxId ?? []))]
  const found = ids.length === 0 ? [] : await findMessagesIn(ctx.store, { mailboxIds, ids })
  const drafts = new Map(found.map((each) => [each._id, each]))
  return Promise.all(
    approvals.map(async (approval) => {
      if (approval.status !== 'waiting') return approval
      const isOver = approval.expiresAt <= ctx.clock.now()
      const isAsItWas = approval.draft === null || isUnchanged(approval, drafts.get(approval.draft.messageId))
      if (isAsItWas && !isOver) return approval
      const ended = await endWaiting(ctx, approval, { status: isAsItWas ? 'expired' : 'void' })
      return ended ?? (await findApproval(ctx.store, { ...approval, approvalId: approval._id })) ?? approval
    }),
  )
}

/** Whether a message is still in Drafts with the content that is to be approved. */
export function isUnchanged({ draft }: Pick<ApprovalDoc, 'draft'>, message: MessageDoc | undefined): boolean {
  if (draft === null || message === undefined) return false
  return message.blob.id === draft.blobId && message.folderId === standardFolderId(message.mailboxId, 'Drafts')
}

/** Ends the waiting without a send and releases the stored message. Returns the approval; null if it was decided in the meantime. */
export async function endWaiting(
  ctx: Context,
  approval: ApprovalDoc,
  {
    status,
    by = null,
    reason = null,
  }: { status: 'refused' | 'expired' | 'void'; by?: string | null; reason?: string | null },
): Promise<ApprovalDoc | null> {
  const at = ctx.clock.now()
  const decision = { by, at, reason }
  await markBlobsInDoubt(ctx.store, [approval.blob.id], at)
  const ended = await changeApproval(ctx.store, approval, { status, decision, dueAt: null })
  if (ended !== null) await releaseMessage(ctx, ended)
  return ended
}

/** Releases the bytes that an approval keeps; a draft keeps its own use of them. */
export async function releaseMessage(ctx: Context, { _id, blob }: ApprovalDoc): Promise<void> {
  await releaseBlobs(ctx.store, [{ blobId: blob.id, users: [_id] }])
}

/** A send as its sender sees it, with its approval if it needs one. */
export type SeenSend = EmailDoc & { readonly approval?: Pick<ApprovalDoc, '_id' | 'status' | 'decision'> }

/** Finds a send, or the approval that would become it, shown as a send; null if there is neither. */
export async function findSend(
  ctx: Context,
  { accountId, emailId }: { accountId: string; emailId: string },
): Promise<SeenSend | null> {
  const email = await findEmail(ctx.store, { accountId, emailId })
  if (email !== null && email.approvalId === undefined) return email
  if (!emailId.startsWith('em_')) return email
  const found = await findApproval(ctx.store, { accountId, approvalId: approvalIdOf(emailId) })
  if (found === null) return email
  const [approval = found] = await currentApprovals(ctx, [found])
  return { ...(email ?? sendOf(approval)), approval }
}

/** Whether a send has ended without going out: it was cancelled, or not approved. */
export async function endedUnsent(ctx: Context, which: { accountId: string; emailId: string }): Promise<boolean> {
  const send = await findSend(ctx, which)
  return send?.recipients.every(({ status }) => status === 'failed') ?? false
}

/** Sends of an account, or of one of its keys, with those that wait for approval, newest first, starting after the id `before`. */
export async function listSends(
  ctx: Context,
  range: { accountId: string; keyId: string | null; before: string | null; limit: number },
): Promise<readonly SeenSend[]> {
  const { accountId, keyId, limit } = range
  const [emails, asked] = await Promise.all([listEmails(ctx.store, range), listApprovalsOfSends(ctx.store, range)])
  const own = new Set(emails.map(({ _id }) => _id))
  const elsewhere = keyId === null ? [] : asked.flatMap(({ emailId }) => (own.has(emailId) ? [] : [emailId]))
  // A person may have sent the draft of a send that the key had asked for.
  const sentByOthers = elsewhere.length === 0 ? [] : await findEmails(ctx.store, accountId, elsewhere)
  const sends = new Map<string, SeenSend>([...emails, ...sentByOthers].map((email) => [email._id, email]))
  for (const approval of await currentApprovals(ctx, asked)) {
    const email = sends.get(approval.emailId)
    if (email === undefined || email.approvalId !== undefined)
      sends.set(approval.emailId, { ...(email ?? sendOf(approval)), approval })
  }
  return [...sends.values()].sort((a, b) => (a._id < b._id ? 1 : -1)).slice(0, limit)
}

/** The key that asked for the approval of a send; null if none did. */
export async function findAskedBy(
  ctx: Context,
  { accountId, emailId }: { accountId: string; emailId: string },
): Promise<string | null> {
  return (await findApproval(ctx.store, { accountId, approvalId: approvalIdOf(emailId) }))?.keyId ?? null
}

/** An approval in the form of the send that it would become. */
function sendOf({ emailId: _id, status, sendAt, createdAt, decision, ...approval }: ApprovalDoc): EmailDoc {
  const { accountId, mailboxId, mailbox, keyId, from, to, cc, bcc, subject, messageIdHeader, blob, tags } = approval
  const isOpen = status === 'waiting' || status === 'approved'
  const recipient = {
    status: isOpen ? ('queued' as const) : ('failed' as const),
    reason: status === 'waiting' ? 'waiting_for_approval' : `approval_${status}`,
    at: decision?.at ?? createdAt,
  }
  return {
    _id,
    accountId,
    mailboxId,
    mailbox,
    keyId,
    from,
    to,
    cc,
    bcc,
    subject,
    messageIdHeader,
    blob,
    messageId: null,
    threadId: null,
    inReplyTo: approval.inReplyTo,
    references: approval.references,
    ...(tags !== undefined && { tags }),
    ...(sendAt !== null && { sendAt }),
    createdAt,
    planned: false,
    rev: 0,
    recipients: approval.recipients.map(
      ({ address: email }): EmailRecipient => ({
        email,
        ...recipient,
        mx: null,
        response: null,
        tls: null,
        attempts: 0,
        announced: null,
      }),
    ),
  }
}

/** `not_found` for an approval that does not exist. */
export const noApproval = (id: string) =>
  new Failure('not_found', `There is no approval ${id}.`, {
    fix: 'Use an id that GET /api/v1/approvals lists (apr_...).',
  })
