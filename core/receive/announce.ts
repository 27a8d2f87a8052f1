/**
 * What follows from the arrival of a message: its event, the contact it came from, the counts, and its thread. All of
 * it is derived from the message document, under ids derived from its id, so that doing it twice changes nothing.
 */

import { splitAddress } from '../../mail/message/address.ts'
import type { MessageEvent, MessageReceived } from '../../schemas/events.ts'
import { deriveId } from '../../schemas/ids.ts'
import type { FolderDoc, MessageDoc } from '../../store/documents/mail.ts'
import { findEventNumbers, type NewEvent } from '../../store/events.ts'
import { findFoldersOf, standardFolderId } from '../../store/folders.ts'
import { findMessages } from '../../store/messages.ts'
import { takeCounts } from '../../store/usage.ts'
import { giveBackUsage, usagePeriod } from '../access/usage.ts'
import { usageByMailbox, warnOfStorage } from '../mailbox/storage-limit.ts'
import { deriveMissedThreads, deriveNewThreads } from '../mailbox/threading.ts'
import { planMissedDeliveries } from '../notify/deliveries.ts'
import { recordEvents } from '../notify/events.ts'
import { inTimeOf } from '../process/account-time.ts'
import type { Context } from '../process/context.ts'
import { causeOf } from '../process/tracing.ts'
import { countReceived, countReceivedUpTo, droppedEventType } from './received-counts.ts'
import { trustRecord } from './trust.ts'

/** Message events that one account can cause in an hour; more are dropped (interface.md, Events, rule 3). */
export const messageEventsPerHour = 2_000

/** Announces messages that were just committed: events, counts and threads. */
export async function announceArrivals(ctx: Context, ids: readonly string[]): Promise<void> {
  const messages = await findMessages(ctx.store, ids)
  await Promise.all([announce(ctx, messages.filter(isReceived)), deriveNewThreads(ctx, messages)])
}

/** Announces those of the messages that were not announced because of a crash. Returns how many there were. */
export async function announceMissed(ctx: Context, messages: readonly MessageDoc[]): Promise<number> {
  const arrivals = messages.filter(isReceived)
  const numbers = await findEventNumbers(
    ctx.store,
    arrivals.map(({ _id }) => receivedEventId(_id)),
  )
  const missed = arrivals.filter(({ _id }) => !numbers.has(receivedEventId(_id)))
  const known = arrivals.filter(({ _id }) => numbers.has(receivedEventId(_id)))
  for (const [accountId, own] of Map.groupBy(known, (message) => message.accountId)) {
    const ids = own.map(({ _id }) => receivedEventId(_id))
    await planMissedDeliveries(ctx, accountId, ids)
    await countReceivedUpTo(ctx, accountId, Math.max(...ids.map((id) => numbers.get(id) ?? 0)))
  }
  if (known.length > 0) await warnOfStorage(ctx, usageByMailbox(await foldersOfMailboxes(ctx, known)))
  await announce(ctx, missed)
  await deriveMissedThreads(ctx, messages)
  return missed.length
}

/** The event data of a message (interface.md, Message event data). */
export function messageEventData(message: MessageDoc, folder: string): MessageEvent {
  return {
    mailbox: message.mailbox,
    message_id: message._id,
    thread_id: message.threadId,
    folder,
    from: message.from,
    to: message.to,
    subject: message.subject,
    snippet: message.snippet,
    received_at: message.receivedAt.toISOString(),
    attachments: message.attachments.map(({ name, contentType, sizeBytes }) => ({
      name,
      content_type: contentType,
      size: sizeBytes,
    })),
  }
}

/** Whether a message was received: Sent copies and drafts have no fingerprint. */
const isReceived = (message: MessageDoc) => message.fingerprint !== undefined

const receivedEventId = (messageId: string) => deriveId('evt', messageId, 'message.received')

async function announce(ctx: Context, messages: readonly MessageDoc[]): Promise<void> {
  if (messages.length === 0) return
  const folders = await foldersOfMailboxes(ctx, messages)
  const paths = new Map(folders.map(({ _id, path }) => [_id, path]))
  const allowed = await allowEvents(ctx, messages)
  const recorded = await recordEvents(
    ctx,
    messages.map((message) =>
      allowed.has(message) ? receivedEvent(message, paths.get(message.folderId) ?? 'INBOX') : droppedEvent(message),
    ),
  )
  const known = Map.groupBy(recorded, ({ accountId }) => accountId)
  for (const [accountId, own] of Map.groupBy(allowed, (message) => message.accountId)) {
    const created = (known.get(accountId) ?? []).filter(({ type }) => type !== droppedEventType).length
    // Messages that another process announced meanwhile were counted twice.
    if (created < own.length)
      await giveBackUsage(ctx, {
        owner: accountId,
        period: 'hour',
        counter: 'messageEvents',
        by: own.length - created,
        at: inTimeOf(ctx, accountId).clock.now(),
      })
  }
  await Promise.all([...known].map(([accountId, own]) => countReceived(ctx, accountId, own)))
  await warnOfStorage(ctx, usageByMailbox(folders))
}

/** Reads all folders of the mailboxes of the messages. */
function foldersOfMailboxes(ctx: Context, messages: readonly MessageDoc[]): Promise<FolderDoc[]> {
  return findFoldersOf(ctx.store, [...new Set(messages.map(({ mailboxId }) => mailboxId))])
}

/**
 * Selects the items whose message event is within the limit of their account for this hour; of each account the first
 * ones. Those are counted.
 */
export async function allowEvents<T extends { readonly accountId: string }>(
  ctx: Context,
  items: readonly T[],
): Promise<ReadonlySet<T>> {
  const accounts = [...Map.groupBy(items, ({ accountId }) => accountId)]
  const takeOf = (accountId: string, by: number) => ({
    ...usagePeriod(accountId, 'hour', inTimeOf(ctx, accountId).clock.now()),
    counts: [{ counter: 'messageEvents', by, limit: messageEventsPerHour }],
  })
  const refused = await takeCounts(
    ctx.store,
    accounts.map(([accountId, own]) => takeOf(accountId, own.length)),
  )
  const allowed = new Set(accounts.flatMap(([, own], n) => (refused.has(n) ? [] : own)))
  for (const [accountId, own] of [...refused].map((n) => accounts[n]!)) {
    for (const item of own) {
      if ((await takeCounts(ctx.store, [takeOf(accountId, 1)])).size > 0) break
      allowed.add(item)
    }
  }
  return allowed
}

function receivedEvent(message: MessageDoc, folder: string): NewEvent {
  const trust = message.trust === undefined ? null : trustRecord(message.trust)
  const data: MessageReceived = { ...messageEventData(message, folder), trust }
  return { ...eventFrame(message), type: 'message.received', data }
}

/** Stands for an event past the limit, under the same id, so that the message counts as announced. */
function droppedEvent(message: MessageDoc): NewEvent {
  return { ...eventFrame(message), type: droppedEventType, data: { from: message.from } }
}

function eventFrame(message: MessageDoc): Omit<NewEvent, 'type' | 'data'> {
  const { _id, accountId, receivedAt, mailbox, mailboxId, folderId, authentic, sizeBytes } = message
  return {
    _id: receivedEventId(_id),
    accountId,
    createdAt: receivedAt,
    mailbox,
    mailboxId,
    domain: splitAddress(mailbox).domain,
    sizeBytes,
    ...causeOf(message),
    ...(authentic === true && { authentic: { id: _id, spam: folderId === standardFolderId(mailboxId, 'Spam') } }),
  }
}
