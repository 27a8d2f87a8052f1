/**
 * Arrival cursors: a cursor notes which messages a mailbox held, so that messages that came later can be told from
 * them. Message ids follow the order in which messages began to arrive, not the order in which they were committed, and
 * the clocks of several machines differ. A cursor is therefore an id safely before now, plus the list of messages with
 * later ids that the mailbox already held. Invariant: a message that the mailbox held is before the cursor, and one that
 * was committed later is after it, whatever their ids. The exception is a message committed more than `lateMs` after its
 * id was made: it counts as before, since an old message must never be taken for a new one.
 */
import { Failure } from '../../schemas/failures.ts'
import { idAt } from '../../schemas/ids.ts'
import { timestamp } from '../../schemas/infer.ts'
import { isValid } from '../../schemas/validate.ts'
import { formats } from '../../schemas/words.ts'
import { findIdsFrom, findNewestIds } from '../../store/received.ts'
import { after } from '../process/clock.ts'
import type { Context } from '../process/context.ts'

export type ArrivalCursor = {
  /** Messages with a smaller id are before the cursor. */
  readonly from: string
  /** The last characters of the ids of messages from `from` on that are before the cursor, newest first. */
  readonly seen: readonly string[]
}

/**
 * How long after its id was made a message may be committed. Writers give up sooner; the rest allows for differing
 * clocks.
 */
const lateMs = 60_000
/**
 * Most messages that a cursor lists, so that it fits on a line. When more came within `lateMs`, `from` is later
 * instead.
 */
const seenMax = 100
/** Entries dropped together from a full list, so that only every tenth message needs a query for the full ids of its entries. */
const forgottenAtOnce = 10
/** Most messages read to find those on a full list: messages that did not pass a filter lie between them. */
const betweenMax = 2_000
/** The newest messages that are read to make a cursor: one more than it can list. */
export const newestMax = seenMax + 1
/** Characters of an id kept in `seen`: 30 random bits. */
const tailLength = 6

const Time = timestamp()

const id = '[0-9a-hjkmnp-tv-z]'
const cursorForm = new RegExp(`^w(${id}{26})((?:${id}{${tailLength}}){0,${seenMax}})$`)

/** The ids from which a cursor is made: those of the newest messages since `edge`, newest first. */
export type NewestIds = { readonly edge: string; readonly ids: readonly string[] }

/** The ids for a cursor after everything that can be read from the mailbox now. */
export async function newestNow(ctx: Context, mailboxId: string): Promise<NewestIds> {
  const edge = cursorEdge(ctx)
  return { edge, ids: await findNewestIds(ctx.store, { mailboxId, from: edge, limit: newestMax }) }
}

/** The cursor after the newest messages, and after those `shown` with it, some of which may have come after `ids` were read. */
export function cursorAfter({ edge, ids }: NewestIds, shown: readonly string[]): ArrivalCursor {
  const all = new Set([...ids, ...shown.filter((id) => id >= edge)])
  return makeCursor(edge, [...all].sort().reverse(), () => true)
}

/**
 * The id from which on a cursor made now lists messages one by one. For the cursor of a page it must be taken before
 * the page is read.
 */
export function cursorEdge(ctx: Context): string {
  return idAt('msg', after(ctx.clock.now(), -lateMs))
}

/**
 * The cursor of a mailbox at the time when a page of its newest messages was read, without any filter. `newest`: the
 * ids on the page; `isWhole`: whether the page holds all messages of the mailbox. Returns null when the whole page is
 * since `edge`, because the mailbox may then have more such messages.
 */
export function cursorOfPage(
  edge: string,
  { newest, isWhole }: { newest: readonly string[]; isWhole: boolean },
): ArrivalCursor | null {
  const recent = newest.filter((id) => id >= edge)
  return recent.length < newest.length || isWhole ? makeCursor(edge, recent, () => true) : null
}

/**
 * The cursor of a mailbox at the time when this request came in: a message that has arrived since is after it, so that it
 * is not lost. A message whose id is in the future was made by a machine with another clock and counts as before.
 * `newest` are the ids of the newest messages since `edge`, newest first, at most `newestMax`, read after that time.
 */
export function cursorOfRequest(
  { requestedAt, clock }: Context,
  edge: string,
  newest: readonly string[],
): ArrivalCursor {
  if (requestedAt === null) return makeCursor(edge, newest, () => true)
  const first = idAt('msg', after(requestedAt, 1))
  const future = idAt('msg', after(clock.now(), 1))
  return makeCursor(edge, newest, (id) => id < first || id >= future)
}

/** The cursor at a time: messages received from then on are after it. */
export function cursorAt(time: Date): ArrivalCursor {
  return { from: idAt('msg', time), seen: [] }
}

/** The cursor of a mailbox, moved past one more message. Messages older than those on a full list count as before it. */
export async function movedPast(
  ctx: Context,
  { mailboxId, cursor }: { readonly mailboxId: string; readonly cursor: ArrivalCursor },
  messageId: string,
): Promise<ArrivalCursor> {
  const { from, seen } = cursor
  if (seen.length < seenMax || !isAfter(cursor, messageId)) return advancePast(cursor, messageId, [])
  return advancePast(cursor, messageId, await findIdsFrom(ctx.store, { mailboxId, from, limit: betweenMax }))
}

/**
 * The cursor, moved past one more message. `idsFrom` are the ids of the oldest messages of the mailbox from `from` on. They give
 * the entries of a full list in order: its oldest entries are dropped, and the cursor then begins at the oldest one kept.
 */
export function advancePast(cursor: ArrivalCursor, messageId: string, idsFrom: readonly string[]): ArrivalCursor {
  if (!isAfter(cursor, messageId)) return cursor
  const { from, seen } = cursor
  if (seen.length < seenMax) return { from, seen: [tailOf(messageId), ...seen] }
  const listed = idsFrom.filter((id) => id >= from && !isAfter(cursor, id))
  const kept = [...listed, messageId].sort().slice(-(seenMax - forgottenAtOnce))
  return { from: kept[0] ?? messageId, seen: kept.map(tailOf).reverse() }
}

/** Whether a message is after the cursor. */
export function isAfter({ from, seen }: ArrivalCursor, messageId: string): boolean {
  return messageId >= from && !seen.includes(tailOf(messageId))
}

/** The cursor as callers see it: `w`, the id `from` without its prefix, and the tails of the listed ids. */
export function encodeArrivalCursor({ from, seen }: ArrivalCursor): string {
  return `w${from.slice(from.indexOf('_') + 1)}${seen.join('')}`
}

/** Reads `since`: a cursor or a time. Fails with `validation_error`. */
export function readArrivalCursor(since: string): ArrivalCursor {
  const match = cursorForm.exec(since)
  if (match !== null)
    return { from: `msg_${match[1]}`, seen: match[2]?.match(new RegExp(`.{${tailLength}}`, 'g')) ?? [] }
  const { 'date-time': time } = formats
  if (!isValid(Time, since))
    throw new Failure('validation_error', '"since" is neither a cursor nor a time.', {
      param: 'since',
      fix: `Pass the "cursor" of an earlier answer, or ${time.form}, such as "${time.example}".`,
    })
  return cursorAt(new Date(since))
}

/**
 * Makes a cursor from the newest messages since `edge`, newest first. When there are more than a cursor can list, it
 * uses the first `seenMax`.
 */
function makeCursor(edge: string, newest: readonly string[], isBefore: (messageId: string) => boolean): ArrivalCursor {
  return {
    from: newest.length > seenMax ? (newest[seenMax - 1] ?? edge) : edge,
    seen: newest.slice(0, seenMax).filter(isBefore).map(tailOf),
  }
}

function tailOf(messageId: string): string {
  return messageId.slice(-tailLength)
}
