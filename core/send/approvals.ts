/**
 * Decides about sends that wait for a person's approval. One conditional update decides an approval, so only one of several
 * deciders wins. The process that approved it holds it for `sendingMs` and makes the send. The id of the send is that of the
 * request, derived from the draft that shows it, so the send is made once, whether by approving it or by sending the draft. If the
 * process dies in between, `settleApprovals`, which the alarm calls, makes the send. The rules and limits of sending are checked
 * again at that time; a send that they refuse goes back to waiting.
 */
import { dkimSign } from '../../mail/authentication/dkim-sign.ts'
import { redate } from '../../mail/compose/redate.ts'
import { formatNamedAddress, splitAddress } from '../../mail/message/address.ts'
import type { ApprovalStatus } from '../../schemas/approvals.ts'
import { Failure } from '../../schemas/failures.ts'
import { findAccount } from '../../store/accounts.ts'
import * as store from '../../store/approvals.ts'
import { readBlob } from '../../store/blobs.ts'
import type { MailboxDoc, MessageDoc } from '../../store/documents/mail.ts'
import type { ApprovalDecision, ApprovalDoc, EmailDoc } from '../../store/documents/sending.ts'
import { findEmail } from '../../store/emails.ts'
import { findMailboxes } from '../../store/mailboxes.ts'
import { findMessage } from '../../store/messages.ts'
import { accountOf, requireAllowed } from '../access/account-record.ts'
import { noteAudit } from '../access/audit.ts'
import { type Page, pageOf, readIdCursor } from '../access/paging.ts'
import { administrator, isProgram, type Principal } from '../access/principal.ts'
import {
  approvalIdOf,
  currentApprovals,
  endWaiting,
  isUnchanged,
  noApproval,
  releaseMessage,
} from '../deliver/approval-state.ts'
import { signingKeys } from '../mailbox/domains.ts'
import { dueNow, inTimeOf } from '../process/account-time.ts'
import { noteDue, noteFailed } from '../process/alarms.ts'
import { after, minuteMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { inMemoryRoom } from '../read/bodies.ts'
import { allowanceOfSend } from './allowance.ts'
import { markAnswered } from './answer.ts'
import { takeDraftAway } from './approval-requests.ts'
import { sendIdOf, writeSend } from './commit.ts'
import { sendTimeOf } from './content.ts'
import type { Composed } from './send-fields.ts'
import { decideRecipients, type Sender } from './send-rules.ts'
import { mailboxSender } from './sender.ts'
import { findBroughtCopy } from './sent-copies.ts'
import { senderMailbox } from './transactional.ts'

/** Longer than any send takes from its approval to its commit. */
const sendingMs = minuteMs
const groupMax = 50

/** Lists approvals of the account, newest first. Fails with `validation_error` (cursor). */
export async function listApprovals(
  ctx: Context,
  { accountId }: Principal,
  { status, limit, before }: { status?: ApprovalStatus; limit: number; before?: string },
): Promise<Page<ApprovalDoc>> {
  const rows = await store.listApprovals(ctx.store, {
    accountId,
    status,
    before: readIdCursor(before, 'apr'),
    limit: limit + 1,
  })
  const { items, next } = pageOf(rows, limit)
  const current = await currentApprovals(ctx, items)
  return { items: current.filter((each) => status === undefined || each.status === status), next }
}

/** The message to be approved, as a person reads it. */
export type ApprovalContent = {
  readonly text: string
  readonly html: string | null
  readonly hidden: readonly { readonly kind: string; readonly excerpt: string }[]
  readonly attachments: readonly { readonly name: string; readonly contentType: string; readonly sizeBytes: number }[]
  readonly truncated: boolean
}

/** Reads an approval, with its content if it is still waiting. Fails with `not_found`, `unavailable`. */
export async function readApproval(
  ctx: Context,
  principal: Principal,
  id: string,
): Promise<{ readonly approval: ApprovalDoc; readonly content: ApprovalContent | null }> {
  const approval = await reachApproval(ctx, principal, id)
  if (approval.status !== 'waiting') return { approval, content: null }
  const reading = await inMemoryRoom(ctx, approval.blob, async () => {
    const raw = await readBlob(ctx.store, approval.blob)
    if (raw === null) return null
    return ctx.parsing.run('reading', {
      raw,
      messageId: approval.draft?.messageId ?? approval._id,
      view: 'full',
      attachmentId: null,
      attachmentsUrl: '',
    })
  })
  if (reading === null) return { approval, content: null }
  const { text = '', html = null, hidden = [], truncated, parsed } = reading
  const attachments = parsed.attachments.map(({ name, contentType, sizeBytes }) => ({ name, contentType, sizeBytes }))
  return { approval, content: { text, html, hidden, attachments, truncated } }
}

export type Verdict = { readonly decision: 'approve' | 'refuse'; readonly hash: string; readonly reason?: string }

/**
 * Approves or refuses exactly the content with this hash. If approved, the send is committed before this returns. Fails with
 * `not_found`; `forbidden` (an agent key, a program that connected by OAuth, or a caller whose own sends wait for approval);
 * `conflict` (another hash, or the approval is not waiting); and as `commitSend` does, after which the approval waits again.
 */
export async function decideApproval(
  ctx: Context,
  principal: Principal,
  { id, decision, hash, reason = '' }: Verdict & { readonly id: string },
): Promise<ApprovalDoc> {
  if (!mayDecide(principal))
    throw new Failure(
      'forbidden',
      'This caller may not decide about approvals: its own sends need one, or it is an agent or a program.',
      {
        fix: 'Let a person who is signed in decide, or use an account key.',
      },
    )
  const approval = await reachApproval(ctx, principal, id)
  if (approval.status !== 'waiting') throw decided(approval)
  if (approval.hash !== hash)
    throw new Failure('conflict', 'The content that is waiting for approval does not have this hash.', {
      fix: 'Read the approval again, and decide with the hash that it has.',
    })
  const by = { by: principal.keyId, reason: reason === '' ? null : reason }
  const ended =
    decision === 'refuse'
      ? await endWaiting(ctx, approval, { status: 'refused', ...by })
      : await approve(ctx, approval, by)
  if (ended === null) throw decided(await reachApproval(ctx, principal, id))
  await noteDecision(ctx, ended, decision)
  return ended
}

/**
 * Sends a draft that shows a waiting submission, which approves the submission. The bytes that the mail program wrote go out, as in
 * its copy in Sent, rather than a message composed again from the draft. Null for any other draft, or if the caller may not decide.
 * Fails with `conflict` if another request decided at the same moment, and as `commitSend` does, after which the approval waits again.
 */
export async function sendSubmittedDraft(
  ctx: Context,
  principal: Principal,
  { draft, sendAt }: { readonly draft: MessageDoc; readonly sendAt: Date | undefined },
): Promise<EmailDoc | null> {
  const { accountId, keyId } = principal
  // Only a message that a mail program wrote has a Message-ID that is not derived from the draft.
  if (!mayDecide(principal) || draft.messageIdHeader?.startsWith(`${draft._id}@`)) return null
  const emailId = sendIdOf(draft._id)
  const found = await store.findApproval(ctx.store, { accountId, approvalId: approvalIdOf(emailId) })
  if (found === null || found.origin !== 'submission' || !isUnchanged(found, draft)) return null
  const [approval = found] = await currentApprovals(ctx, [found])
  if (approval.status === 'waiting') {
    const due = sendTimeOf(ctx.clock.now(), sendAt)
    const approved = await approve(ctx, approval, { by: keyId, reason: null, ...(due !== null && { sendAt: due }) })
    if (approved !== null) await noteDecision(ctx, approved, 'approve')
  } else if (approval.status !== 'approved') return null
  const email = await findEmail(ctx.store, { accountId, emailId })
  if (email === null)
    throw new Failure('conflict', 'Another request decided about this draft at the same moment.', {
      fix: `Read its state with GET /api/v1/emails/${emailId}; send the draft again if it still exists.`,
    })
  return email
}

/** Whether a caller may decide about the sends of others: people and account keys may, agents and programs may not. */
const mayDecide = (principal: Principal): boolean =>
  principal.kind === 'account' && !principal.waitsForApproval && !isProgram(principal)

/** Records in the audit who decided and the hash of the content they decided about. */
async function noteDecision(
  ctx: Context,
  { accountId, emailId, hash, decision }: ApprovalDoc,
  made: Verdict['decision'],
): Promise<void> {
  const entry = { accountId, keyId: decision?.by ?? null, action: `approvals.${made}`, target: `${emailId} ${hash}` }
  await ctx.background.begin(accountId, () => noteAudit(ctx, { ...entry, outcome: 'done', address: null }))
}

/**
 * Does what is due for approvals, of one account or of all: expires those whose time is over, and sends those that were approved by
 * a process that died. Returns how many were due.
 */
export async function settleApprovals(ctx: Context, accountId?: string): Promise<number> {
  const due = await store.findDueApprovals(ctx.store, { due: dueNow(ctx, accountId), limit: groupMax })
  for (const approval of due) {
    const own = inTimeOf(ctx, approval.accountId)
    await settleApproval(own, approval).catch((error: unknown) => {
      ctx.log.error({ err: error, approvalId: approval._id }, 'approval could not be settled; it is tried again')
      noteFailed(ctx, 'approvals')
    })
  }
  return due.length
}

/** When the next approval is due, of one account or of all; null if none is. */
export function nextApproval(ctx: Context, accountId?: string): Promise<Date | null> {
  return store.nextApproval(ctx.store, accountId)
}

async function settleApproval(ctx: Context, approval: ApprovalDoc): Promise<void> {
  if (approval.status === 'waiting') {
    await currentApprovals(ctx, [approval])
    return
  }
  const taken = await store.takeApproved(ctx.store, approval, after(ctx.clock.now(), sendingMs))
  if (taken === null) return
  await sendApproved(ctx, taken).catch((error: unknown) => {
    // The approval waits again. A person who approves it once more gets the reason.
    if (!(error instanceof Failure)) throw error
    ctx.log.warn({ err: error, approvalId: approval._id }, 'an approved send was refused; it waits again')
  })
}

async function reachApproval(ctx: Context, { accountId }: Principal, id: string): Promise<ApprovalDoc> {
  const found = await store.findApproval(ctx.store, { accountId, approvalId: id })
  if (found === null) throw noApproval(id)
  const [approval = found] = await currentApprovals(ctx, [found])
  return approval
}

function decided({ status, decision }: ApprovalDoc): Failure {
  const at = decision === undefined ? '' : ` at ${decision.at.toISOString()}`
  return new Failure('conflict', `This approval is not waiting: it is ${status}${at}.`, {
    fix: 'List the approvals with the status "waiting" to see what can be decided.',
  })
}

/** Approves and makes the send. Null if the approval was decided in the meantime. */
async function approve(
  ctx: Context,
  waiting: ApprovalDoc,
  by: Omit<ApprovalDecision, 'at'>,
): Promise<ApprovalDoc | null> {
  const at = ctx.clock.now()
  const dueAt = after(at, sendingMs)
  const approval = await store.changeApproval(ctx.store, waiting, {
    status: 'approved',
    decision: { ...by, at },
    dueAt,
  })
  if (approval === null) return null
  // If this process dies, another process or the next start makes the send.
  noteDue(ctx, 'approvals', dueAt)
  await sendApproved(ctx, approval)
  return approval
}

/** Commits an approved send once and then removes its draft. If the rules refuse the send, the approval waits again. */
async function sendApproved(ctx: Context, approval: ApprovalDoc): Promise<void> {
  try {
    await commitApproved(ctx, approval)
  } catch (error) {
    if (error instanceof Failure && error.code !== 'send_failed') await store.reopenApproval(ctx.store, approval)
    throw error
  }
  await takeDraftAway(ctx, approval)
  await releaseMessage(ctx, approval)
  await store.finishApproval(ctx.store, approval)
}

async function commitApproved(ctx: Context, approval: ApprovalDoc): Promise<void> {
  const { accountId, keyId, emailId, mailboxId, parentId, recipients, origin, nullSender, tags } = approval
  const committed = () => findEmail(ctx.store, { accountId, emailId })
  if ((await committed()) !== null) return
  const doc = await findAccount(ctx.store, accountId)
  if (doc === null) throw new Failure('account_suspended')
  const account = accountOf(doc)
  requireAllowed(account, 'reply')
  const [mailbox = null] = mailboxId === null ? [] : await findMailboxes(ctx.store, [{ accountId, mailboxId }])
  if (mailboxId !== null && mailbox === null)
    throw new Failure('mailbox_not_found', `The mailbox ${approval.mailbox} is gone.`)
  const parent =
    mailboxId === null || parentId === null ? null : await findMessage(ctx.store, { mailboxId, messageId: parentId })
  const sender: Sender = { accountId, keyId, account }
  const { from, decided } = await decideRecipients(ctx, sender, {
    mailbox,
    parent,
    recipients,
    sender: () => senderOf(ctx, administrator(account), { approval, mailbox }),
    strict: true,
  })
  const accepted = decided.flatMap(({ email, decision }) => (decision === 'send' ? [email] : []))
  const allowance = await allowanceOfSend(ctx, sender, {
    sender: from.address,
    recipients: accepted,
    parent,
    mailboxId,
    purpose: emailId,
  })
  const now = ctx.clock.now()
  const asked = approval.decision?.sendAt ?? approval.sendAt
  const sendAt = asked !== null && asked > now ? asked : null
  const composed = await signed(ctx, approval, sendAt ?? now)
  const { to, cc, bcc, subject, keepsCopy } = approval
  const isSubmitted = origin === 'submission' && mailboxId !== null
  const broughtCopy = isSubmitted ? await findBroughtCopy(ctx, { ...approval, mailboxId }) : null
  try {
    await writeSend(ctx, sender, {
      id: emailId,
      mailbox,
      parent,
      from,
      recipients,
      files: [],
      sendAt,
      keepsCopy,
      ...(origin !== undefined && { origin }),
      ...(nullSender === true && { nullSender }),
      ...(tags !== undefined && { tags }),
      approvalId: approval._id,
      wasDraft: origin === undefined && mailbox?.kind === 'agent',
      broughtCopy,
      decided,
      allowance,
      sender: async () => from,
      input: { to, cc, bcc, ...(subject !== null && { subject }) },
      composed,
    })
  } catch (error) {
    if (error instanceof Failure || (await committed()) === null) throw error
  }
  if (approval.isReply && parent !== null && mailbox !== null)
    await markAnswered(ctx, administrator(account), { address: mailbox.address, messageId: parent._id })
}

/** The sender as it was approved, including the name. Fails if the mailbox or key may no longer send from it. */
async function senderOf(
  ctx: Context,
  principal: Principal,
  { approval: { from, origin }, mailbox }: { approval: ApprovalDoc; mailbox: MailboxDoc | null },
) {
  if (mailbox === null || origin === 'transactional') await senderMailbox(ctx, principal, from)
  else await mailboxSender(ctx, mailbox, { from: formatNamedAddress(from) })
  return from
}

async function signed(
  ctx: Context,
  { blob, from, messageIdHeader, inReplyTo, references }: ApprovalDoc,
  date: Date,
): Promise<Composed> {
  const raw = await readBlob(ctx.store, blob)
  if (raw === null) throw new Failure('internal_error', 'The stored bytes of the message are missing.')
  const keys = await signingKeys(ctx, splitAddress(from.address).domain)
  return { raw: await dkimSign(redate(raw, date), keys, ctx.clock.now()), messageIdHeader, inReplyTo, references }
}
