/**
 * Settles sends: writes what follows from a committed send, which is its outbox rows, the Sent copy, delivery events,
 * and `message.sent` when it is due. The id of each part is derived from the send, so that settling twice changes
 * nothing. `todoAt` in the document says whether and when there is more to settle, and a sweep queries it. Sends that
 * come together are settled together, at about the cost of one.
 */
import type { EmailDoc, EmailRecipient, OutboxDoc } from '../../store/documents/sending.ts'
import { findEmailsIn, findUnsettled, markPlanned, nextUnsettled, settleEmails } from '../../store/emails.ts'
import { insertOutbox } from '../../store/outbox.ts'
import { reportSuppressed } from '../deliver/bounce-mail.ts'
import { announceOutcomes, announceSent, withAnnounced } from '../deliver/delivery-events.ts'
import { noteRecipients } from '../mailbox/contacts.ts'
import { dueNow, inTimeOf } from '../process/account-time.ts'
import { noteDue, noteFailed } from '../process/alarms.ts'
import { after, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { createGroupCommit, isolateFailures } from '../process/group-commit.ts'
import { perProcess } from '../process/per-process.ts'
import { causeOf } from '../process/tracing.ts'
import { returnPathOf } from '../receive/return-path.ts'
import { releaseScheduled } from './release.ts'
import { type FreshSend, writeSentCopies } from './sent-copies.ts'

/** Sends of one group: bounds its memory, and how long its first send waits for its last. */
const freshGroupMax = 50
const dueGroupMax = 100
/** The caller was answered: what follows may wait for company. */
const pauseMs = 25

/** What is committed now is settled by this process in a moment; the sweep looks for it later. */
export const settlingMs = 5 * secondMs

type SendToSettle = { readonly ctx: Context; readonly email: EmailDoc; readonly fresh?: FreshSend }

const freshGroups = perProcess(() =>
  createGroupCommit<SendToSettle>(freshGroupMax, isolateFailures(settleGroup), { pauseMs }),
)
/** Sends that were committed a moment ago and are being settled, by id. */
const underWay = perProcess(() => new Map<string, Promise<void>>())
const dueGroups = perProcess(() => createGroupCommit<SendToSettle>(dueGroupMax, isolateFailures(settleGroup)))

/** Settles the sends that are due, of an account or of all, up to a group of them. Returns how many there were. */
export async function settleDue(ctx: Context, accountId?: string): Promise<number> {
  const due = await findUnsettled(ctx.store, { due: dueNow(ctx, accountId), limit: dueGroupMax })
  await settleInGroups(ctx, due)
  return due.length
}

/** When there is something to settle next, of an account or of all; null when nothing waits. */
export function nextSettling(ctx: Context, accountId?: string): Promise<Date | null> {
  return nextUnsettled(ctx.store, accountId)
}

/**
 * Settles sends in their current state, after what this process has under way for them. One that another process committed a
 * moment ago is left to that process. A failure is logged; the sweep tries again.
 */
export async function settleByIds(
  ctx: Context,
  told: { readonly accountIds: readonly string[]; readonly ids: readonly string[] },
): Promise<void> {
  await Promise.allSettled(told.ids.map((id) => underWay(ctx).get(id)))
  const emails = await findEmailsIn(ctx.store, told)
  const isOfAnother = ({ planned, accountId, createdAt }: EmailDoc) =>
    !planned && after(createdAt, settlingMs) > inTimeOf(ctx, accountId).clock.now()
  await settleInGroups(
    ctx,
    emails.filter((email) => email.todoAt !== undefined && !isOfAnother(email)),
  )
}

/** Settles a send that was just committed. */
export async function settle(ctx: Context, email: EmailDoc, fresh: FreshSend): Promise<void> {
  const settled = freshGroups(ctx)({ ctx, email, fresh })
  underWay(ctx).set(email._id, settled)
  try {
    await settled
  } finally {
    underWay(ctx).delete(email._id)
  }
}

async function settleInGroups(ctx: Context, emails: readonly EmailDoc[]): Promise<void> {
  await Promise.all(
    emails.map((email) =>
      dueGroups(ctx)({ ctx: inTimeOf(ctx, email.accountId), email }).catch((error: unknown) => {
        ctx.log.error({ err: error, emailId: email._id }, 'send could not be settled; it is tried again')
        noteFailed(ctx, 'sends')
      }),
    ),
  )
}

async function settleGroup(settlings: readonly SendToSettle[]): Promise<[]> {
  for (const ofOneTime of Map.groupBy(settlings, ({ ctx }) => ctx.clock).values()) await settleAll(ofOneTime)
  return []
}

/**
 * Settles sends in the state in which they were read. A send that another process changed meanwhile is due for settling
 * again by that change.
 */
async function settleAll(settlings: readonly SendToSettle[]): Promise<void> {
  const { ctx } = settlings[0]!
  const now = ctx.clock.now()
  const released = await Promise.all(settlings.map((settling) => releasedOf(ctx, settling, now)))
  const open = released.filter((settling) => settling !== null)
  const emails = open.map(({ email }) => email)
  const begun = open.filter(({ email }) => !email.planned)
  await writeDerived(
    ctx,
    begun.filter(({ email }) => email.recipients.some(({ status }) => status !== 'failed')),
  )
  for (const { email } of begun) await reportSuppressed(ctx, email)
  // Nobody asks for the events of the service's own account.
  const announced = emails.filter(({ noticeTo }) => noticeTo === undefined)
  await announceOutcomes(ctx, announced)
  const dueAt = ({ sentAt }: EmailDoc) =>
    sentAt === undefined ? null : after(sentAt, ctx.settings.outbound.messageSentDelaySeconds * secondMs)
  const sentIsOut = (email: EmailDoc) => (dueAt(email) ?? after(now, 1)) <= now
  await announceSent(ctx, announced.filter(sentIsOut))
  // An outcome is to be told of next: what that writes is settled then.
  const isBegun = ({ email, fresh }: Omit<SendToSettle, 'ctx'>) =>
    fresh !== undefined && email.recipients.some(isQueued)
  await markPlanned(
    ctx.store,
    open.filter(isBegun).map(({ email }) => email),
  )
  const ended = open.filter((settling) => !isBegun(settling))
  const settled = ended.map(({ email }) => ({
    email,
    recipients: withAnnounced(email),
    todoAt: sentIsOut(email) ? null : dueAt(email),
  }))
  await settleEmails(ctx.store, settled)
  for (const { todoAt } of settled) if (todoAt !== null) noteDue(ctx, 'sends', todoAt)
}

/**
 * Releases a scheduled send whose time has come. Returns null when its time has not come, or another request changed it
 * meanwhile.
 */
async function releasedOf(
  ctx: Context,
  { email, fresh }: SendToSettle,
  now: Date,
): Promise<Omit<SendToSettle, 'ctx'> | null> {
  if (email.scheduledFor === undefined) return { email, ...(fresh && { fresh }) }
  const released = email.scheduledFor > now ? null : await releaseScheduled(ctx, email)
  return released === null ? null : { email: released }
}

async function writeDerived(ctx: Context, sends: readonly Omit<SendToSettle, 'ctx'>[]): Promise<void> {
  if (sends.length === 0) return
  const emails = sends.map(({ email }) => email)
  // Begun in one turn, so that they share a command where they can.
  await Promise.all([writeOutbox(ctx, emails), noteRecipients(ctx, emails), writeSentCopies(ctx, sends)])
}

async function writeOutbox(ctx: Context, emails: readonly EmailDoc[]): Promise<void> {
  await insertOutbox(
    ctx.store,
    emails.flatMap((email) =>
      email.recipients.flatMap((recipient, n) => (isQueued(recipient) ? [outboxRow(ctx, email, recipient, n)] : [])),
    ),
    ctx.clock.aheadMs,
  )
  ctx.changes.publish({ kind: 'due', accountIds: [...new Set(emails.map(({ accountId }) => accountId))] })
}

const isQueued = ({ status }: EmailRecipient) => status === 'queued'

function outboxRow(ctx: Context, email: EmailDoc, { email: recipient }: EmailRecipient, n: number): OutboxDoc {
  const { _id, accountId, from, messageIdHeader, blob } = email
  // Its tries begin here: a send for later does not use them up while it waits.
  const at = email.sendAt ?? email.createdAt
  return {
    _id: `${_id}#${n}`,
    accountId,
    emailId: _id,
    n,
    sender: email.nullSender === true ? '' : returnPathOf(ctx, { emailId: _id, n }, from.address),
    recipient,
    messageIdHeader,
    blob,
    ...causeOf(email),
    ...(email.origin === 'tls report' && { anyTls: true }),
    notBefore: at,
    createdAt: at,
    lease: null,
    attempts: 0,
    attempting: false,
  }
}
