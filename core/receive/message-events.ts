/** Message events: their data, and recording them within the hourly limit of their account. */
import type { MessageEvent } from '../../schemas/events.ts'
import type { EventDoc } from '../../store/documents/events.ts'
import type { MessageDoc } from '../../store/documents/mail.ts'
import type { NewEvent } from '../../store/events.ts'
import { takeCounts } from '../../store/usage.ts'
import { giveBackUsage, usagePeriod } from '../access/usage.ts'
import { expectEvents, recordEvents } from '../notify/events.ts'
import { inTimeOf } from '../process/account-time.ts'
import type { Context } from '../process/context.ts'

/** Message events that one account can cause in an hour; more are dropped (interface.md, Events, rule 3). */
export const messageEventsPerHour = 2_000

type Item = { readonly accountId: string }

/** Makes the event of an item, or the placeholder that is recorded under the same id when the event is dropped. */
export type EventOf<T> = { event(item: T): NewEvent; dropped(item: T): NewEvent }

/**
 * Records the events of items in their order; `events` may still be a promise, which is awaited while the limit is checked.
 * Events beyond the hourly limit of their account are dropped: for each, a placeholder that no reader receives is recorded, so
 * that the event is not recorded later. Returns the documents that are new.
 */
export async function recordMessageEvents<T extends Item>(
  ctx: Context,
  items: readonly T[],
  events: EventOf<T> | Promise<EventOf<T>>,
): Promise<readonly EventDoc[]> {
  expectEvents(ctx, new Set(items.map(({ accountId }) => accountId)))
  const [allowed, { event, dropped }] = await Promise.all([allowEvents(ctx, items), events])
  const wanted = items.map((item) => (allowed.has(item) ? event(item) : dropped(item)))
  const recorded = await recordEvents(ctx, wanted)
  const fresh = new Set(recorded.map(({ _id }) => _id))
  // Events that another process recorded meanwhile were counted twice: the second count is given back.
  const twice = items.filter((item, n) => allowed.has(item) && !fresh.has(wanted[n]!._id))
  for (const [accountId, own] of Map.groupBy(twice, (item) => item.accountId))
    await giveBackUsage(ctx, {
      owner: accountId,
      period: 'hour',
      counter: 'messageEvents',
      by: own.length,
      at: inTimeOf(ctx, accountId).clock.now(),
    })
  return recorded
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

/** Selects the items whose events are within the hourly limit of their account, the first ones of each account, and counts them. */
async function allowEvents<T extends Item>(ctx: Context, items: readonly T[]): Promise<ReadonlySet<T>> {
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
