/**
 * Which message a wait gets. Invariants: messages are looked at one after the other, each once as long as it does not change;
 * nothing from before the moment that the wait counts from is chosen; once a message is chosen, or the wait is over, no other
 * one is.
 */
import { Failure } from '../../schemas/failures.ts'
import { idAt, newToken } from '../../schemas/ids.ts'
import type { MessageDoc } from '../../store/documents/mail.ts'
import { releaseMessage } from '../../store/leases.ts'
import { findReceivedSince } from '../../store/received.ts'
import { type ArrivalCursor, advancePast, cursorOfRequest, isAfter } from '../mailbox/arrival-cursor.ts'
import { after, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { type Arrived, type WaitFilters, whyNot } from './filters.ts'
import { claimMessage } from './message-leases.ts'
import { arrivedOf, showAgain } from './waiters.ts'

/** Messages that one wait looks at; against a `since` years ago in a full mailbox. */
const lookedAtMax = 1_000
const lookedAtOnce = 100

/** What is asked for. */
type Asked = {
  readonly keyId: string
  readonly mailboxId: string
  readonly filters: WaitFilters
  /** Takes the message for itself, by a lease of so many seconds. */
  readonly claimSeconds: number | null
}

export type Selection = Asked & {
  readonly ctx: Context
  readonly token: string
  /** By message id: why it was not chosen, as it was then. */
  readonly missed: Map<string, { readonly modseq: number; readonly why: string }>
  cursor: ArrivalCursor
  chosen: Arrived | null
  claimedUntil: Date | null
  isOver: boolean
  /** The work that is under way, or was last. */
  turn: Promise<unknown>
}

/** A selection that has not begun: until then nothing is after its moment. */
export function newSelection(ctx: Context, asked: Asked): Selection {
  return {
    ...asked,
    ctx,
    token: newToken(),
    missed: new Map(),
    cursor: { from: '\uffff', seen: [] },
    chosen: null,
    claimedUntil: null,
    isOver: false,
    turn: Promise.resolve(),
  }
}

/**
 * Fixes the moment from which on messages count, and looks at those that came since an earlier one. Returns whether one was
 * chosen. Fails with `validation_error` when too many came since then.
 */
export function begin(selection: Selection, since: ArrivalCursor | null, withinMs: number): Promise<boolean> {
  return inTurn(selection, async () => {
    const { ctx, mailboxId } = selection
    selection.cursor = since ?? (await cursorOfRequest(ctx, mailboxId))
    // Without since only what came while the request was on its way here can be there already.
    const from = since === null ? idAt('msg', ctx.requestedAt ?? ctx.clock.now()) : since.from
    const count = await walk(selection, { from, withinMs })
    if (since !== null && selection.chosen === null && count >= lookedAtMax)
      throw new Failure('validation_error', `More than ${lookedAtMax} messages came since then.`, { param: 'since' })
    return selection.chosen !== null
  })
}

/** Looks at a message. Returns whether it is the one. */
export function look(selection: Selection, arrived: Arrived): Promise<boolean> {
  return inTurn(selection, () => consider(selection, arrived))
}

/** Looks at all that came, as they are now, unless one was chosen. */
export function lookBack(selection: Selection, withinMs: number): Promise<void> {
  return inTurn(selection, async () => {
    if (selection.chosen === null) await walk(selection, { from: selection.cursor.from, withinMs })
  })
}

/** Ends the selection. Returns how it ended. */
export function finish(
  selection: Selection,
): Promise<Pick<Selection, 'chosen' | 'claimedUntil' | 'cursor' | 'missed'>> {
  return inTurn(selection, async () => {
    selection.isOver = true
    const { chosen, claimedUntil, cursor, missed } = selection
    return {
      chosen,
      claimedUntil: chosen === null ? null : claimedUntil,
      cursor: chosen === null ? cursor : advancePast(cursor, chosen.message._id),
      missed,
    }
  })
}

/** Ends the selection for nobody: gives back what was taken. */
export function abandon(selection: Selection): Promise<void> {
  return inTurn(selection, async () => {
    const { ctx, mailboxId, keyId, chosen, claimedUntil } = selection
    selection.isOver = true
    if (chosen === null || claimedUntil === null) return
    const { _id: messageId } = chosen.message
    await releaseMessage(ctx.store, { mailboxId, messageId, keyId, now: ctx.clock.now() })
    ctx.changes.publish({ kind: 'freed', mailboxId, messageId })
    selection.chosen = null
  })
}

function inTurn<T>(selection: Selection, work: () => Promise<T>): Promise<T> {
  const done = selection.turn.then(work)
  selection.turn = done.catch(() => undefined)
  return done
}

async function consider(selection: Selection, arrived: Arrived): Promise<boolean> {
  const { ctx, mailboxId, filters, missed, cursor } = selection
  const { _id: messageId, modseq, lease } = arrived.message
  if (selection.isOver || selection.chosen !== null || !isAfter(cursor, messageId)) return false
  if (missed.get(messageId)?.modseq === modseq) return false
  const why = await whyNot(filters, arrived)
  if (why === null && (await claim(selection, arrived.message))) {
    selection.chosen = arrived
    return true
  }
  missed.set(messageId, why === null ? { modseq: -1, why: 'claim: another holds it.' } : { modseq, why })
  if (why === null) showAgain(ctx, { mailboxId, messageId, at: lease?.until ?? ctx.clock.now() })
  return false
}

/** Takes the lease of a message, if one is asked for. Returns false when another holds it. */
async function claim(selection: Selection, { _id: messageId, lease }: MessageDoc): Promise<boolean> {
  const { ctx, mailboxId, keyId, token, claimSeconds } = selection
  if (claimSeconds === null) return true
  if (lease !== undefined && lease.until > ctx.clock.now()) return false
  const until = after(ctx.clock.now(), claimSeconds * secondMs)
  if (!(await claimMessage(ctx, { mailboxId, messageId, owner: { keyId, token }, until }))) return false
  selection.claimedUntil = until
  return true
}

/** Looks at what came from an id on, oldest first. Returns how many there were. */
async function walk(selection: Selection, { from, withinMs }: { from: string; withinMs: number }): Promise<number> {
  const { ctx, mailboxId } = selection
  const deadline = performance.now() + withinMs
  const goesOn = () => selection.chosen === null && !selection.isOver && performance.now() < deadline
  let next = from
  let count = 0
  while (count < lookedAtMax && goesOn()) {
    const page = await findReceivedSince(ctx.store, { mailboxId, from: next, limit: lookedAtOnce })
    for (const arrived of await arrivedOf(ctx, page)) if (!goesOn() || (await consider(selection, arrived))) break
    count += page.length
    if (page.length < lookedAtOnce) break
    next = `${page.at(-1)?._id}0`
  }
  return count
}
