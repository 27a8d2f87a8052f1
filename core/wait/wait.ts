/**
 * Waiting for a message (decisions.md 2, wait): the first that passes the filters, at once or as soon as it lands. What came
 * in before the moment that the wait counts from is never the answer, whatever its id; what comes after it is found by the
 * change feed, and, should a note be lost, by a last look when the time is over.
 */
import { normaliseDomain } from '../../mail/domain.ts'
import { Failure } from '../../schemas/failures.ts'
import type { MessageDoc } from '../../store/documents/mail.ts'
import type { MessageFilter } from '../../store/messages.ts'
import type { Principal } from '../access/principal.ts'
import { type ArrivalCursor, encodeArrivalCursor, readArrivalCursor } from '../mailbox/arrival-cursor.ts'
import { getFolder } from '../mailbox/folders.ts'
import { reachMailbox } from '../mailbox/mailboxes.ts'
import { type Message, messageOf } from '../mailbox/messages.ts'
import { requireAgentInbox } from '../mailbox/threading.ts'
import { secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { canonicalFilter } from '../read/list.ts'
import type { Arrived, ContentFilter, WaitFilters } from './filters.ts'
import { patternOf } from './patterns.ts'
import { abandon, begin, finish, look, lookBack, newSelection, type Selection } from './selection.ts'
import { enter } from './waiters.ts'

export const timeoutSecondsDefault = 30
/** Below the minute after which many clients and proxies give up. */
export const timeoutSecondsMax = 55
const nearMissesMax = 5
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
  const since = wait.since === undefined ? null : readArrivalCursor(wait.since)
  if (wait.label !== undefined || wait.threadId !== undefined) requireAgentInbox(mailbox)
  const folderId = wait.folder === undefined ? null : (await getFolder(ctx, mailbox._id, wait.folder))._id
  const filters = { ...filtersOf(wait), folderId, regex }
  const selection = newSelection(ctx, { keyId, mailboxId: mailbox._id, filters, claimSeconds })
  try {
    await untilChosen(ctx, selection, { since, timeoutMs: timeoutSeconds * secondMs, hungUp })
    if (hungUp.aborted) await abandon(selection)
    else await lookBack(selection, lastLookMs)
    return waitedOf(await finish(selection))
  } catch (error) {
    await abandon(selection)
    throw error
  }
}

/** Resolves when a message is chosen, the time is over or nobody listens any more. Fails as the selection does, or at a stop. */
async function untilChosen(
  ctx: Context,
  selection: Selection,
  { since, timeoutMs, hungUp }: { since: ArrivalCursor | null; timeoutMs: number; hungUp: AbortSignal },
): Promise<void> {
  const { promise: ended, resolve: end, reject: fail } = Promise.withResolvers<void>()
  const show = async (arrived: Arrived) => {
    try {
      const isChosen = await look(selection, arrived)
      if (isChosen) end()
      return isChosen
    } catch (error) {
      fail(error)
      return false
    }
  }
  const { keyId, mailboxId, claimSeconds } = selection
  const leave = enter(ctx, { keyId, mailboxId, takes: claimSeconds !== null, show, stop: fail })
  const timer = setTimeout(end, timeoutMs)
  const onHangUp = () => end()
  hungUp.addEventListener('abort', onHangUp, { once: true })
  if (hungUp.aborted) end()
  try {
    const begun = begin(selection, since, timeoutMs).then((isChosen) => (isChosen ? undefined : ended))
    await Promise.race([ended, begun])
  } finally {
    hungUp.removeEventListener('abort', onHangUp)
    clearTimeout(timer)
    leave()
  }
}

function waitedOf({ chosen, claimedUntil, cursor, missed }: Awaited<ReturnType<typeof finish>>): Waited {
  return {
    message: chosen === null ? null : messageWaitedFor(chosen),
    claimedUntil,
    nearMisses: nearest(missed),
    cursor: encodeArrivalCursor(cursor),
  }
}

function messageWaitedFor({ message, folder }: Arrived): WaitedMessage {
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
