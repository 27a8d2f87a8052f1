/**
 * Waits for a message (decisions.md 2, wait): returns the first message that passes the filters, at once or as soon as
 * it arrives. A message before the cursor that the wait counts from is never returned, whatever its id. Messages after
 * it are found by the change feed and, in case a change note is lost, by a last check when the time is over.
 */
import { normaliseDomain } from '../../mail/domain.ts'
import { notADomain } from '../../schemas/refusals.ts'
import type { MessageDoc } from '../../store/documents/mail.ts'
import type { MessageFilter } from '../../store/messages.ts'
import type { Authenticated } from '../access/principal.ts'
import { type ArrivalCursor, encodeArrivalCursor, readArrivalCursor } from '../mailbox/arrival-cursor.ts'
import { getFolder } from '../mailbox/folders.ts'
import { reachMailbox } from '../mailbox/mailboxes.ts'
import { type Message, messageOf } from '../mailbox/messages.ts'
import { requireAgentInbox } from '../mailbox/threading.ts'
import { secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { madeOnce } from '../process/made-once.ts'
import { canonicalFilter } from '../read/list.ts'
import type { Arrived, ContentFilter, WaitFilters } from './filters.ts'
import { patternOf } from './patterns.ts'
import {
  abandonSelection,
  beginSelection,
  checkAllAgain,
  checkMessage,
  finishSelection,
  newSelection,
  type Selection,
} from './selection.ts'
import { registerWaiter } from './waiters.ts'

export const timeoutSecondsDefault = 30
/** Below one minute, after which many clients and proxies give up. */
export const timeoutSecondsMax = 55
const nearMissesMax = 5
/** How long the last check may take. */
const lastCheckMs = 2_000

export type Wait = Omit<MessageFilter, 'since'> &
  ContentFilter & {
    readonly address: string
    readonly folder?: string
    readonly regex?: string
    /** A cursor or a time; without it only messages stored from now on count. */
    readonly since?: string
    readonly timeoutSeconds?: number
    /** Seconds for which the message is leased to the caller, so that parallel waits get different messages. */
    readonly claimSeconds?: number
  }

/** The record of the message, with its trust record and verification code. */
export type WaitedMessage = Message & Pick<MessageDoc, 'trust' | 'verification'>

export type Waited = {
  /** Null when no message matched in time. */
  readonly message: WaitedMessage | null
  readonly claimedUntil: Date | null
  /** Messages that arrived and did not match, newest first. */
  readonly nearMisses: readonly { readonly messageId: string; readonly why: string }[]
  /** The `since` for the next wait, which then returns messages after this answer. */
  readonly cursor: string
}

/**
 * Waits for a message. `hungUp` ends the wait when the client has disconnected. Fails with `mailbox_not_found`,
 * `not_found` (folder), `agent_inbox_only`, `validation_error` (regex, since, from_domain), `rate_limited` and
 * `unavailable` (too many waits, or the process stops), and as a new request would when the key, session or account of the
 * caller ends meanwhile.
 */
export async function waitForMessage(
  ctx: Context,
  { principal, again }: Authenticated,
  wait: Wait,
  hungUp: AbortSignal,
): Promise<Waited> {
  const { accountId, keyId } = principal
  const { timeoutSeconds = timeoutSecondsDefault, claimSeconds = null } = wait
  const mailbox = await reachMailbox(ctx, principal, wait.address)
  const regex = wait.regex === undefined ? undefined : patternOf(ctx, { keyId, regex: wait.regex })
  const since = wait.since === undefined ? null : readArrivalCursor(wait.since)
  if (wait.label !== undefined || wait.threadId !== undefined) requireAgentInbox(mailbox)
  const folderId = wait.folder === undefined ? null : (await getFolder(ctx, mailbox._id, wait.folder))._id
  const filters = { ...filtersOf(wait), folderId, regex }
  const selection = newSelection(ctx, { keyId, mailboxId: mailbox._id, filters, claimSeconds })
  try {
    await untilChosen(ctx, selection, { accountId, again, since, timeoutMs: timeoutSeconds * secondMs, hungUp })
    if (hungUp.aborted) await abandonSelection(selection)
    else await checkAllAgain(selection, lastCheckMs)
    return waitedOf(await finishSelection(selection))
  } catch (error) {
    await abandonSelection(selection)
    throw error
  }
}

/**
 * Resolves when a message is chosen, the time is over or the client has disconnected. Fails as the selection does, and
 * when the process stops.
 */
async function untilChosen(
  ctx: Context,
  selection: Selection,
  {
    accountId,
    again,
    since,
    timeoutMs,
    hungUp,
  }: Pick<Authenticated, 'again'> & {
    accountId: string
    since: ArrivalCursor | null
    timeoutMs: number
    hungUp: AbortSignal
  },
): Promise<void> {
  const { promise: ended, resolve: endWait, reject: failWait } = Promise.withResolvers<void>()
  const show = async (arrived: Arrived) => {
    try {
      const isChosen = await checkMessage(selection, arrived)
      if (isChosen) endWait()
      return isChosen
    } catch (error) {
      failWait(error)
      return false
    }
  }
  const { keyId, mailboxId, claimSeconds } = selection
  const unregister = registerWaiter(ctx, {
    accountId,
    keyId,
    mailboxId,
    takes: claimSeconds !== null,
    again,
    show,
    stop: failWait,
  })
  // No change note will tell of a key, session or account that ended between the caller's admission and now.
  again().catch(failWait)
  const timer = setTimeout(endWait, timeoutMs)
  const onHangUp = () => endWait()
  hungUp.addEventListener('abort', onHangUp, { once: true })
  if (hungUp.aborted) endWait()
  try {
    const begun = beginSelection(selection, since, timeoutMs).then((isChosen) => (isChosen ? undefined : ended))
    await Promise.race([ended, begun])
  } finally {
    hungUp.removeEventListener('abort', onHangUp)
    clearTimeout(timer)
    unregister()
  }
}

function waitedOf({ chosen, claimedUntil, cursor, rejected }: Awaited<ReturnType<typeof finishSelection>>): Waited {
  return {
    message: chosen === null ? null : messageWaitedFor(chosen),
    claimedUntil,
    nearMisses: newestRejected(rejected),
    cursor: encodeArrivalCursor(cursor),
  }
}

/** The record of the message: one object for all waiters to whom it was shown together. */
const messageWaitedFor = madeOnce(({ message, folder }: Arrived): WaitedMessage => {
  const { trust, verification } = message
  return { ...messageOf(message, folder.path), trust, verification }
})

/** The newest messages that did not match. */
function newestRejected(rejected: ReadonlyMap<string, { readonly why: string }>): Waited['nearMisses'] {
  return [...rejected]
    .sort(([a], [b]) => (a < b ? 1 : -1))
    .slice(0, nearMissesMax)
    .map(([messageId, { why }]) => ({ messageId, why }))
}

/** The filters of a wait without its folder and pattern, in canonical form. Fails with `validation_error`. */
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
  if (domain === null) throw notADomain(String(fromDomain), 'from_domain')
  return { ...canonicalFilter(filters), fromDomain: domain }
}
