/**
 * Counts received messages per contact, and per account and month, and the figures of each mailbox and day. All counts
 * are a projection of the account's events, whose numbers have no gap that a reader could see. Invariants: events are applied
 * in the order of their numbers, from a durable watermark on; each counter stores the last event number that it
 * contains, so that applying events again, after a crash or in two processes at once, changes nothing; the watermark
 * moves last. An event that moved here from another account (`movedFrom`) was counted there first, for its contact and
 * month; here it counts only for its day.
 */
import { countReceivedFrom, type ReceivedFrom } from '../../store/contacts.ts'
import type { EventDoc } from '../../store/documents/events.ts'
import type { Named } from '../../store/documents/mail.ts'
import { walkEvents } from '../../store/events.ts'
import { countEvents, readWatermark, type TalliedDay } from '../../store/usage.ts'
import { figuresPeriod, receivedWatermarkId, usagePeriod } from '../access/usage.ts'
import { contactSeen } from '../mailbox/contacts.ts'
import { hourMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { createKept } from '../process/kept.ts'
import { perProcess } from '../process/per-process.ts'

/**
 * The type of the placeholder of a dropped message event (interface.md, Events, rule 3). It appears in no list and no
 * endpoint receives it; it keeps the message from being announced and counted a second time.
 */
export const droppedEventType = 'message.dropped'
/** The type of the placeholder of a dropped `message.sent` event. */
export const droppedSentType = 'message.sent_dropped'
const receivedTypes: readonly string[] = ['message.received', droppedEventType]
const droppedTypes: readonly string[] = [droppedEventType, droppedSentType]
/** By event type: the daily figure that it counts towards. */
const figures: { readonly [type: string]: string } = {
  'message.received': 'received',
  [droppedEventType]: 'received',
  'email.delivered': 'delivered',
  'email.bounced': 'bounced',
  'email.complained': 'complained',
}

const pageSize = 500
const watermarksMax = 10_000
/** Watermarks that this process wrote or read: one that is too low only makes it apply events again. */
const watermarks = perProcess(({ clock }) =>
  createKept<number>(clock, { max: watermarksMax, ttlMs: hourMs, renewOnUse: true }),
)

/**
 * Counts events that were just recorded, in their order, and any events of the account before them that were not
 * counted.
 */
export async function tallyEvents(ctx: Context, accountId: string, events: readonly EventDoc[]): Promise<void> {
  const [first, last] = [events[0], events.at(-1)]
  if (first === undefined || last === undefined) return
  const watermark = await watermarkOf(ctx, accountId)
  if (first.seq === watermark + 1 && last.seq - watermark === events.length)
    await apply(ctx, accountId, events, last.seq)
  else await tallyEventsUpTo(ctx, accountId, last.seq)
}

/** Counts all events of an account up to number `seq` that are not counted yet. */
export async function tallyEventsUpTo(ctx: Context, accountId: string, seq: number): Promise<void> {
  if ((watermarks(ctx).get(accountId) ?? 0) >= seq) return
  // Another process may have counted further.
  let watermark = await readWatermark(ctx.store, receivedWatermarkId(accountId))
  while (watermark < seq) {
    const page = await walkEvents(ctx.store, { accountId, after: watermark, upTo: seq, limit: pageSize })
    const upTo = page.length < pageSize ? seq : page.at(-1)!.seq
    await apply(ctx, accountId, page, upTo)
    watermark = upTo
  }
  remember(ctx, accountId, watermark)
}

async function watermarkOf(ctx: Context, accountId: string): Promise<number> {
  const known = watermarks(ctx).get(accountId)
  if (known !== undefined) return known
  const watermark = await readWatermark(ctx.store, receivedWatermarkId(accountId))
  remember(ctx, accountId, watermark)
  return watermark
}

async function apply(ctx: Context, accountId: string, events: readonly EventDoc[], upTo: number): Promise<void> {
  const counted = events.filter(
    ({ type, movedFrom }) => movedFrom === undefined && [...receivedTypes, ...droppedTypes].includes(type),
  )
  const numbers = (own: readonly EventDoc[], types: readonly string[]) =>
    own.flatMap(({ type, seq }) => (types.includes(type) ? [seq] : []))
  const received = counted.filter(({ type }) => receivedTypes.includes(type))
  await countReceivedFrom(ctx.store, contactsOf(accountId, received))
  const months = Map.groupBy(counted, ({ createdAt }) => usagePeriod(accountId, 'month', createdAt).id)
  await countEvents(ctx.store, {
    watermark: { id: receivedWatermarkId(accountId), upTo },
    periods: [...months.values()].map((own) => ({
      ...usagePeriod(accountId, 'month', own[0]!.createdAt),
      received: numbers(own, receivedTypes),
      eventsDropped: numbers(own, droppedTypes),
    })),
    days: daysOf(accountId, events),
  })
  remember(ctx, accountId, upTo)
}

/** The numbers of the events that count towards each figure, by mailbox and day. */
function daysOf(accountId: string, events: readonly EventDoc[]): readonly TalliedDay[] {
  const known = events.filter(({ type }) => figures[type] !== undefined)
  const idOf = ({ mailboxId, createdAt }: EventDoc) => figuresPeriod(accountId, mailboxId, createdAt)
  return [...Map.groupBy(known, (event) => idOf(event).id).values()].map((own) => ({
    ...idOf(own[0]!),
    figures: Object.fromEntries(
      [...Map.groupBy(own, ({ type }) => figures[type]!)].map(([figure, all]) => [figure, all.map(({ seq }) => seq)]),
    ),
    bytes: own.flatMap(({ seq, sizeBytes: bytes = 0 }) => (bytes > 0 ? [{ seq, bytes }] : [])),
  }))
}

/** One entry per contact, with all its messages and the name in the last one. */
function contactsOf(accountId: string, events: readonly EventDoc[]): readonly ReceivedFrom[] {
  const contacts = new Map<string, ReceivedFrom>()
  for (const { seq, mailboxId, createdAt: at, authentic, data } of events) {
    const from = data.from as Named | null
    if (mailboxId === null || from === null) continue
    const key = `${mailboxId}:${from.address}`
    const before = contacts.get(key)
    const seen = contactSeen(from, { accountId, mailboxId, at })
    contacts.set(key, {
      ...(seen.name === '' && before !== undefined ? { ...before, at } : seen),
      seqs: [...(before?.seqs ?? []), seq],
      authentic: [...(before?.authentic ?? []), ...(authentic === undefined ? [] : [authentic])],
    })
  }
  return [...contacts.values()]
}

function remember(ctx: Context, accountId: string, watermark: number): void {
  watermarks(ctx).set(accountId, watermark)
}
