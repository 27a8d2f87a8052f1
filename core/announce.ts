/**
 * What follows from an arrival: its event, the contact it came from, and the counts. Derived from the message document with
 * ids computed from its id, so doing it twice changes nothing.
 */

import { splitAddress } from '../mail/address.ts'
import type { MessageEvent } from '../schemas/events.ts'
import { deriveId } from '../schemas/ids.ts'
import type { FolderDoc, MessageDoc } from '../store/documents/mail.ts'
import { knownEvents, type NewEvent } from '../store/events.ts'
import { findMessages } from '../store/messages.ts'
import { noteContacts } from '../store/records.ts'
import type { Context } from './context.ts'
import { planMissed } from './deliveries.ts'
import { recordEvents } from './events.ts'
import { foldersOf } from './folders.ts'
import { count, take } from './usage.ts'

/** Message events one account can cause in an hour; more are dropped (interface.md, Events, rule 3). */
export const messageEventsPerHour = 2_000

/** Announces messages that have just been committed. */
export async function announceArrivals(ctx: Context, ids: readonly string[]): Promise<void> {
  await announce(ctx, (await findMessages(ctx.store, ids)).filter(cameIn))
}

/** Announces those of the messages that a crash kept from it. Answers how many. */
export async function announceMissed(ctx: Context, messages: readonly MessageDoc[]): Promise<number> {
  const arrivals = messages.filter(cameIn)
  const known = await knownEvents(
    ctx.store,
    arrivals.map(({ _id }) => receivedEventId(_id)),
  )
  const missed = arrivals.filter(({ _id }) => !known.has(receivedEventId(_id)))
  const told = arrivals.filter(({ _id }) => known.has(receivedEventId(_id)))
  for (const [accountId, own] of Map.groupBy(told, (message) => message.accountId)) {
    await planMissed(
      ctx,
      accountId,
      own.map(({ _id }) => receivedEventId(_id)),
    )
  }
  await announce(ctx, missed)
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
  const folders = await foldersOf(
    ctx,
    messages.map(({ folderId }) => folderId),
  )
  const byAccount = Map.groupBy(messages, ({ accountId }) => accountId)
  for (const [accountId, own] of byAccount) await announceOf(ctx, accountId, own, folders)
}

async function announceOf(
  ctx: Context,
  accountId: string,
  messages: readonly MessageDoc[],
  folders: ReadonlyMap<string, FolderDoc>,
): Promise<void> {
  const allowed = await takeMessageEvents(ctx, accountId, messages.length)
  const dropped = messages.length - allowed
  const events = messages
    .slice(0, allowed)
    .map((message) => receivedEvent(message, folders.get(message.folderId)?.path ?? 'INBOX'))
  const recorded = new Set((await recordEvents(ctx, accountId, events)).map(({ _id }) => _id))
  // What was recorded before was counted before.
  const fresh = messages.filter(({ _id }, n) => n >= allowed || recorded.has(receivedEventId(_id)))
  await Promise.all([
    count(ctx, [
      { owner: accountId, period: 'month', counter: 'received', by: fresh.length },
      ...(dropped > 0 ? [{ owner: accountId, period: 'month', counter: 'eventsDropped', by: dropped } as const] : []),
    ]),
    noteContacts(
      ctx.store,
      fresh.flatMap(({ mailboxId, from, receivedAt }) =>
        from === null ? [] : [{ accountId, mailboxId, ...from, at: receivedAt, direction: 'received' as const }],
      ),
    ),
  ])
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
  return {
    _id: receivedEventId(message._id),
    accountId: message.accountId,
    type: 'message.received',
    createdAt: message.receivedAt,
    mailbox: message.mailbox,
    mailboxId: message.mailboxId,
    domain: splitAddress(message.mailbox).domain,
    data: messageEventData(message, folder),
  }
}
