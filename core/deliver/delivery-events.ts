/**
 * What became of recipients, told to the account: the events of their deliveries, bounces and complaints, what follows from
 * those, and `message.sent`. Every event has an id computed from the send.
 */
import { splitAddress } from '../../mail/message/address.ts'
import { deriveId } from '../../schemas/ids.ts'
import type { MessageDoc } from '../../store/documents/mail.ts'
import type { DeliveryStatus, EmailDoc, EmailRecipient } from '../../store/documents/sending.ts'
import { findExistingEventIds, type NewEvent } from '../../store/events.ts'
import { findMessages } from '../../store/messages.ts'
import { countOutcomes } from '../account/reputation.ts'
import { recordEvents } from '../notify/events.ts'
import type { Context } from '../process/context.ts'
import { allowEvents, messageEventData } from '../receive/announce.ts'
import { reportBounces } from './bounce-mail.ts'
import { isSimulated } from './simulator.ts'
import { suppressOutcomes } from './suppressions.ts'

const announcedStatuses: readonly DeliveryStatus[] = ['delivered', 'bounced', 'complained']

type News = { readonly email: EmailDoc; readonly recipient: EmailRecipient; readonly n: number }

/** Records the events of the recipients whose outcome is new, and what follows from it. Safe to repeat. */
export async function announceOutcomes(ctx: Context, emails: readonly EmailDoc[]): Promise<void> {
  const news = emails.flatMap((email) =>
    email.recipients.flatMap((recipient, n): News[] => (isNews(recipient) ? [{ email, recipient, n }] : [])),
  )
  if (news.length === 0) return
  await suppressOutcomes(ctx, news)
  const events = news.flatMap((each) => outcomesOf(each).map(outcomeEvent))
  const told = new Set((await recordEvents(ctx, events)).map(({ _id }) => _id))
  for (const [email, own] of Map.groupBy(news, (each) => each.email))
    await reportBounces(
      ctx,
      email,
      own.filter(({ recipient }) => recipient.status === 'bounced'),
    )
  // What was told before was counted before.
  const real = news.filter((each) => told.has(outcomeEvent(each)._id) && !isSimulated(each.recipient.email))
  for (const [accountId, own] of Map.groupBy(real, ({ email }) => email.accountId)) {
    const number = (isOne: (recipient: EmailRecipient) => boolean) =>
      own.filter(({ recipient }) => isOne(recipient)).length
    await countOutcomes(ctx, accountId, {
      bounced: number(({ status, reason }) => status === 'bounced' && reason === 'permanent'),
      complained: number(({ status }) => status === 'complained'),
    })
  }
}

/** The recipients of a send after `announceOutcomes`. */
export function announced({ recipients }: EmailDoc): readonly EmailRecipient[] {
  return recipients.map((recipient) => (isNews(recipient) ? { ...recipient, announced: recipient.status } : recipient))
}

/**
 * Records `message.sent`, some seconds after the engine took the sends (interface.md, Events): one for each, or one for each
 * recipient when the sender keeps no Sent copy at all. Safe to repeat.
 */
export async function announceSent(ctx: Context, emails: readonly EmailDoc[]): Promise<void> {
  const wanted = emails.flatMap(sentOf)
  if (wanted.length === 0) return
  const [known, copies] = await Promise.all([
    findExistingEventIds(
      ctx.store,
      wanted.map(({ id }) => id),
    ),
    copiesOf(ctx, emails),
  ])
  const fresh = wanted.filter(({ id }) => !known.has(id))
  const allowed = await allowEvents(ctx, fresh)
  const now = ctx.clock.now()
  await recordEvents(
    ctx,
    [...allowed].map(({ id: _id, email, n, at }) => {
      const copy = copies.get(email.messageId ?? '')
      const data =
        copy === undefined ? withoutCopy(email, n, at) : { ...messageEventData(copy, 'Sent'), received_at: at }
      return { _id, ...eventFrame(email, 'message.sent', now), data }
    }),
  )
}

const isNews = ({ status, announced }: EmailRecipient) => announcedStatuses.includes(status) && announced !== status

/** A complaint comes from somebody who got the mail: the delivery is told first. */
function outcomesOf(news: News): News[] {
  const { recipient } = news
  return recipient.status === 'complained'
    ? [{ ...news, recipient: { ...recipient, status: 'delivered' } }, news]
    : [news]
}

function outcomeEvent({ email, recipient, n }: News): NewEvent {
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

type Sent = {
  readonly id: string
  readonly accountId: string
  readonly email: EmailDoc
  readonly n: number
  readonly at: string
}

function sentOf(email: EmailDoc): Sent[] {
  const { accountId, sentAt } = email
  if (sentAt === undefined) return []
  const event = (name: string, n: number) => ({
    id: deriveId('evt', email._id, name),
    accountId,
    email,
    n,
    at: sentAt.toISOString(),
  })
  if (isOfMailbox(email)) return [event('message.sent', 0)]
  return email.recipients.flatMap(({ status }, n) => (status === 'failed' ? [] : [event(`message.sent#${n}`, n)]))
}

/** The copies in Sent, by id. */
async function copiesOf(ctx: Context, emails: readonly EmailDoc[]): Promise<ReadonlyMap<string, MessageDoc>> {
  const ids = emails.flatMap(({ mailboxId, messageId }) =>
    mailboxId === null || messageId === null ? [] : [messageId],
  )
  const found = ids.length === 0 ? [] : await findMessages(ctx.store, ids)
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
    to: isOfMailbox(email) ? email.to : [{ name: '', address: one }],
    subject: null,
    snippet: null,
    received_at: at,
    attachments: [],
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
