/**
 * Writes what follows from sends: outbox rows, the Sent copy, delivery events, and `message.sent` when it is due. Every part
 * has an id computed from the send, so settling twice changes nothing; `todoAt` on the document says whether and when there
 * is more to do, and the sweep asks it. Sends that come together are settled together, for about the price of one.
 */
import type { EmailDoc, EmailRecipient, OutboxDoc } from '../../store/documents/sending.ts'
import { findEmailsById, findUnsettled, nextUnsettled, settleEmails } from '../../store/emails.ts'
import { insertOutbox } from '../../store/outbox.ts'
import { announceOutcomes, announceSent, withAnnounced } from '../deliver/delivery-events.ts'
import { noteRecipients } from '../mailbox/contacts.ts'
import { noteDue, noteFailed } from '../process/alarms.ts'
import { after, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { createGroupCommit, isolateFailures } from '../process/group-commit.ts'
import { perProcess } from '../process/per-process.ts'
import { returnPathOf } from '../receive/return-path.ts'
import { releaseScheduled } from './scheduled.ts'
import { type Fresh, writeSentCopies } from './sent-copies.ts'

/** Sends of one group: bounds what it takes, and how long the last of them waits for the first. */
const freshMax = 50
const laterMax = 100

type Settling = { readonly ctx: Context; readonly email: EmailDoc; readonly fresh?: Fresh }

const freshOnes = perProcess(() => createGroupCommit<Settling>(freshMax, isolateFailures(settleGroup)))
const laterOnes = perProcess(() => createGroupCommit<Settling>(laterMax, isolateFailures(settleGroup)))

/** Settles the sends that are due. Returns how many there were. */
export async function settleDue(ctx: Context): Promise<number> {
  const due = await findUnsettled(ctx.store, { due: ctx.clock.now(), limit: laterMax })
  await settleLater(ctx, due)
  return due.length
}

/** When there is something to settle next; null when nothing waits. */
export function nextSettling(ctx: Context): Promise<Date | null> {
  return nextUnsettled(ctx.store)
}

/** Settles sends as they are now. What fails is logged; the sweep tries it again. */
export async function settleByIds(ctx: Context, ids: readonly string[]): Promise<void> {
  const emails = await findEmailsById(ctx.store, ids)
  await settleLater(
    ctx,
    emails.filter(({ todoAt }) => todoAt !== undefined),
  )
}

/** Settles a send that was committed just now. */
export function settle(ctx: Context, email: EmailDoc, fresh: Fresh): Promise<void> {
  return freshOnes(ctx)({ ctx, email, fresh })
}

async function settleLater(ctx: Context, emails: readonly EmailDoc[]): Promise<void> {
  await Promise.all(
    emails.map((email) =>
      laterOnes(ctx)({ ctx, email }).catch((error: unknown) => {
        ctx.log.error({ err: error, emailId: email._id }, 'send could not be settled')
        noteFailed(ctx, 'sends')
      }),
    ),
  )
}

/** Settles sends as they were read. When one changed meanwhile, the change asked for another settling. */
async function settleGroup(settlings: readonly Settling[]): Promise<[]> {
  const { ctx } = settlings[0]!
  const now = ctx.clock.now()
  const released = await Promise.all(settlings.map((settling) => releasedOf(ctx, settling, now)))
  const open = released.filter((settling) => settling !== null)
  const emails = open.map(({ email }) => email)
  await plan(
    ctx,
    open.filter(({ email }) => !email.planned && email.recipients.some(({ status }) => status !== 'failed')),
  )
  await announceOutcomes(ctx, emails)
  const dueAt = ({ sentAt }: EmailDoc) =>
    sentAt === undefined ? null : after(sentAt, ctx.settings.outbound.messageSentDelaySeconds * secondMs)
  const sentIsOut = (email: EmailDoc) => (dueAt(email) ?? after(now, 1)) <= now
  await announceSent(ctx, emails.filter(sentIsOut))
  const settled = emails.map((email) => ({
    email,
    recipients: withAnnounced(email),
    todoAt: sentIsOut(email) ? null : dueAt(email),
  }))
  await settleEmails(ctx.store, settled)
  for (const { todoAt } of settled) if (todoAt !== null) noteDue(ctx, 'sends', todoAt)
  return []
}

/** Null: it waits for its time, or somebody changed it meanwhile. */
async function releasedOf(ctx: Context, { email, fresh }: Settling, now: Date): Promise<Omit<Settling, 'ctx'> | null> {
  if (email.scheduledFor === undefined) return { email, ...(fresh && { fresh }) }
  const released = email.scheduledFor > now ? null : await releaseScheduled(ctx, email)
  return released === null ? null : { email: released }
}

async function plan(ctx: Context, sends: readonly Omit<Settling, 'ctx'>[]): Promise<void> {
  if (sends.length === 0) return
  const emails = sends.map(({ email }) => email)
  // Rows first: the mail leaves while the rest is written.
  await insertOutbox(
    ctx.store,
    emails.flatMap((email) =>
      email.recipients.flatMap((recipient, n) =>
        recipient.status === 'queued' ? [outboxRow(ctx, email, recipient, n)] : [],
      ),
    ),
  )
  ctx.changes.publish({ kind: 'due', accountIds: [...new Set(emails.map(({ accountId }) => accountId))] })
  await Promise.all([writeSentCopies(ctx, sends), noteRecipients(ctx, emails)])
}

function outboxRow(ctx: Context, email: EmailDoc, { email: recipient }: EmailRecipient, n: number): OutboxDoc {
  const { _id, accountId, from, messageIdHeader, blob, createdAt } = email
  return {
    _id: `${_id}#${n}`,
    accountId,
    emailId: _id,
    n,
    sender: returnPathOf(ctx, { emailId: _id, n }, from.address),
    recipient,
    messageIdHeader,
    blob,
    notBefore: createdAt,
    createdAt,
    lease: null,
    attempts: 0,
    attempting: false,
  }
}
