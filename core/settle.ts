/**
 * Writes what follows from a send: outbox rows, the Sent copy, delivery events, and `message.sent` when it is due. Every
 * part has an id computed from the send, so settling twice changes nothing; `todoAt` on the document says whether and when
 * there is more to do, and the sweep asks it.
 */
import { splitAddress } from '../mail/address.ts'
import { parseMessage } from '../mail/parse.ts'
import { deriveId } from '../schemas/ids.ts'
import { readBlob } from '../store/blobs.ts'
import type { DeliveryStatus, EmailDoc, EmailRecipient, OutboxDoc } from '../store/documents/sending.ts'
import { findEmail, findUnsettled, insertOutbox, settleEmail } from '../store/emails.ts'
import type { NewEvent } from '../store/events.ts'
import { knownEvents } from '../store/events.ts'
import { findMessage } from '../store/messages.ts'
import { noteContacts } from '../store/records.ts'
import { messageEventData, takeMessageEvents } from './announce.ts'
import { after, secondMs } from './clock.ts'
import type { Context } from './context.ts'
import { recordEvents } from './events.ts'
import { getFolder } from './folders.ts'
import { describe } from './receive.ts'

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

/** Settles a send as it was read. When it changed meanwhile, the change asked for another settling. */
export async function settle(ctx: Context, email: EmailDoc): Promise<void> {
  if (!email.planned) {
    // Rows first: the mail leaves while the rest is written.
    await insertOutbox(
      ctx.store,
      email.recipients.flatMap((recipient, n) =>
        recipient.status === 'queued' ? [outboxRow(email, recipient, n)] : [],
      ),
    )
    ctx.changes.publish({ kind: 'due', accountIds: [email.accountId] })
    await writeSentCopy(ctx, email)
  }
  const announced = await announceOutcomes(ctx, email)
  const sentDueAt =
    email.sentAt === undefined ? null : after(email.sentAt, ctx.settings.outbound.messageSentDelaySeconds * secondMs)
  const sentIsOut = sentDueAt !== null && sentDueAt <= ctx.clock.now()
  if (sentIsOut) await announceSent(ctx, email)
  await settleEmail(ctx.store, email, { recipients: announced, todoAt: sentIsOut ? null : sentDueAt })
}

function outboxRow(email: EmailDoc, { email: recipient }: EmailRecipient, n: number): OutboxDoc {
  const { _id, accountId, from, messageIdHeader, blob, createdAt } = email
  return {
    _id: `${_id}#${n}`,
    accountId,
    emailId: _id,
    n,
    sender: from.address,
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
async function writeSentCopy(ctx: Context, email: EmailDoc): Promise<void> {
  const { accountId, mailboxId, mailbox, messageId, threadId, createdAt } = email
  if (mailboxId === null || mailbox === null || messageId === null || threadId === null) return
  if ((await findMessage(ctx.store, { mailboxId, messageId })) !== null) return
  const raw = await readBlob(ctx.store, email.blob)
  if (raw === null) return
  const sent = await getFolder(ctx, mailboxId, 'sent')
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
    ...describe(raw, parseMessage(raw), email.blob),
    ...{ bcc: email.bcc, trace: '', deliveredTo: null, emailId: email._id },
  }
  await ctx.arrivals.write({ chunks: [], messages: [copy] })
  const direction = 'sent' as const
  await noteContacts(
    ctx.store,
    [...email.to, ...email.cc, ...email.bcc].map(({ name, address }) => ({
      accountId,
      mailboxId,
      name,
      address,
      at: createdAt,
      direction,
    })),
  )
}

/** Records the event of every recipient whose outcome is new. Answers the recipients with what is out now. */
async function announceOutcomes(ctx: Context, email: EmailDoc): Promise<readonly EmailRecipient[]> {
  const fresh = email.recipients.flatMap((recipient, n) =>
    announcedStatuses.includes(recipient.status) && recipient.announced !== recipient.status ? [{ recipient, n }] : [],
  )
  await recordEvents(
    ctx,
    email.accountId,
    fresh.flatMap(({ recipient, n }) => outcomesOf(recipient).map((outcome) => outcomeEvent(email, outcome, n))),
  )
  return email.recipients.map((recipient) =>
    announcedStatuses.includes(recipient.status) ? { ...recipient, announced: recipient.status } : recipient,
  )
}

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
      ...outcome[recipient.status],
    },
  }
}

/** One `message.sent` for the send, some seconds after the engine took it (interface.md, Events). */
async function announceSent(ctx: Context, email: EmailDoc): Promise<void> {
  const _id = deriveId('evt', email._id, 'message.sent')
  if ((await knownEvents(ctx.store, [_id])).has(_id) || email.sentAt === undefined) return
  if ((await takeMessageEvents(ctx, email.accountId, 1)) === 0) return
  const { mailboxId, messageId } = email
  const message =
    mailboxId === null || messageId === null ? null : await findMessage(ctx.store, { mailboxId, messageId })
  const at = email.sentAt.toISOString()
  const data =
    message === null
      ? {
          mailbox: email.mailbox ?? email.from.address,
          message_id: null,
          thread_id: null,
          folder: 'Sent',
          from: email.from,
          to: email.to,
          subject: null,
          snippet: null,
          received_at: at,
          attachments: [],
        }
      : { ...messageEventData(message, 'Sent'), received_at: at }
  await recordEvents(ctx, email.accountId, [{ _id, ...eventFrame(email, 'message.sent', ctx.clock.now()), data }])
}

function eventFrame(email: EmailDoc, type: string, createdAt: Date): Omit<NewEvent, '_id' | 'data'> {
  const { accountId, mailbox, mailboxId, from } = email
  return { accountId, type, createdAt, mailbox, mailboxId, domain: splitAddress(from.address).domain }
}
