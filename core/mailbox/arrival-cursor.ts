/**
 * Moments of a mailbox: what lay in it, so that what came later can be told from it. Ids are in the order in which messages
 * began to arrive, not in that of their commits, and clocks of several machines differ; so a moment is an id safely
 * before it, and the messages since then that were there. Invariant: a message that was there is before the moment, one
 * that was committed later is after it, whatever their ids, unless its id is older than `lateMs`: then it is before, since a
 * stale message must never be taken for a new one.
 */
import { Failure } from '../../schemas/failures.ts'
import { idAt } from '../../schemas/ids.ts'
import { timestamp } from '../../schemas/infer.ts'
import { isValid } from '../../schemas/validate.ts'
import { findNewestIds } from '../../store/received.ts'
import { after } from '../process/clock.ts'
import type { Context } from '../process/context.ts'

export type Moment = {
  /** Messages with a smaller id are before. */
  readonly from: string
  /** Ends of the ids of messages that were there, newest first. */
  readonly seen: readonly string[]
}

/** How long after its id was made a message may still be committed: a writer gives up sooner, the rest is for clocks. */
const lateMs = 60_000
/** More messages than this in `lateMs` are not told apart: `from` is then later. Keeps a cursor within a line. */
const seenMax = 100
/** Of an id, as kept in `seen`: 30 random bits. */
const tailLength = 6

const Time = timestamp()

const id = '[0-9a-hjkmnp-tv-z]'
const cursorForm = new RegExp(`^w(${id}{26})((?:${id}{${tailLength}}){0,${seenMax}})$`)

/** How a mailbox is now: everything that can be read of it is before. */
export function momentNow(ctx: Context, mailboxId: string): Promise<Moment> {
  return lookAt(ctx, mailboxId, () => true)
}

/** The id since which a moment tells messages apart; for a page it is to be taken before that is read. */
export function momentsEdge(ctx: Context): string {
  return idAt('msg', after(ctx.clock.now(), -lateMs))
}

/**
 * How a mailbox was when a page of its newest messages was read; only of a page that no filter narrowed. Null when it shows
 * none from before the edge, so that there may be more since then: `isWhole` says that there are not.
 */
export function momentOfPage(
  edge: string,
  { newest, isWhole }: { newest: readonly string[]; isWhole: boolean },
): Moment | null {
  const recent = newest.filter((id) => id >= edge)
  return recent.length < newest.length || isWhole ? momentOf(edge, recent, () => true) : null
}

/**
 * How a mailbox was when this request came in: what began to arrive while it was being looked at is after it and not lost.
 * What claims to be of the future is of another clock, and counts as seen.
 */
export function momentOfRequest(ctx: Context, mailboxId: string): Promise<Moment> {
  const { requestedAt, clock } = ctx
  if (requestedAt === null) return momentNow(ctx, mailboxId)
  const first = idAt('msg', after(requestedAt, 1))
  return lookAt(ctx, mailboxId, (id) => id < first || id >= idAt('msg', after(clock.now(), 1)))
}

/** The moment at a time: messages received from then on are after it. */
export function momentAt(time: Date): Moment {
  return { from: idAt('msg', time), seen: [] }
}

/** The moment with one more message before it. */
export function passing(moment: Moment, messageId: string): Moment {
  if (!isAfter(moment, messageId)) return moment
  const { from, seen } = moment
  // What falls off the list is older than this message, and stays before the moment by `from`.
  return { from: seen.length < seenMax ? from : messageId, seen: [tailOf(messageId), ...seen].slice(0, seenMax) }
}

/** The same moment with messages before it that were shown as well. */
export function showing(moment: Moment, messageIds: readonly string[]): Moment {
  return messageIds.reduceRight(passing, moment)
}

export function isAfter({ from, seen }: Moment, messageId: string): boolean {
  return messageId >= from && !seen.includes(tailOf(messageId))
}

export function encodeMoment({ from, seen }: Moment): string {
  return `w${from.slice(from.indexOf('_') + 1)}${seen.join('')}`
}

/** The moment that `since` names: a cursor, or a time. Fails with `validation_error`. */
export function readMoment(since: string): Moment {
  const match = cursorForm.exec(since)
  if (match !== null)
    return { from: `msg_${match[1]}`, seen: match[2]?.match(new RegExp(`.{${tailLength}}`, 'g')) ?? [] }
  if (!isValid(Time, since))
    throw new Failure('validation_error', '"since" must be the cursor of an answer, or a time (ISO 8601).', {
      param: 'since',
    })
  return momentAt(new Date(since))
}

async function lookAt(ctx: Context, mailboxId: string, isBefore: (messageId: string) => boolean): Promise<Moment> {
  const edge = momentsEdge(ctx)
  return momentOf(edge, await findNewestIds(ctx.store, { mailboxId, from: edge, limit: seenMax + 1 }), isBefore)
}

/** `newest`: the messages since the edge, of which the first are enough where there are too many to be told apart. */
function momentOf(edge: string, newest: readonly string[], isBefore: (messageId: string) => boolean): Moment {
  return {
    from: newest.length > seenMax ? (newest[seenMax - 1] ?? edge) : edge,
    seen: newest.slice(0, seenMax).filter(isBefore).map(tailOf),
  }
}

function tailOf(messageId: string): string {
  return messageId.slice(-tailLength)
}
