/**
 * Selects the message that a wait returns. Invariants: messages are checked one after the other, each once as long as
 * it does not change; a message before the cursor that the wait counts from is never chosen; once a message is chosen,
 * or the wait is over, no other is chosen.
 */
import { Failure } from '../../schemas/failures.ts'
import { idAt, newToken } from '../../schemas/ids.ts'
import type { MessageDoc } from '../../store/documents/mail.ts'
import { releaseMessage } from '../../store/leases.ts'
import { findReceivedSince } from '../../store/received.ts'
import { type ArrivalCursor, cursorEdge, cursorOfRequest, isAfter, movedPast } from '../mailbox/arrival-cursor.ts'
import { after, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { type Arrivals, askArrivals, recentArrivals } from './arrivals.ts'
import { type Arrived, mismatchOf, type WaitFilters } from './filters.ts'
import { takeLease } from './message-leases.ts'
import { arrivedOf, showLater } from './waiters.ts'

/** Most messages that one wait checks: it bounds a `since` of years ago in a full mailbox. */
const checkedMax = 1_000
const pageSize = 100

/** What a wait asks for. */
type SelectionInput = {
  readonly keyId: string
  readonly mailboxId: string
  readonly filters: WaitFilters
  /** Seconds for which the chosen message is leased; null: not at all. */
  readonly claimSeconds: number | null
}

export type Selection = SelectionInput & {
  readonly ctx: Context
  /** The token of its lease; empty when it takes none. */
  readonly token: string
  /** Why messages were not chosen, by id, with the version that was checked. */
  readonly rejected: Map<string, { readonly modseq: number; readonly why: string }>
  cursor: ArrivalCursor
  chosen: Arrived | null
  claimedUntil: Date | null
  isOver: boolean
  /** The last step, in progress or done: steps run one after the other. */
  turn: Promise<unknown>
}

/** Makes a selection that has not begun: until then no message is after its cursor. */
export function newSelection(ctx: Context, asked: SelectionInput): Selection {
  return {
    ...asked,
    ctx,
    token: asked.claimSeconds === null ? '' : newToken(),
    rejected: new Map(),
    cursor: { from: '\uffff', seen: [] },
    chosen: null,
    claimedUntil: null,
    isOver: false,
    turn: Promise.resolve(),
  }
}

/**
 * Sets the cursor from which on messages count (`since`, or when the request came in), and checks the messages that
 * arrived since. Returns whether one was chosen. Fails with `validation_error` when too many arrived since.
 */
export function beginSelection(selection: Selection, since: ArrivalCursor | null, withinMs: number): Promise<boolean> {
  return inTurn(selection, async () => {
    const { ctx } = selection
    const arrivals = await (since === null ? arrivalsAtRequest(selection) : arrivalsSince(selection, since))
    if (!hasNew(selection, arrivals)) return false
    // Without `since`, only messages that arrived while the request was on its way can be there already.
    const from = since === null ? idAt('msg', ctx.requestedAt ?? ctx.clock.now()) : since.from
    const count = await checkFrom(selection, { from, withinMs })
    if (since !== null && selection.chosen === null && count >= checkedMax)
      throw new Failure(
        'validation_error',
        `More than ${checkedMax} messages arrived since then, and none of those checked matches.`,
        { param: 'since', fix: 'Give a later "since".' },
      )
    return selection.chosen !== null
  })
}

/** Checks a message. Returns whether it is chosen. */
export function checkMessage(selection: Selection, arrived: Arrived): Promise<boolean> {
  return inTurn(selection, () => check(selection, arrived))
}

/** Checks all messages again in their current state, unless one is chosen. */
export function checkAllAgain(selection: Selection, withinMs: number): Promise<void> {
  return inTurn(selection, async () => {
    if (selection.chosen !== null) return
    const { ctx, mailboxId, cursor } = selection
    const arrivals = await askArrivals(ctx, { mailboxId, from: cursor.from })
    if (hasNew(selection, arrivals)) await checkFrom(selection, { from: cursor.from, withinMs })
  })
}

/** The arrivals in the mailbox when the request came in. Sets the cursor of the selection to that time. */
async function arrivalsAtRequest(selection: Selection): Promise<Arrivals> {
  const { ctx, mailboxId } = selection
  const edge = cursorEdge(ctx)
  const arrivals = await askArrivals(ctx, { mailboxId, from: edge })
  const newest = arrivals.messages.map(({ _id }) => _id)
  selection.cursor = cursorOfRequest(ctx, edge, newest)
  return arrivals
}

/** The arrivals since a cursor, which becomes that of the selection. They may be cached: many callers wait again at once. */
async function arrivalsSince(selection: Selection, since: ArrivalCursor): Promise<Arrivals> {
  const { ctx, mailboxId } = selection
  selection.cursor = since
  return recentArrivals(ctx, { mailboxId, from: since.from })
}

/** Whether there may be messages after the cursor that were not checked in their current state. */
function hasNew({ cursor, rejected }: Selection, { messages, isWhole }: Arrivals): boolean {
  const isNew = ({ _id, modseq }: Arrivals['messages'][number]) =>
    isAfter(cursor, _id) && rejected.get(_id)?.modseq !== modseq
  return !isWhole || messages.some(isNew)
}

/** Ends the selection. Returns its result. */
export function finishSelection(
  selection: Selection,
): Promise<Pick<Selection, 'chosen' | 'claimedUntil' | 'cursor' | 'rejected'>> {
  return inTurn(selection, async () => {
    selection.isOver = true
    const { ctx, chosen, claimedUntil, cursor, rejected } = selection
    return {
      chosen,
      claimedUntil: chosen === null ? null : claimedUntil,
      cursor: chosen === null ? cursor : await movedPast(ctx, selection, chosen.message._id),
      rejected,
    }
  })
}

/** Ends the selection without a receiver: releases the lease of a chosen message. */
export function abandonSelection(selection: Selection): Promise<void> {
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

async function check(selection: Selection, arrived: Arrived): Promise<boolean> {
  const { ctx, mailboxId, filters, rejected, cursor } = selection
  const { _id: messageId, modseq, lease } = arrived.message
  if (selection.isOver || selection.chosen !== null || !isAfter(cursor, messageId)) return false
  if (rejected.get(messageId)?.modseq === modseq) return false
  const why = await mismatchOf(filters, arrived)
  if (why === null && (await claim(selection, arrived.message))) {
    selection.chosen = arrived
    return true
  }
  rejected.set(
    messageId,
    why === null ? { modseq: -1, why: 'claim: another worker holds its lease.' } : { modseq, why },
  )
  if (why === null) showLater(ctx, { mailboxId, messageId, at: lease?.until ?? ctx.clock.now() })
  return false
}

/** Takes the lease of a message, if the wait asks for one. Returns false when another holds it. */
async function claim(selection: Selection, { _id: messageId, lease }: MessageDoc): Promise<boolean> {
  const { ctx, mailboxId, keyId, token, claimSeconds } = selection
  if (claimSeconds === null) return true
  if (lease !== undefined && lease.until > ctx.clock.now()) return false
  const until = after(ctx.clock.now(), claimSeconds * secondMs)
  if (!(await takeLease(ctx, { mailboxId, messageId, owner: { keyId, token }, until }))) return false
  selection.claimedUntil = until
  return true
}

/** Checks messages from an id on, oldest first. Returns how many were read. */
async function checkFrom(
  selection: Selection,
  { from, withinMs }: { from: string; withinMs: number },
): Promise<number> {
  const { ctx, mailboxId } = selection
  const deadline = performance.now() + withinMs
  const isOpen = () => selection.chosen === null && !selection.isOver && performance.now() < deadline
  let next = from
  let count = 0
  while (count < checkedMax && isOpen()) {
    const page = await findReceivedSince(ctx.store, { mailboxId, from: next, limit: pageSize })
    for (const arrived of await arrivedOf(ctx, page)) if (!isOpen() || (await check(selection, arrived))) break
    count += page.length
    if (page.length < pageSize) break
    next = `${page.at(-1)?._id}0`
  }
  return count
}
