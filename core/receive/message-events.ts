/** Message events, of which an account may cause so many in an hour: their data, and recording them within the limit. */
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

/** The event of an item, and what stands for it under the same id when it is dropped. */
export type EventOf<T> = { event(item: T): NewEvent; dropped(item: T): NewEvent }

/**
 * Records the events of items in their order; what they are made with may still be read meanwhile. Those beyond the limit of
 * their account for this hour are dropped: something that nobody hears stands for each, so that it is not recorded later.
 * Returns what is new.
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
  // Those that another process recorded meanwhile were counted twice.
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

/** Selects the items whose event is within the limit of their account for this hour; of each account the first ones. Counts them. */
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
