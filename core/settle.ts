/**
 * Writes what follows from a send: outbox rows, the Sent copy, delivery events, and `message.sent` when it is due. Every
 * part has an id computed from the send, so settling twice changes nothing; `todoAt` on the document says whether and when
 * there is more to do, and the sweep asks it.
 */
import { splitAddress } from '../mail/address.ts'
import { deriveId } from '../schemas/ids.ts'
import { readBlob } from '../store/blobs.ts'
import type { MessageDoc } from '../store/documents/mail.ts'
import type { DeliveryStatus, EmailDoc, EmailRecipient, OutboxDoc } from '../store/documents/sending.ts'
import { findEmail, findUnsettled, insertOutbox, settleEmail } from '../store/emails.ts'
import type { NewEvent } from '../store/events.ts'
import { knownEvents } from '../store/events.ts'
import { findFolders } from '../store/folders.ts'
import { findMessage } from '../store/messages.ts'
import { messageEventData, takeMessageEvents } from './announce.ts'
import { reportBounces } from './bounce-mail.ts'
import { after, secondMs } from './clock.ts'
import { noteRecipients } from './contacts.ts'
import type { Context } from './context.ts'
import { recordEvents } from './events.ts'
import { folderIn } from './folders.ts'
import { describe } from './receive.ts'
import { countOutcomes } from './reputation.ts'
import { returnPathOf } from './return-path.ts'
import { releaseScheduled } from './scheduled.ts'
import { isSimulated } from './simulator.ts'
import { heldBy, watchStorage } from './storage.ts'
import { suppressOutcomes } from './suppressions.ts'
import { deriveThreads } from './threads.ts'

const settleMax = 100
const announcedStatuses: readonly DeliveryStatus[] = ['delivered', 'bounced', 'complained']

/** Settles the sends that are due. Answers how many there were. */
export async function settleDue(ctx: Context): Promise<number> {
  const due = await findUnsettled(ctx.store, { due: ctx.clock.now(), limit: settleMax })
  for (const email of due) {
    await settle(ctx, email).catch((error: unknown) =>
      ctx.log.error({ err: error, emailId: email._id }, 'send could not be settled'),
    )
  }
  return due.length
}

/** Settles one send as it is now. */
export async function settleById(
  ctx: Context,
  { accountId, emailId }: { accountId: string; emailId: string },
): Promise<void> {
  const email = await findEmail(ctx.store, { accountId, emailId })
  if (email?.todoAt !== undefined) await settle(ctx, email)
}

/**
 * Settles a send as it was read. When it changed meanwhile, the change asked for another settling. `fresh` are the bytes of
 * one that was committed just now.
 */
export async function settle(ctx: Context, asRead: EmailDoc, fresh?: Buffer): Promise<void> {
  const waits = asRead.scheduledFor !== undefined && asRead.scheduledFor > ctx.clock.now()
  const email = asRead.scheduledFor === undefined || waits ? asRead : await releaseScheduled(ctx, asRead)
  if (waits || email === null) return
  const goes = email.recipients.some(({ status }) => status !== 'failed')
  if (!email.planned && goes) {
    // Rows first: the mail leaves while the rest is written.
    await insertOutbox(
      ctx.store,
      email.recipients.flatMap((recipient, n) =>
        recipient.status === 'queued' ? [outboxRow(ctx, email, recipient, n)] : [],
      ),
    )
    ctx.changes.publish({ kind: 'due', accountIds: [email.accountId] })
    await Promise.all([writeSentCopy(ctx, email, fresh), noteRecipients(ctx, email)])
  }
  await suppressOutcomes(ctx, email, email.recipients.filter(isNews))
  const announced = await announceOutcomes(ctx, email)
  const sentDueAt =
    email.sentAt === undefined ? null : after(email.sentAt, ctx.settings.outbound.messageSentDelaySeconds * secondMs)
  const sentIsOut = sentDueAt !== null && sentDueAt <= ctx.clock.now()
  if (sentIsOut) await announceSent(ctx, email)
  await settleEmail(ctx.store, email, { recipients: announced, todoAt: sentIsOut ? null : sentDueAt })
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

/** The copy in Sent, with the id the answer of the send named. */
async function writeSentCopy(ctx: Context, email: EmailDoc, fresh: Buffer | undefined): Promise<void> {
  const { accountId, mailboxId, mailbox, messageId, threadId, createdAt } = email
  if (mailboxId === null || mailbox === null || messageId === null || threadId === null) return
  if (fresh === undefined && (await findMessage(ctx.store, { mailboxId, messageId })) !== null) return
  const [raw, folders] = await Promise.all([
    fresh ?? readBlob(ctx.store, email.blob),
    findFolders(ctx.store, mailboxId),
  ])
  if (raw === null) return
  const sent = folderIn(folders, 'sent')
  const copy = {
    ...{
      _id: messageId,
      accountId,
      mailboxId,
      mailbox,
      folderId: sent._id,
      threadId,
      receivedAt: createdAt,
      seen: true,
      flagged: false,
      answered: false,
    },
    ...describe(await ctx.parsing.run('arrival', { raw, prefix: '' }), email.blob),
    ...{ bcc: email.bcc, trace: '', deliveredTo: null, emailId: email._id },
  }
  await ctx.arrivals.write({ chunks: [], messages: [copy] })
  ctx.changes.publish({ kind: 'stored', ids: [copy._id] })
  const held = heldBy(folders).map((each) => ({ ...each, usedBytes: each.usedBytes + copy.sizeBytes }))
  await Promise.all([deriveThreads(ctx, [copy]), watchStorage(ctx, held)])
}

/** Records the event of every recipient whose outcome is new. Answers the recipients with what is out now. */
async function announceOutcomes(ctx: Context, email: EmailDoc): Promise<readonly EmailRecipient[]> {
  const fresh = email.recipients.flatMap((recipient, n) => (isNews(recipient) ? [{ recipient, n }] : []))
  const told = await recordEvents(
    ctx,
    email.accountId,
    fresh.flatMap(({ recipient, n }) => outcomesOf(recipient).map((outcome) => outcomeEvent(email, outcome, n))),
  )
  await reportBounces(
    ctx,
    email,
    fresh.filter(({ recipient }) => recipient.status === 'bounced'),
  )
  // What was told before was counted before.
  const real = fresh.filter(({ recipient }) => told.length > 0 && !isSimulated(recipient.email))
  const number = (isOne: (recipient: EmailRecipient) => boolean) =>
    real.filter(({ recipient }) => isOne(recipient)).length
  await countOutcomes(ctx, email.accountId, {
    bounced: number(({ status, reason }) => status === 'bounced' && reason === 'permanent'),
    complained: number(({ status }) => status === 'complained'),
  })
  return email.recipients.map((recipient) =>
    announcedStatuses.includes(recipient.status) ? { ...recipient, announced: recipient.status } : recipient,
  )
}

const isNews = ({ status, announced }: EmailRecipient) => announcedStatuses.includes(status) && announced !== status

/** A complaint comes from somebody who got the mail: the delivery is told first. */
function outcomesOf(recipient: EmailRecipient): EmailRecipient[] {
  return recipient.status === 'complained' ? [{ ...recipient, status: 'delivered' }, recipient] : [recipient]
}

function outcomeEvent(email: EmailDoc, recipient: EmailRecipient, n: number): NewEvent {
  const type = `email.${recipient.status}`
  const at = recipient.at.toISOString()
  const outcome: { [status: string]: object } = {
    delivered: { delivery: { at, mx: recipient.mx, response: recipient.response, tls: recipient.tls } },
    bounced: {
      bounce: {
        type: recipient.reason === 'transient' ? 'transient' : 'permanent',
        reason: recipient.response ?? recipient.reason ?? '',
      },
    },
    complained: { complaint: { type: recipient.reason ?? 'abuse', at } },
  }
  return {
    _id: deriveId('evt', email._id, `${type}#${n}`),
    ...eventFrame(email, type, recipient.at),
    data: {
      email_id: email._id,
      from: email.from.address,
      to: [recipient.email],
      subject: email.subject,
      mailbox: email.mailbox,
      ...(email.batchId !== undefined && { batch_id: email.batchId }),
      ...outcome[recipient.status],
    },
  }
}

/**
 * `message.sent`, some seconds after the engine took the send (interface.md, Events): one, or one for each recipient when the
 * sender keeps no Sent copy at all.
 */
async function announceSent(ctx: Context, email: EmailDoc): Promise<void> {
  if (email.sentAt === undefined) return
  const at = email.sentAt.toISOString()
  const sent = email.recipients.flatMap(({ status }, n) => (status === 'failed' ? [] : [n]))
  const names = isOfMailbox(email) ? ['message.sent'] : sent.map((n) => `message.sent#${n}`)
  const ids = names.map((name) => deriveId('evt', email._id, name))
  const known = await knownEvents(ctx.store, ids)
  const fresh = ids.flatMap((id, index) => (known.has(id) ? [] : [{ id, n: sent[index] ?? 0 }]))
  const allowed = fresh.length === 0 ? 0 : await takeMessageEvents(ctx, email.accountId, fresh.length)
  const copy = await sentCopyOf(ctx, email)
  const frame = eventFrame(email, 'message.sent', ctx.clock.now())
  await recordEvents(
    ctx,
    email.accountId,
    fresh.slice(0, allowed).map(({ id: _id, n }) => ({
      ...{ _id, ...frame },
      data: copy === null ? withoutCopy(email, n, at) : { ...messageEventData(copy, 'Sent'), received_at: at },
    })),
  )
}

async function sentCopyOf(ctx: Context, { mailboxId, messageId }: EmailDoc): Promise<MessageDoc | null> {
  return mailboxId === null || messageId === null ? null : findMessage(ctx.store, { mailboxId, messageId })
}

function withoutCopy(email: EmailDoc, n: number, at: string): NewEvent['data'] {
  const one = email.recipients[n]?.email ?? ''
  return {
    mailbox: email.mailbox ?? email.from.address,
    ...{ message_id: null, thread_id: null, folder: 'Sent', from: email.from },
    to: isOfMailbox(email) ? email.to : [{ name: '', address: one }],
    ...{ subject: null, snippet: null, received_at: at, attachments: [] },
  }
}

function eventFrame(email: EmailDoc, type: string, createdAt: Date): Omit<NewEvent, '_id' | 'data'> {
  const { accountId, mailbox, mailboxId, from } = email
  return { accountId, type, createdAt, mailbox, mailboxId, domain: splitAddress(from.address).domain }
}

/** Whether it is a mailbox's own send: others keep no Sent copy, and each of their recipients has its `message.sent`. */
function isOfMailbox({ origin }: EmailDoc): boolean {
  return origin === undefined || origin === 'submission'
}
