/**
 * Waiting for a message (decisions.md 2, wait): the first that passes the filters, at once or as soon as it lands. What came
 * in before the moment that the wait counts from is never the answer, whatever its id; what comes after it is found by the
 * change feed, and, should a note be lost, by a last look when the time is over.
 */
import { normaliseDomain } from '../../mail/domain.ts'
import { Failure } from '../../schemas/failures.ts'
import { idAt, newToken } from '../../schemas/ids.ts'
import { arrivedSince } from '../../store/arrived.ts'
import type { MessageDoc } from '../../store/documents/mail.ts'
import { releaseMessage } from '../../store/leases.ts'
import type { MessageFilter } from '../../store/messages.ts'
import type { Principal } from '../access/principal.ts'
import { encodeMoment, isAfter, type Moment, momentOfRequest, passing, readMoment } from '../mailbox/arrival-cursor.ts'
import { getFolder } from '../mailbox/folders.ts'
import { reachMailbox } from '../mailbox/mailboxes.ts'
import { type Message, messageOf } from '../mailbox/messages.ts'
import { requireAgentInbox } from '../mailbox/threading.ts'
import { after, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { canonicalFilter } from '../read/list.ts'
import { type Arrived, type ContentFilter, type WaitFilters, whyNot } from './filters.ts'
import { claimMessage } from './message-leases.ts'
import { patternOf } from './patterns.ts'
import { arrivedOf, enter, showAgain, stopping } from './waiters.ts'

export const timeoutSecondsDefault = 30
/** Below the minute after which many clients and proxies give up. */
export const timeoutSecondsMax = 55
const nearMissesMax = 5
/** Messages that one wait looks at; against a `since` years ago in a full mailbox. */
const lookedAtMax = 1_000
const lookedAtOnce = 100
/** How long the last look may take. */
const lastLookMs = 2_000

export type Wait = Omit<MessageFilter, 'since'> &
  ContentFilter & {
    readonly address: string
    readonly folder?: string
    readonly regex?: string
    /** A cursor or a time; without it only what is stored from now on counts. */
    readonly since?: string
    readonly timeoutSeconds?: number
    /** Takes the message for itself: a lease of so many seconds, so that parallel waits get distinct messages. */
    readonly claimSeconds?: number
  }

/** A message that was waited for, and how far it is to be trusted. */
export type WaitedMessage = Message & Pick<MessageDoc, 'trust' | 'verification'>

export type Waited = {
  /** Null when the time was over first. */
  readonly message: WaitedMessage | null
  readonly claimedUntil: Date | null
  /** What came and was not it, newest first. */
  readonly nearMisses: readonly { readonly messageId: string; readonly why: string }[]
  /** To be passed as `since` of the next wait, which then gets what comes after this answer. */
  readonly cursor: string
}

/**
 * Waits for a message. `hungUp` ends it when nobody listens any more. Fails with `mailbox_not_found`, `not_found` (folder),
 * `agent_inbox_only`, `validation_error` (regex, since, from_domain), `rate_limited` and `unavailable` (too many waits, or
 * the process stops).
 */
export async function waitForMessage(
  ctx: Context,
  principal: Principal,
  wait: Wait,
  hungUp: AbortSignal,
): Promise<Waited> {
  const { keyId } = principal
  const { timeoutSeconds = timeoutSecondsDefault, claimSeconds = null } = wait
  const mailbox = await reachMailbox(ctx, principal, wait.address)
  const regex = wait.regex === undefined ? undefined : patternOf(ctx, { keyId, regex: wait.regex })
  const since = wait.since === undefined ? null : readMoment(wait.since)
  if (wait.label !== undefined || wait.threadId !== undefined) requireAgentInbox(mailbox)
  const folderId = wait.folder === undefined ? null : (await getFolder(ctx, mailbox._id, wait.folder))._id
  const filters = { ...filtersOf(wait), folderId, regex }
  const search = createSearch(ctx, { keyId, mailboxId: mailbox._id, filters, claimSeconds })

  const { promise: ended, resolve: end, reject: fail } = Promise.withResolvers<void>()
  const leave = enter(ctx, {
    keyId,
    mailboxId: mailbox._id,
    takes: claimSeconds !== null,
    show: (arrived) =>
      search.look(arrived).then(
        (isIt) => {
          if (isIt) end()
          return isIt
        },
        (error: unknown) => {
          fail(error)
          return false
        },
      ),
    stop: () => fail(stopping()),
  })
  const timer = setTimeout(end, timeoutSeconds * secondMs)
  hungUp.addEventListener('abort', () => end(), { once: true })
  if (hungUp.aborted) end()
  try {
    await Promise.race([
      ended,
      search.begin(since, timeoutSeconds * secondMs).then((isFound) => (isFound ? null : ended)),
    ])
    if (hungUp.aborted) await search.abandon()
    else await search.lookBack(lastLookMs)
    return await search.result()
  } catch (error) {
    await search.abandon()
    throw error
  } finally {
    clearTimeout(timer)
    leave()
  }
}

type Search = {
  /** Fixes the moment from which on messages count; those that came since an earlier one are looked at. True when one was it. */
  begin(since: Moment | null, withinMs: number): Promise<boolean>
  /** Looks at a message; true when it is the one. */
  look(arrived: Arrived): Promise<boolean>
  /** Looks at all that came, as they are now, unless the one was found. */
  lookBack(withinMs: number): Promise<void>
  /** Gives back what was taken. */
  abandon(): Promise<void>
  result(): Promise<Waited>
}

type Asked = {
  readonly keyId: string
  readonly mailboxId: string
  readonly filters: WaitFilters
  readonly claimSeconds: number | null
}

/** The search of one wait. Messages are looked at one after the other, each once as long as it does not change. */
function createSearch(ctx: Context, { keyId, mailboxId, filters, claimSeconds }: Asked): Search {
  const missed = new Map<string, { readonly modseq: number; readonly why: string }>()
  const token = newToken()
  // Nothing is after it until the search begins.
  let moment: Moment = { from: '\uffff', seen: [] }
  let found: Arrived | null = null
  let claimedUntil: Date | null = null
  let over = false
  let last: Promise<unknown> = Promise.resolve()

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = last.then(work)
    last = turn.catch(() => undefined)
    return turn
  }

  async function consider(arrived: Arrived): Promise<boolean> {
    const { _id: messageId, modseq } = arrived.message
    if (over || found !== null || !isAfter(moment, messageId)) return false
    if (missed.get(messageId)?.modseq === modseq) return false
    const why = await whyNot(filters, arrived)
    if (why === null && (await taken(arrived.message))) {
      found = arrived
      return true
    }
    missed.set(messageId, why === null ? { modseq: -1, why: 'claim: another holds it.' } : { modseq, why })
    if (why === null) showAgain(ctx, { mailboxId, messageId, at: arrived.message.lease?.until ?? ctx.clock.now() })
    return false
  }

  async function taken({ _id: messageId, lease }: MessageDoc): Promise<boolean> {
    if (claimSeconds === null) return true
    if (lease !== undefined && lease.until > ctx.clock.now()) return false
    const until = after(ctx.clock.now(), claimSeconds * secondMs)
    if (!(await claimMessage(ctx, { mailboxId, messageId, owner: { keyId, token }, until }))) return false
    claimedUntil = until
    return true
  }

  /** Looks at what came after the moment, oldest first, from an id on. Returns how many there were. */
  async function walk(withinMs: number, start = moment.from): Promise<number> {
    const deadline = performance.now() + withinMs
    let from = start
    let count = 0
    while (count < lookedAtMax && found === null && !over && performance.now() < deadline) {
      const page = await arrivedSince(ctx.store, { mailboxId, from, limit: lookedAtOnce })
      for (const arrived of await arrivedOf(ctx, page)) {
        if (performance.now() > deadline || (await consider(arrived))) break
      }
      count += page.length
      if (page.length < lookedAtOnce) break
      from = `${page.at(-1)?._id}0`
    }
    return count
  }

  return {
    begin: (since, withinMs) =>
      inTurn(async () => {
        moment = since ?? (await momentOfRequest(ctx, mailboxId))
        // Without since only what came while the request was on its way here can be there already.
        const count = await walk(
          withinMs,
          since === null ? idAt('msg', ctx.requestedAt ?? ctx.clock.now()) : since.from,
        )
        if (since !== null && found === null && count >= lookedAtMax)
          throw new Failure('validation_error', `More than ${lookedAtMax} messages came since then.`, {
            param: 'since',
          })
        return found !== null
      }),
    look: (arrived) => inTurn(() => consider(arrived)),
    lookBack: (withinMs) =>
      inTurn(async () => {
        if (found === null) await walk(withinMs)
      }),
    abandon: () =>
      inTurn(async () => {
        over = true
        if (found === null || claimedUntil === null) return
        const { _id: messageId } = found.message
        await releaseMessage(ctx.store, { mailboxId, messageId, keyId, now: ctx.clock.now() })
        ctx.changes.publish({ kind: 'freed', mailboxId, messageId })
        found = null
      }),
    result: () =>
      inTurn(async () => {
        over = true
        return {
          message: found === null ? null : waitedOf(found),
          claimedUntil: found === null ? null : claimedUntil,
          nearMisses: nearest(missed),
          cursor: encodeMoment(found === null ? moment : passing(moment, found.message._id)),
        }
      }),
  }
}

function waitedOf({ message, folder }: Pick<Arrived, 'message' | 'folder'>): WaitedMessage {
  const { trust, verification } = message
  return { ...messageOf(message, folder.path), trust, verification }
}

/** The newest of what was not it. */
function nearest(missed: ReadonlyMap<string, { readonly why: string }>): Waited['nearMisses'] {
  return [...missed]
    .sort(([a], [b]) => (a < b ? 1 : -1))
    .slice(0, nearMissesMax)
    .map(([messageId, { why }]) => ({ messageId, why }))
}

/** The filters of a wait, but for its folder and pattern, in the form messages have them. Fails with `validation_error`. */
function filtersOf({
  address: _address,
  folder: _folder,
  regex: _regex,
  since: _since,
  timeoutSeconds: _timeout,
  claimSeconds: _claim,
  fromDomain,
  ...filters
}: Wait): Omit<WaitFilters, 'folderId'> {
  const domain = fromDomain === undefined ? undefined : normaliseDomain(fromDomain)
  if (domain === null)
    throw new Failure('validation_error', `"${fromDomain}" is not a domain.`, { param: 'from_domain' })
  return { ...canonicalFilter(filters), fromDomain: domain }
}
