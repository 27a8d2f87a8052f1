/**
 * Followers: the long-polls and streams of this process that follow the events of an account. Invariants: a follower gets each
 * event that it may see once, in the order of the numbers, whether the event comes from the database or the tail; it holds no
 * events itself, so a slow follower costs no memory; its right to read is checked again before it gets more; it ends with its key
 * or session, with the account's right to make requests, and with the process.
 */
import { Failure } from '../../schemas/failures.ts'
import { type EventQuery, eventsPassing } from '../../store/events.ts'
import { portionOf } from '../../store/reads.ts'
import type { Principal } from '../access/principal.ts'
import { secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { perProcess } from '../process/per-process.ts'
import {
  aheadFailure,
  cursorBehind,
  type EventFilter,
  type EventPage,
  eventPage,
  eventQuery,
  readForward,
  requireWhole,
  startAfter,
} from './event-list.ts'
import { followTail, type Tail } from './event-tails.ts'

/** The caller that follows. `again` authenticates it again: that fails when the key, the session or the account has ended meanwhile. */
export type FollowingCaller = { readonly principal: Principal; again(): Promise<Principal> }

export type Following = EventFilter & {
  /** The cursor after which to begin; without one, only events recorded from now on count. */
  readonly after?: string
  /** Events in one page. */
  readonly limit: number
}

export type Follower = {
  /**
   * The next events, as soon as there are any; none when `timeoutMs` is over, or the follower was closed. Call it again only when
   * it has resolved. Fails when the caller may not follow any more, and with `conflict` when the next events have expired.
   */
  next(timeoutMs: number): Promise<EventPage>
  /** The cursor after everything that `next` has returned. */
  cursor(): string
  isClosed(): boolean
  /** Ends it: `next` resolves at once. */
  close(): void
}

/** A wait that ends without events looks at the tail, unless that was done this recently: a change note may have been lost. */
const quietMs = 20 * secondMs
/** How long a checked right to read is trusted; change notes tell of keys and accounts that change sooner. */
const trustedMs = secondMs

type Register = {
  readonly members: Set<EventFollower>
  readonly byKey: Map<string, number>
  closed: boolean
  leaveFeed: (() => void) | null
}

const registerOf = perProcess(
  (): Register => ({ members: new Set(), byKey: new Map(), closed: false, leaveFeed: null }),
)

/**
 * Follows the events of an account: those after a cursor, and then new ones. Close the follower when it is not needed any more. Fails
 * with `validation_error`, `conflict` (a cursor behind or ahead of the events that are kept), `rate_limited` past the limit of the
 * key, and `unavailable` past the limit of the process or while it stops.
 */
export async function followEvents(
  ctx: Context,
  caller: FollowingCaller,
  { after: from, ...following }: Following,
): Promise<Follower> {
  const follower = new EventFollower(ctx, caller, following)
  try {
    await follower.begin(from)
    return follower
  } catch (error) {
    follower.close()
    throw error
  }
}

/** Waits once for the events after a place, at most `timeoutMs` or until `hungUp`. Fails as `followEvents` and `next` do. */
export async function awaitEvents(
  ctx: Context,
  caller: FollowingCaller,
  { timeoutMs, hungUp, ...following }: Following & { readonly timeoutMs: number; readonly hungUp: AbortSignal },
): Promise<EventPage> {
  const follower = await followEvents(ctx, caller, following)
  hungUp.addEventListener('abort', follower.close, { once: true })
  try {
    return await follower.next(hungUp.aborted ? 0 : timeoutMs)
  } finally {
    hungUp.removeEventListener('abort', follower.close)
    follower.close()
  }
}

/** Makes the followers of accounts check their right to read now, while events are being prepared, so that these need not wait for it. */
export function expectNews(ctx: Context, accountIds: ReadonlySet<string>): void {
  for (const member of registerOf(ctx).members) if (accountIds.has(member.accountId)) member.expect()
}

/** Ends all followers because the process stops, and accepts no more. */
export function closeFollowers(ctx: Context): void {
  const register = registerOf(ctx)
  register.closed = true
  for (const member of register.members) member.end()
}

class EventFollower implements Follower {
  readonly keyId: string
  readonly accountId: string
  readonly #ctx: Context
  readonly #caller: FollowingCaller
  readonly #limit: number
  readonly #filter: EventFilter
  readonly #bell = createBell()
  readonly #leave: () => void
  #principal: Principal
  #query: EventQuery
  #checkedAt = performance.now()
  /** The number of changes that may end its right to read, and how many of them the last successful check covered. */
  #changes = 0
  #knownChanges = 0
  #checking: Promise<void> | null = null
  #isClosed = false
  #tail: Tail | null = null
  /** The number of the event after which it continues. */
  #seq = 0

  constructor(ctx: Context, caller: FollowingCaller, { limit, ...filter }: Omit<Following, 'after'>) {
    const { principal } = caller
    this.keyId = principal.keyId
    this.accountId = principal.accountId
    this.#ctx = ctx
    this.#caller = caller
    this.#limit = limit
    this.#filter = filter
    this.#principal = principal
    this.#query = eventQuery(principal, filter)
    this.#leave = enter(ctx, this)
  }

  /** Sets the place to begin: after a cursor, or at the end. */
  async begin(from: string | undefined): Promise<void> {
    const begunAt = performance.now()
    const start = from === undefined ? null : await startAfter(this.#ctx, this.#principal, from)
    const tail = await followTail(this.#ctx, this.accountId, this.#bell.ring)
    this.#tail = tail
    // The tail may not have seen all events yet.
    if (start === null || start > tail.end()) await tail.look(performance.now() - begunAt)
    this.#seq = start ?? tail.end()
    if (this.#seq > tail.end()) throw aheadFailure()
    // Checked here while the request can still be refused; `next` checks it again for each page.
    if (tail.since(this.#seq) === null)
      await requireWhole(this.#ctx, this.accountId, { after: this.#seq, upTo: tail.end() })
  }

  async next(timeoutMs: number): Promise<EventPage> {
    const endsAt = performance.now() + timeoutMs
    for (;;) {
      this.#bell.mute()
      await this.#check()
      const page = this.#tail === null ? null : await this.#take(this.#tail)
      if (page !== null) return page
      const leftMs = endsAt - performance.now()
      if (this.#isClosed || leftMs <= 0) return { events: [], cursor: this.cursor(), isMore: false }
      await this.#bell.rung(leftMs)
      if (performance.now() >= endsAt) await this.#tail?.look(quietMs)
    }
  }

  readonly cursor = (): string => cursorBehind(this.#ctx, this.#principal, this.#seq)

  readonly isClosed = (): boolean => this.#isClosed

  readonly close = (): void => {
    this.end()
    this.#leave()
    this.#tail?.leave()
    this.#tail = null
  }

  /** Makes `next` resolve at once, now and from now on. */
  end(): void {
    this.#isClosed = true
    this.#bell.ring()
  }

  /** Makes it authenticate its caller again before anything else. */
  recheck(): void {
    this.#changes += 1
    this.#bell.ring()
  }

  /** Checks the right to read ahead of `next`. */
  expect(): void {
    // `next` reports the failure.
    this.#check().catch(() => undefined)
  }

  /** Checks whether the caller may still read, and what, unless that was checked a moment ago. */
  async #check(): Promise<void> {
    while (this.#knownChanges < this.#changes || performance.now() - this.#checkedAt >= trustedMs) {
      this.#checking ??= this.#ask().finally(() => {
        this.#checking = null
      })
      await this.#checking
    }
  }

  async #ask(): Promise<void> {
    const changes = this.#changes
    const principal = await this.#caller.again()
    this.#knownChanges = changes
    this.#checkedAt = performance.now()
    // The account was claimed into another, where the caller can continue from its cursor.
    if (principal.accountId !== this.accountId) return this.close()
    this.#principal = principal
    this.#query = eventQuery(principal, this.#filter)
  }

  /** The events after its place, from the tail or else from the database; null when there are none. */
  async #take(tail: Tail): Promise<EventPage | null> {
    const [ctx, limit, upTo] = [this.#ctx, this.#limit, tail.end()]
    const held = tail.since(this.#seq)
    const { docs, isMore } =
      held === null
        ? await readForward(ctx, this.#query, { after: this.#seq, upTo, limit })
        : portionOf(eventsPassing(held, this.#query), limit)
    this.#seq = isMore ? docs.at(-1)!.seq : upTo
    return docs.length === 0 ? null : eventPage(ctx, this.#principal, { docs, isMore, upTo })
  }
}

/** Registers a follower. Returns the function that removes it. Fails with `rate_limited` and `unavailable`. */
function enter(ctx: Context, member: EventFollower): () => void {
  const { followers, followersPerKey } = ctx.settings.limits.http
  const register = registerOf(ctx)
  const { members, byKey } = register
  const ofKey = byKey.get(member.keyId) ?? 0
  if (register.closed)
    throw new Failure('unavailable', 'The service is stopping; continue from your cursor in a moment.', {
      retryAfter: 1,
    })
  if (ofKey >= followersPerKey)
    throw new Failure('rate_limited', `This key already follows events ${followersPerKey} times at once.`, {
      fix: 'Close one of the streams or long-polls first, or share one.',
    })
  if (members.size >= followers)
    throw new Failure('unavailable', 'Too many clients follow events at once; please try again later.')
  register.leaveFeed ??= listen(ctx, register)
  members.add(member)
  byKey.set(member.keyId, ofKey + 1)
  return () => {
    if (!members.delete(member)) return
    const left = (byKey.get(member.keyId) ?? 1) - 1
    if (left === 0) byKey.delete(member.keyId)
    else byKey.set(member.keyId, left)
    if (members.size > 0) return
    register.leaveFeed?.()
    register.leaveFeed = null
  }
}

/** Makes followers authenticate again when their key, account or session has changed. */
function listen(ctx: Context, { members }: Register): () => void {
  return ctx.changes.listen((note) => {
    if (note.kind !== 'callers' && note.kind !== 'keys') return
    const changed = new Set(
      note.kind === 'keys' ? note.keyIds : [...note.keyIds, ...note.accountIds, ...note.personIds],
    )
    for (const member of members) if (changed.has(member.keyId) || changed.has(member.accountId)) member.recheck()
  })
}

/** A signal to wait for, which may come before anybody waits. */
function createBell() {
  let hasRung = false
  let wake: (() => void) | null = null
  return {
    ring: () => {
      hasRung = true
      wake?.()
    },
    mute: () => {
      hasRung = false
    },
    /** Resolves when it rings, or has rung since it was muted, or after `ms`. */
    async rung(ms: number): Promise<void> {
      if (hasRung) return
      const { promise, resolve } = Promise.withResolvers<void>()
      wake = resolve
      const timer = setTimeout(resolve, ms)
      await promise
      clearTimeout(timer)
      wake = null
    },
  }
}
