/**
 * What follows from an arrival: its event, the contact it came from, the counts, and its thread. Derived from the message document with
 * ids computed from its id, so doing it twice changes nothing.
 */

import { splitAddress } from '../../mail/message/address.ts'
import type { MessageEvent, MessageReceived } from '../../schemas/events.ts'
import { deriveId } from '../../schemas/ids.ts'
import type { FolderDoc, MessageDoc } from '../../store/documents/mail.ts'
import { findEventNumbers, type NewEvent } from '../../store/events.ts'
import { findFoldersOf } from '../../store/folders.ts'
import { findMessages } from '../../store/messages.ts'
import { takeCounts } from '../../store/usage.ts'
import { giveBackUsage, usagePeriod } from '../access/usage.ts'
import { usageByMailbox, warnOfStorage } from '../mailbox/storage-limit.ts'
import { deriveMissedThreads, deriveNewThreads } from '../mailbox/threading.ts'
import { planMissed } from '../notify/deliveries.ts'
import { recordEvents } from '../notify/events.ts'
import type { Context } from '../process/context.ts'
import { droppedType, tally, tallyUpTo } from './received-counts.ts'
import { trustRecord } from './trust.ts'

/** Message events one account can cause in an hour; more are dropped (interface.md, Events, rule 3). */
export const messageEventsPerHour = 2_000

/** Announces messages that have just been committed. */
export async function announceArrivals(ctx: Context, ids: readonly string[]): Promise<void> {
  const messages = await findMessages(ctx.store, ids)
  await Promise.all([announce(ctx, messages.filter(cameIn)), deriveNewThreads(ctx, messages)])
}

/** Announces those of the messages that a crash kept from it. Returns how many. */
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
  if (told.length > 0) await warnOfStorage(ctx, usageByMailbox(await foldersAround(ctx, told)))
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

/** Mail that came in has a fingerprint; Sent copies and drafts have none. */
const cameIn = (message: MessageDoc) => message.fingerprint !== undefined

const receivedEventId = (messageId: string) => deriveId('evt', messageId, 'message.received')

async function announce(ctx: Context, messages: readonly MessageDoc[]): Promise<void> {
  if (messages.length === 0) return
  const at = ctx.clock.now()
  const folders = await foldersAround(ctx, messages)
  const paths = new Map(folders.map(({ _id, path }) => [_id, path]))
  const allowed = await allowEvents(ctx, messages)
  const recorded = await recordEvents(
    ctx,
    messages.map((message) =>
      allowed.has(message) ? receivedEvent(message, paths.get(message.folderId) ?? 'INBOX') : droppedEvent(message),
    ),
  )
  const told = Map.groupBy(recorded, ({ accountId }) => accountId)
  for (const [accountId, own] of Map.groupBy(allowed, (message) => message.accountId)) {
    const fresh = (told.get(accountId) ?? []).filter(({ type }) => type !== droppedType).length
    // What somebody else announced meanwhile was taken twice.
    if (fresh < own.length)
      await giveBackUsage(ctx, {
        owner: accountId,
        period: 'hour',
        counter: 'messageEvents',
        by: own.length - fresh,
        at,
      })
  }
  await Promise.all([...told].map(([accountId, own]) => tally(ctx, accountId, own)))
  await warnOfStorage(ctx, usageByMailbox(folders))
}

/** All folders of the mailboxes that the messages are in. */
function foldersAround(ctx: Context, messages: readonly MessageDoc[]): Promise<FolderDoc[]> {
  return findFoldersOf(ctx.store, [...new Set(messages.map(({ mailboxId }) => mailboxId))])
}

/** Those of the things that may still cause a message event this hour: of each account, the first ones. */
export async function allowEvents<T extends { readonly accountId: string }>(
  ctx: Context,
  things: readonly T[],
): Promise<ReadonlySet<T>> {
  const at = ctx.clock.now()
  const accounts = [...Map.groupBy(things, ({ accountId }) => accountId)]
  const takeOf = (accountId: string, by: number) => ({
    ...usagePeriod(accountId, 'hour', at),
    counts: [{ counter: 'messageEvents', by, limit: messageEventsPerHour }],
  })
  const refused = await takeCounts(
    ctx.store,
    accounts.map(([accountId, own]) => takeOf(accountId, own.length)),
  )
  const allowed = new Set(accounts.flatMap(([, own], n) => (refused.has(n) ? [] : own)))
  for (const [accountId, own] of [...refused].map((n) => accounts[n]!)) {
    for (const thing of own) {
      if ((await takeCounts(ctx.store, [takeOf(accountId, 1)])).size > 0) break
      allowed.add(thing)
    }
  }
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
    _id: receivedEventId(_id),
    accountId,
    createdAt: receivedAt,
    mailbox,
    mailboxId,
    domain: splitAddress(mailbox).domain,
  }
}
