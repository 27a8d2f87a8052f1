/**
 * Tails: the newest events of each account that is followed in this process. Invariants: however many follow an account, one
 * query at a time looks for its new events, and one listener of the change feed serves all accounts; a tail has seen every event up
 * to its end, and holds the last ones without a gap. Events that this process records itself are added to its tails without a
 * query, if they directly follow the end of the tail.
 */
import type { EventDoc } from '../../store/documents/events.ts'
import { eventsAfter, lastEventNumber } from '../../store/events.ts'
import { portionChars, textLength } from '../../store/reads.ts'
import { secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { perProcess } from '../process/per-process.ts'

export type Tail = {
  /** The number of the newest event that was seen. */
  end(): number
  /** The events with numbers above this one that were seen, in order; null when they are not all held any more. */
  since(seq: number): readonly EventDoc[] | null
  /** Looks for new events, unless that was done in the last `withinMs`. A call during a look waits for the look after it. */
  look(withinMs?: number): Promise<void>
  /** Ends what `followTail` began. Call it once. */
  leave(): void
}

/** Events held of one account, and their characters: more than come between two looks, unless a machine is very busy. */
const heldMax = 200
const heldCharsMax = 2 * portionChars
const pageSize = 500
/** How long events are held when no new ones come. */
const heldMs = 5 * secondMs

type Held = {
  readonly accountId: string
  /** Called when there are new events. */
  readonly listeners: Set<() => void>
  end: number
  /** The last events, in order, up to number `end`. */
  events: readonly EventDoc[]
  /** How many characters the texts of `events` have. */
  chars: number
  lookedAt: number
  /** When the last event came. */
  newsAt: number
  looking: Promise<void> | null
  /** The look after the one under way. */
  next: Promise<void> | null
}

type Tails = {
  readonly byAccount: Map<string, Promise<Held>>
  /** The tails that have been opened. */
  readonly held: Map<string, Held>
  leaveFeed: (() => void) | null
}

const tailsOf = perProcess((): Tails => ({ byAccount: new Map(), held: new Map(), leaveFeed: null }))

/** Follows the events of an account from now on: `onNews` is called whenever some were seen. */
export async function followTail(ctx: Context, accountId: string, onNews: () => void): Promise<Tail> {
  const tails = tailsOf(ctx)
  // Listening begins before the end is read, so that no event after the end is missed.
  tails.leaveFeed ??= listen(ctx, tails)
  const opening = tails.byAccount.get(accountId) ?? openTail(ctx, accountId)
  tails.byAccount.set(accountId, opening)
  const held = await opening.catch((error: unknown) => {
    if (tails.byAccount.get(accountId) === opening) forget(tails, accountId)
    throw error
  })
  held.listeners.add(onNews)
  if (tails.byAccount.get(accountId) === opening) tails.held.set(accountId, held)
  return {
    end: () => held.end,
    since: (seq) => (seq < held.end - held.events.length ? null : held.events.filter((event) => event.seq > seq)),
    look: (withinMs = 0) => (performance.now() - held.lookedAt < withinMs ? Promise.resolve() : lookNext(ctx, held)),
    leave() {
      held.listeners.delete(onNews)
      if (held.listeners.size === 0 && tails.byAccount.get(accountId) === opening) forget(tails, accountId)
    },
  }
}

/** Shows events that this process has just recorded to the tails of their accounts. */
export function showTails(ctx: Context, recorded: readonly EventDoc[]): void {
  const { held } = tailsOf(ctx)
  for (const [accountId, own] of Map.groupBy(recorded, (event) => event.accountId)) {
    const tail = held.get(accountId)
    const inOrder = own.toSorted((a, b) => a.seq - b.seq)
    // Events that do not come next may leave out those of another process: the next look finds both.
    if (tail !== undefined && isNext(tail, inOrder)) append(tail, inOrder)
  }
}

/** Adds new events, in order, to a tail. After a gap in their numbers it holds none: followers then read from the database. */
function append(held: Held, fresh: readonly EventDoc[]): void {
  if (isNext(held, fresh)) hold(held, fresh)
  else holdNone(held)
  held.end = fresh.at(-1)?.seq ?? held.end
  held.newsAt = performance.now()
  for (const tell of held.listeners) tell()
}

/** Adds events to those that are held, and gives up the oldest ones past the limits. */
function hold(held: Held, fresh: readonly EventDoc[]): void {
  const events = [...held.events, ...fresh]
  let chars = held.chars + textLength(fresh)
  let from = 0
  for (; from < events.length && (events.length - from > heldMax || chars > heldCharsMax); from++)
    chars -= textLength(events[from])
  held.events = events.slice(from)
  held.chars = chars
}

function holdNone(held: Held): void {
  held.events = []
  held.chars = 0
}

/** Whether events have the numbers that directly follow the end of a tail. */
const isNext = ({ end }: Held, events: readonly EventDoc[]) => events.every(({ seq }, n) => seq === end + n + 1)

async function openTail(ctx: Context, accountId: string): Promise<Held> {
  const lookedAt = performance.now()
  const end = await lastEventNumber(ctx.store, accountId)
  return {
    accountId,
    listeners: new Set(),
    end,
    events: [],
    chars: 0,
    lookedAt,
    newsAt: lookedAt,
    looking: null,
    next: null,
  }
}

function forget(tails: Tails, accountId: string): void {
  tails.byAccount.delete(accountId)
  tails.held.delete(accountId)
  if (tails.byAccount.size > 0) return
  tails.leaveFeed?.()
  tails.leaveFeed = null
}

function listen(ctx: Context, { byAccount }: Tails): () => void {
  return ctx.changes.listen((note) => {
    if (note.kind !== 'events') return
    for (const accountId of note.accountIds) void lookAgain(ctx, byAccount.get(accountId))
  })
}

/** Looks for new events. Never fails: a later look finds what cannot be read now. */
async function lookAgain(ctx: Context, opening: Promise<Held> | undefined): Promise<void> {
  try {
    const held = await opening
    if (held !== undefined) await lookNext(ctx, held)
  } catch (error) {
    ctx.log.warn({ err: error }, 'new events could not be read for their followers')
  }
}

/** Begins a look. While one is under way, which may have read too early, waits for the look after it instead. */
function lookNext(ctx: Context, held: Held): Promise<void> {
  if (held.looking === null) {
    held.looking = look(ctx, held).finally(() => {
      held.looking = null
    })
    return held.looking
  }
  held.next ??= held.looking
    .catch(() => undefined)
    .then(() => {
      held.next = null
      return lookNext(ctx, held)
    })
  return held.next
}

async function look(ctx: Context, held: Held): Promise<void> {
  const { accountId } = held
  for (let isMore = true; isMore; ) {
    const lookedAt = performance.now()
    const found = await eventsAfter(ctx.store, { accountId, after: held.end, limit: pageSize })
    isMore = found.isMore
    held.lookedAt = lookedAt
    // `showTails` may have added some of them meanwhile.
    const fresh = found.docs.filter(({ seq }) => seq > held.end)
    if (fresh.length > 0) append(held, fresh)
    else if (lookedAt - held.newsAt > heldMs) holdNone(held)
  }
}
