/**
 * What follows from an arrival: its event, the contact it came from, the counts, and its thread. Derived from the message document with
 * ids computed from its id, so doing it twice changes nothing.
 */

import { splitAddress } from '../mail/address.ts'
import type { MessageEvent, MessageReceived } from '../schemas/events.ts'
import { deriveId } from '../schemas/ids.ts'
import type { FolderDoc, MessageDoc } from '../store/documents/mail.ts'
import { findEventNumbers, type NewEvent } from '../store/events.ts'
import { findFoldersOf } from '../store/folders.ts'
import { findMessages } from '../store/messages.ts'
import type { Context } from './context.ts'
import { planMissed } from './deliveries.ts'
import { recordEvents } from './events.ts'
import { heldBy, watchStorage } from './storage.ts'
import { droppedType, tally, tallyUpTo } from './tally.ts'
import { deriveMissed, deriveThreads } from './threads.ts'
import { trustRecord } from './trust.ts'
import { give, take } from './usage.ts'

/** Message events one account can cause in an hour; more are dropped (interface.md, Events, rule 3). */
export const messageEventsPerHour = 2_000

/** Announces messages that have just been committed. */
export async function announceArrivals(ctx: Context, ids: readonly string[]): Promise<void> {
  const messages = await findMessages(ctx.store, ids)
  await Promise.all([announce(ctx, messages.filter(cameIn)), deriveThreads(ctx, messages)])
}

/** Announces those of the messages that a crash kept from it. Answers how many. */
export async function announceMissed(ctx: Context, messages: readonly MessageDoc[]): Promise<number> {
  const arrivals = messages.filter(cameIn)
  const numbers = await findEventNumbers(
    ctx.store,
    arrivals.map(({ _id }) => receivedEventId(_id)),
  )
  const missed = arrivals.filter(({ _id }) => !numbers.has(receivedEventId(_id)))
  const told = arrivals.filter(({ _id }) => numbers.has(receivedEventId(_id)))
  for (const [accountId, own] of Map.groupBy(told, (message) => message.accountId)) {
    const ids = own.map(({ _id }) => receivedEventId(_id))
    await planMissed(ctx, accountId, ids)
    await tallyUpTo(ctx, accountId, Math.max(...ids.map((id) => numbers.get(id) ?? 0)))
  }
  if (told.length > 0) await watchStorage(ctx, heldBy(await foldersAround(ctx, told)))
  await announce(ctx, missed)
  await deriveMissed(ctx, messages)
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

/** Mail that came in has a fingerprint; Sent copies and drafts have none. */
const cameIn = (message: MessageDoc) => message.fingerprint !== undefined

const receivedEventId = (messageId: string) => deriveId('evt', messageId, 'message.received')

async function announce(ctx: Context, messages: readonly MessageDoc[]): Promise<void> {
  if (messages.length === 0) return
  const folders = await foldersAround(ctx, messages)
  const byId = new Map(folders.map((folder) => [folder._id, folder]))
  const byAccount = Map.groupBy(messages, ({ accountId }) => accountId)
  for (const [accountId, own] of byAccount) await announceOf(ctx, accountId, own, byId)
  await watchStorage(ctx, heldBy(folders))
}

/** All folders of the mailboxes that the messages are in. */
function foldersAround(ctx: Context, messages: readonly MessageDoc[]): Promise<FolderDoc[]> {
  return findFoldersOf(ctx.store, [...new Set(messages.map(({ mailboxId }) => mailboxId))])
}

async function announceOf(
  ctx: Context,
  accountId: string,
  messages: readonly MessageDoc[],
  folders: ReadonlyMap<string, FolderDoc>,
): Promise<void> {
  const at = ctx.clock.now()
  const allowed = await takeMessageEvents(ctx, accountId, messages.length)
  const events = messages.map((message, n) =>
    n < allowed ? receivedEvent(message, folders.get(message.folderId)?.path ?? 'INBOX') : droppedEvent(message),
  )
  const recorded = await recordEvents(ctx, accountId, events)
  const fresh = recorded.filter(({ type }) => type !== droppedType).length
  // What somebody else announced meanwhile was taken twice.
  if (fresh < allowed)
    await give(ctx, { owner: accountId, period: 'hour', counter: 'messageEvents', by: allowed - fresh, at })
  await tally(ctx, accountId, recorded)
}

/** How many of `wanted` message events the account may still cause this hour. */
export async function takeMessageEvents(ctx: Context, accountId: string, wanted: number): Promise<number> {
  const one = (by: number) =>
    take(ctx, { owner: accountId, period: 'hour', counter: 'messageEvents', by, limit: messageEventsPerHour })
  if (await one(wanted)) return wanted
  let allowed = 0
  while (allowed < wanted && (await one(1))) allowed += 1
  return allowed
}

function receivedEvent(message: MessageDoc, folder: string): NewEvent {
  const trust = message.trust === undefined ? null : trustRecord(message.trust)
  const data: MessageReceived = { ...messageEventData(message, folder), trust }
  return { ...eventFrame(message), type: 'message.received', data }
}

/** In place of an event past the limit: with the same id, so that the message counts as announced. */
function droppedEvent(message: MessageDoc): NewEvent {
  return { ...eventFrame(message), type: droppedType, data: { from: message.from } }
}

function eventFrame({ _id, accountId, receivedAt, mailbox, mailboxId }: MessageDoc): Omit<NewEvent, 'type' | 'data'> {
  return {
    ...{ _id: receivedEventId(_id), accountId, createdAt: receivedAt, mailbox, mailboxId },
    domain: splitAddress(mailbox).domain,
  }
}
