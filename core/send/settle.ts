/**
 * Settles sends: derives from a committed send its outbox rows, the copy in Sent, delivery events, and `message.sent` when
 * it is due. The id of each part is derived from the send, so that settling twice changes nothing. `todoAt` in the
 * document says whether and when there is more to settle; a sweep queries it. Sends that are waiting at the same time are
 * settled together, at about the cost of one.
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

/** Sends in one group. Bounds its memory, and how long its first send waits for its last. */
const freshGroupMax = 50
const dueGroupMax = 100
/** How long a group waits for more sends: callers are usually answered already. */
const pauseMs = 25

/** This process settles a new send within a moment; the sweep does not look for it before this time is over. */
export const settlingMs = 5 * secondMs

type SendToSettle = { readonly ctx: Context; readonly email: EmailDoc; readonly fresh?: FreshSend }

const freshGroups = perProcess(() =>
  createGroupCommit<SendToSettle>(freshGroupMax, isolateFailures(settleGroup), { pauseMs }),
)
/** Sends that were just committed and are being settled, by id. */
const underWay = perProcess(() => new Map<string, Promise<void>>())
const dueGroups = perProcess(() => createGroupCommit<SendToSettle>(dueGroupMax, isolateFailures(settleGroup)))

/** Settles the sends that are due, of one account or of all, at most one group of them. Returns how many were due. */
export async function settleDue(ctx: Context, accountId?: string): Promise<number> {
  const due = await findUnsettled(ctx.store, { due: dueNow(ctx, accountId), limit: dueGroupMax })
  await settleInGroups(ctx, due)
  return due.length
}

/** When the next send is due for settling, of one account or of all; null if none is. */
export function nextSettling(ctx: Context, accountId?: string): Promise<Date | null> {
  return nextUnsettled(ctx.store, accountId)
}

/**
 * Settles sends in their current state, once those that this process is already settling are done. A send that another process
 * committed a moment ago is left to that process. Failures are logged; the sweep tries again.
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
 * Settles sends in the state in which they were read. If another process changed a send in the meantime, that change made it
 * due for settling again.
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
  // Nobody reads the events of the service's own account.
  const announced = emails.filter(({ noticeTo }) => noticeTo === undefined)
  await announceOutcomes(ctx, announced)
  const dueAt = ({ sentAt }: EmailDoc) =>
    sentAt === undefined ? null : after(sentAt, ctx.settings.outbound.messageSentDelaySeconds * secondMs)
  const sentIsOut = (email: EmailDoc) => (dueAt(email) ?? after(now, 1)) <= now
  await announceSent(ctx, announced.filter(sentIsOut))
  // A fresh send with queued recipients gets an outcome soon; the rest is settled when that is recorded.
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
 * Releases a scheduled send whose time has come. Returns null if its time has not come, or another request changed it in
 * the meantime.
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
  // All start in one turn of the event loop, so that they can share a command.
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
  // The period for tries begins here: a scheduled send does not use it up while it waits.
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
