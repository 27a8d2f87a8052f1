/**
 * Derives what follows from the arrival of a message: its event, the contact it came from, the counts, and its thread.
 * All of it is derived from the message document, under ids computed from its id, so that doing it twice changes nothing.
 */

import { splitAddress } from '../../mail/message/address.ts'
import type { MessageReceived } from '../../schemas/events.ts'
import { deriveId, idAt } from '../../schemas/ids.ts'
import type { FolderDoc, MessageDoc } from '../../store/documents/mail.ts'
import { findEventNumbers, type NewEvent } from '../../store/events.ts'
import { findFoldersOf, standardFolderId } from '../../store/folders.ts'
import { findMessagesIn } from '../../store/messages.ts'
import { usageByMailbox, warnOfStorage } from '../mailbox/storage-limit.ts'
import { deriveMissedThreads, deriveNewThreads } from '../mailbox/threading.ts'
import { finishEvents } from '../notify/events.ts'
import { after, dayMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { causeOf } from '../process/tracing.ts'
import { type EventOf, messageEventData, recordMessageEvents } from './message-events.ts'
import { droppedEventType, tallyEvents, tallyEventsUpTo } from './received-counts.ts'
import { trustRecord } from './trust.ts'
import { verificationRecord } from './verification-record.ts'

/** Messages older than this are taken to be announced: an announcement is late only while no process runs `jobs`. */
const unannouncedMs = dayMs

/** Other work that the arrival of messages causes; it runs in parallel with their announcement. */
type Follower = (ctx: Context, messages: readonly MessageDoc[]) => Promise<void>

/** Announces messages that were just committed: events, counts and threads. */
export async function announceArrivals(
  ctx: Context,
  told: { readonly ids: readonly string[]; readonly mailboxIds: readonly string[] },
  also: Follower | null = null,
): Promise<void> {
  await announceAll(ctx, await findMessagesIn(ctx.store, told), also)
}

async function announceAll(ctx: Context, messages: readonly MessageDoc[], also: Follower | null): Promise<void> {
  await Promise.all([
    announce(ctx, messages.filter(isReceived)),
    deriveNewThreads(ctx, messages),
    also?.(ctx, messages),
  ])
}

/** Announces the messages that a crash left unannounced, and finishes what it cut short. Returns the number of unannounced ones. */
export async function announceMissed(ctx: Context, messages: readonly MessageDoc[]): Promise<number> {
  const arrivals = messages.filter(isReceived)
  const events = arrivals.map(({ _id, accountId }) => ({ _id: receivedEventId(_id), accountId }))
  const numbers = await findEventNumbers(ctx.store, events)
  const isKnown = (n: number) => numbers.has(events[n]!._id)
  const known = arrivals.filter((_, n) => isKnown(n))
  const missed = arrivals.filter((_, n) => !isKnown(n))
  const told = events.filter(({ _id }) => numbers.has(_id))
  for (const [accountId, own] of Map.groupBy(told, (event) => event.accountId)) {
    const ids = own.map(({ _id }) => _id)
    await finishEvents(ctx, accountId, ids)
    await tallyEventsUpTo(ctx, accountId, Math.max(...ids.map((id) => numbers.get(id) ?? 0)))
  }
  if (known.length > 0) await warnOfStorage(ctx, usageByMailbox(await foldersOfMailboxes(ctx, known)))
  await announce(ctx, missed)
  await deriveMissedThreads(ctx, messages)
  return missed.length
}

/**
 * Announces messages of an account that are about to be deleted for good and are not announced yet. Call it before the deletion:
 * what follows from an arrival is derived from its document.
 */
export async function announceLeaving(
  ctx: Context,
  accountId: string,
  messages: readonly Pick<MessageDoc, '_id' | 'mailboxId'>[],
  also: Follower,
): Promise<void> {
  const youngest = idAt('msg', after(ctx.clock.now(), -unannouncedMs))
  const young = messages.filter(({ _id }) => _id >= youngest)
  if (young.length === 0) return
  const events = young.map(({ _id }) => ({ _id: receivedEventId(_id), accountId }))
  const known = await findEventNumbers(ctx.store, events)
  const untold = young.filter(({ _id }) => !known.has(receivedEventId(_id)))
  if (untold.length === 0) return
  const mailboxIds = [...new Set(untold.map(({ mailboxId }) => mailboxId))]
  const found = await findMessagesIn(ctx.store, { ids: untold.map(({ _id }) => _id), mailboxIds })
  const received = found.filter(isReceived)
  if (received.length > 0) await announceAll(ctx, received, also)
}

/** Whether a message was received: Sent copies and drafts have no fingerprint. */
export const isReceived = (message: MessageDoc) => message.fingerprint !== undefined

const receivedEventId = (messageId: string) => deriveId('evt', messageId, 'message.received')

async function announce(ctx: Context, messages: readonly MessageDoc[]): Promise<void> {
  if (messages.length === 0) return
  const reading = foldersOfMailboxes(ctx, messages)
  const inOrder = messages.toSorted((a, b) => (a._id < b._id ? -1 : 1))
  const recorded = await recordMessageEvents(ctx, inOrder, reading.then(eventsIn))
  const known = Map.groupBy(recorded, ({ accountId }) => accountId)
  await Promise.all([...known].map(([accountId, own]) => tallyEvents(ctx, accountId, own)))
  await warnOfStorage(ctx, usageByMailbox(await reading))
}

function eventsIn(folders: readonly FolderDoc[]): EventOf<MessageDoc> {
  const paths = new Map(folders.map(({ _id, path }) => [_id, path]))
  return {
    event: (message) => receivedEvent(message, paths.get(message.folderId) ?? 'INBOX'),
    dropped: droppedEvent,
  }
}

/** Reads all folders of the mailboxes of the messages. */
function foldersOfMailboxes(ctx: Context, messages: readonly MessageDoc[]): Promise<FolderDoc[]> {
  return findFoldersOf(ctx.store, [...new Set(messages.map(({ mailboxId }) => mailboxId))])
}

function receivedEvent(message: MessageDoc, folder: string): NewEvent {
  const { trust, verification } = message
  const data: MessageReceived = {
    ...messageEventData(message, folder),
    trust: trust === undefined ? null : trustRecord(trust),
    verification: verification === undefined ? null : verificationRecord(verification),
  }
  return { ...eventFrame(message), type: 'message.received', data }
}

/** The placeholder of an event beyond the limit: it has the same id, so that the message counts as announced. */
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
