/**
 * The events of deliveries: delivered, bounced and complained recipients, the consequences of these outcomes, and
 * `message.sent`. The id of every event is derived from the send.
 */
import { splitAddress } from '../../mail/message/address.ts'
import { deriveId } from '../../schemas/ids.ts'
import type { MessageDoc } from '../../store/documents/mail.ts'
import type { DeliveryStatus, EmailDoc, EmailRecipient } from '../../store/documents/sending.ts'
import { findExistingEventIds, type NewEvent } from '../../store/events.ts'
import { findMessagesIn } from '../../store/messages.ts'
import { countOutcomes } from '../account/reputation.ts'
import { finishEvents, recordEvents } from '../notify/events.ts'
import type { Context } from '../process/context.ts'
import { causeOf } from '../process/tracing.ts'
import { messageEventData, recordMessageEvents } from '../receive/message-events.ts'
import { droppedSentType, tallyEventsUpTo } from '../receive/received-counts.ts'
import { reportBounces } from './bounce-mail.ts'
import { isSimulated } from './simulator.ts'
import { suppressOutcomes } from './suppressions.ts'

const announcedStatuses: readonly DeliveryStatus[] = ['delivered', 'bounced', 'complained']

type NewOutcome = { readonly email: EmailDoc; readonly recipient: EmailRecipient; readonly n: number }

/**
 * Records the events of recipients with a new outcome, and its consequences: suppressions, bounce messages,
 * reputation. Safe to repeat.
 */
export async function announceOutcomes(ctx: Context, emails: readonly EmailDoc[]): Promise<void> {
  const outcomes = emails.flatMap((email) =>
    email.recipients.flatMap((recipient, n): NewOutcome[] =>
      isNewOutcome(recipient) ? [{ email, recipient, n }] : [],
    ),
  )
  if (outcomes.length === 0) return
  await suppressOutcomes(ctx, outcomes)
  const events = outcomes.flatMap((each) => outcomesOf(each).map(outcomeEvent))
  const recorded = new Set((await recordEvents(ctx, events)).map(({ _id }) => _id))
  for (const [email, own] of Map.groupBy(outcomes, (each) => each.email))
    await reportBounces(
      ctx,
      email,
      own.filter(({ recipient }) => recipient.status === 'bounced'),
    )
  // Only events recorded just now are counted; the others were counted when they were recorded.
  const real = outcomes.filter((each) => recorded.has(outcomeEvent(each)._id) && !isSimulated(each.recipient.email))
  for (const [accountId, own] of Map.groupBy(real, ({ email }) => email.accountId)) {
    const number = (isOne: (recipient: EmailRecipient) => boolean) =>
      own.filter(({ recipient }) => isOne(recipient)).length
    await countOutcomes(ctx, accountId, {
      bounced: number(({ status, reason }) => status === 'bounced' && reason === 'permanent'),
      complained: number(({ status }) => status === 'complained'),
    })
  }
}

/** The recipients of a send, with those that `announceOutcomes` handles marked as announced. */
export function withAnnounced({ recipients }: EmailDoc): readonly EmailRecipient[] {
  return recipients.map((recipient) =>
    isNewOutcome(recipient) ? { ...recipient, announced: recipient.status } : recipient,
  )
}

/**
 * Records `message.sent`, some seconds after the sends were handed to delivery (interface.md, Events): one per send, or
 * one per recipient for the kinds of sends that keep no copy in Sent. Safe to repeat.
 */
export async function announceSent(ctx: Context, emails: readonly EmailDoc[]): Promise<void> {
  const wanted = emails.flatMap(sentEventsOf)
  if (wanted.length === 0) return
  const [known, copies] = await Promise.all([
    findExistingEventIds(
      ctx.store,
      wanted.map(({ id: _id, accountId }) => ({ _id, accountId })),
    ),
    copiesOf(ctx, emails),
  ])
  // A crash may have come between the recording of these events and that of their webhook deliveries.
  for (const [accountId, own] of Map.groupBy(
    wanted.filter(({ id }) => known.has(id)),
    (event) => event.accountId,
  ))
    await finishEvents(
      ctx,
      accountId,
      own.map(({ id }) => id),
    )
  const fresh = wanted.filter(({ id }) => !known.has(id))
  const now = ctx.clock.now()
  const recorded = await recordMessageEvents(ctx, fresh, {
    event({ id: _id, email, n, at }) {
      const copy = copies.get(email.messageId ?? '')
      const data =
        copy === undefined ? withoutCopy(email, n, at) : { ...messageEventData(copy, 'Sent'), received_at: at }
      return { _id, ...eventFrame(email, 'message.sent', now), data }
    },
    dropped: ({ id: _id, email }) => ({ _id, ...eventFrame(email, droppedSentType, now), data: {} }),
  })
  const dropped = recorded.filter(({ type }) => type === droppedSentType)
  for (const [accountId, own] of Map.groupBy(dropped, (event) => event.accountId))
    await tallyEventsUpTo(ctx, accountId, own.at(-1)!.seq)
}

const isNewOutcome = ({ status, announced }: EmailRecipient) =>
  announcedStatuses.includes(status) && announced !== status

/** A recipient who complains has received the mail, so its delivery is reported first. */
function outcomesOf(outcome: NewOutcome): NewOutcome[] {
  const { recipient } = outcome
  return recipient.status === 'complained'
    ? [{ ...outcome, recipient: { ...recipient, status: 'delivered' } }, outcome]
    : [outcome]
}

function outcomeEvent({ email, recipient, n }: NewOutcome): NewEvent {
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

type SentEvent = {
  readonly id: string
  readonly accountId: string
  readonly email: EmailDoc
  readonly n: number
  readonly at: string
}

function sentEventsOf(email: EmailDoc): SentEvent[] {
  const { accountId, sentAt } = email
  if (sentAt === undefined) return []
  const event = (name: string, n: number) => ({
    id: deriveId('evt', email._id, name),
    accountId,
    email,
    n,
    at: sentAt.toISOString(),
  })
  if (isMailboxSend(email)) return [event('message.sent', 0)]
  return email.recipients.flatMap(({ status }, n) => (status === 'failed' ? [] : [event(`message.sent#${n}`, n)]))
}

/** The Sent copies of sends, by message id. */
async function copiesOf(ctx: Context, emails: readonly EmailDoc[]): Promise<ReadonlyMap<string, MessageDoc>> {
  const wanted = emails.flatMap(({ mailboxId, messageId }) =>
    mailboxId === null || messageId === null ? [] : [{ mailboxId, messageId }],
  )
  const mailboxIds = [...new Set(wanted.map(({ mailboxId }) => mailboxId))]
  const ids = wanted.map(({ messageId }) => messageId)
  const found = ids.length === 0 ? [] : await findMessagesIn(ctx.store, { mailboxIds, ids })
  return new Map(found.map((copy) => [copy._id, copy]))
}

function withoutCopy(email: EmailDoc, n: number, at: string): NewEvent['data'] {
  const one = email.recipients[n]?.email ?? ''
  return {
    mailbox: email.mailbox ?? email.from.address,
    message_id: null,
    thread_id: null,
    folder: 'Sent',
    from: email.from,
    to: isMailboxSend(email) ? email.to : [{ name: '', address: one }],
    subject: null,
    snippet: null,
    received_at: at,
    attachments: [],
  }
}

function eventFrame(email: EmailDoc, type: string, createdAt: Date): Omit<NewEvent, '_id' | 'data'> {
  const { accountId, mailbox, mailboxId, from } = email
  const { domain } = splitAddress(from.address)
  return { accountId, type, createdAt, mailbox, mailboxId, domain, ...causeOf(email) }
}

/**
 * Whether a send comes from the mailbox itself. Others (batch, transactional) keep no copy in Sent and have one
 * `message.sent` per recipient.
 */
function isMailboxSend({ origin }: EmailDoc): boolean {
  return origin === undefined || origin === 'submission'
}
