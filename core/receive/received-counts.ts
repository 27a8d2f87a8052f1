/**
 * Counts what came in: contacts, and the account's received messages. Both are a projection of the account's events, which
 * are numbered without a gap a reader could see. Invariants: events are applied in the order of their numbers, from a
 * durable mark on; whatever is counted notes the last number it contains, so that applying events again, after a crash or by
 * two processes at once, changes nothing; the mark moves last. (An event that moves to another account gets a new number:
 * contacts that move with it must note that account's last one.)
 */
import { type ContactUpdate, countReceived } from '../../store/contacts.ts'
import type { EventDoc } from '../../store/documents/events.ts'
import type { Named } from '../../store/documents/mail.ts'
import { walkEvents } from '../../store/events.ts'
import { readTallyWatermark, tallyEvents } from '../../store/usage.ts'
import { receivedWatermarkId, usagePeriod } from '../access/usage.ts'
import { contactSeen } from '../mailbox/contacts.ts'
import { hourMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { createKept } from '../process/kept.ts'
import { perProcess } from '../process/per-process.ts'

/**
 * The kind of event that stands for a message whose event was dropped (interface.md, Events, rule 3): it is in no list and
 * heard by nobody, and keeps the message from being announced and counted a second time.
 */
export const droppedType = 'message.dropped'
const countedTypes = ['message.received', droppedType] as const

const pageSize = 500
const marksMax = 10_000
/** Marks this process has moved: a mark that is too low only makes it apply events again. */
const marks = perProcess(({ clock }) => createKept<number>(clock, { max: marksMax, ttlMs: hourMs, renewOnUse: true }))

/** Counts events that have just been recorded, in their order, and whatever of the account was left out before. */
export async function tally(ctx: Context, accountId: string, events: readonly EventDoc[]): Promise<void> {
  const [first, last] = [events[0], events.at(-1)]
  if (first === undefined || last === undefined) return
  const mark = await markFor(ctx, accountId)
  if (first.seq === mark + 1 && last.seq - mark === events.length) await apply(ctx, accountId, events, last.seq)
  else await tallyUpTo(ctx, accountId, last.seq)
}

/** Counts all events of an account up to a number that are not counted yet. */
export async function tallyUpTo(ctx: Context, accountId: string, seq: number): Promise<void> {
  if ((marks(ctx).get(accountId) ?? 0) >= seq) return
  // Another process may have come further.
  let mark = await readTallyWatermark(ctx.store, receivedWatermarkId(accountId))
  while (mark < seq) {
    const page = await walkEvents(ctx.store, { accountId, after: mark, upTo: seq, limit: pageSize })
    const upTo = page.length < pageSize ? seq : page.at(-1)!.seq
    await apply(ctx, accountId, page, upTo)
    mark = upTo
  }
  remember(ctx, accountId, mark)
}

async function markFor(ctx: Context, accountId: string): Promise<number> {
  const known = marks(ctx).get(accountId)
  if (known !== undefined) return known
  const mark = await readTallyWatermark(ctx.store, receivedWatermarkId(accountId))
  remember(ctx, accountId, mark)
  return mark
}

async function apply(ctx: Context, accountId: string, events: readonly EventDoc[], upTo: number): Promise<void> {
  const counted = events.filter(({ type }) => countedTypes.some((name) => name === type))
  await countReceived(ctx.store, contactsOf(accountId, counted))
  const months = Map.groupBy(counted, ({ createdAt }) => usagePeriod(accountId, 'month', createdAt).id)
  await tallyEvents(ctx.store, {
    watermark: { id: receivedWatermarkId(accountId), upTo },
    periods: [...months.values()].map((own) => ({
      ...usagePeriod(accountId, 'month', own[0]!.createdAt),
      received: own.map(({ seq }) => seq),
      eventsDropped: own.filter(({ type }) => type === droppedType).map(({ seq }) => seq),
    })),
  })
  remember(ctx, accountId, upTo)
}

/** One row per contact, with the numbers of all its messages and the name of the last. */
function contactsOf(
  accountId: string,
  events: readonly EventDoc[],
): readonly (ContactUpdate & { readonly seqs: readonly number[] })[] {
  const contacts = new Map<string, ContactUpdate & { readonly seqs: readonly number[] }>()
  for (const { seq, mailboxId, createdAt: at, data } of events) {
    const from = data.from as Named | null
    if (mailboxId === null || from === null) continue
    const key = `${mailboxId}:${from.address}`
    const before = contacts.get(key)
    const seen = contactSeen(from, { accountId, mailboxId, at })
    contacts.set(key, {
      ...(seen.name === '' && before !== undefined ? { ...before, at } : seen),
      seqs: [...(before?.seqs ?? []), seq],
    })
  }
  return [...contacts.values()]
}

function remember(ctx: Context, accountId: string, mark: number): void {
  marks(ctx).set(accountId, mark)
}
