/**
 * The outbox: one row for each recipient that mail has to be delivered to, and one lane for each account that has rows. A lane
 * says when the account's next row is due. Processes claim the lanes that have been due longest, and then rows of those accounts, so
 * that accounts take turns. Claims of lanes and rows expire by themselves. The times of rows are by the clock of their account, those
 * of lanes by the machine's clock: the two differ for a sandbox whose clock is `aheadMs` ahead.
 */
import type { OutboxDoc } from './documents/sending.ts'
import { earliest } from './earliest.ts'
import type { Store } from './open.ts'
import { readMany, readOne } from './reads.ts'
import { fenceIn, insertInto, updateIn, type Write, writeAll } from './writes.ts'

/** Inserts rows of accounts with the same clock, and makes the lanes of these accounts due. Safe to repeat. */
export async function insertOutbox(store: Store, rows: readonly OutboxDoc[], aheadMs = 0): Promise<void> {
  const dueMs = ({ notBefore, createdAt }: OutboxDoc) => (notBefore ?? createdAt).getTime()
  const lanes = [...Map.groupBy(rows, ({ accountId }) => accountId)].map(([accountId, own]) => ({
    accountId,
    dueAt: new Date(Math.min(...own.map(dueMs)) - aheadMs),
  }))
  // Rows first: a lane that is claimed before its row exists would not be looked at again until the sweep.
  await bringLanesForward(
    store,
    lanes,
    rows.map((row) => insertInto(store.outbox, row)),
  )
}

type LaneDue = { readonly accountId: string; readonly dueAt: Date }

const forward = (store: Store, { accountId, dueAt }: LaneDue): Write =>
  updateIn(store.lanes, { _id: accountId }, { $min: { dueAt } }, { upsert: true })

/** Makes lanes due at a time, unless they are due earlier. The writes `before` are made first and must be safe to repeat. */
export async function bringLanesForward(
  store: Store,
  lanes: readonly LaneDue[],
  before: readonly Write[] = [],
): Promise<void> {
  const writes = lanes.map((lane) => forward(store, lane))
  const refused = await writeAll(store, [...before, ...writes])
  // When two processes insert the same lane at once, one insert is refused; the second try finds the lane.
  await writeAll(
    store,
    writes.filter((_, n) => refused.includes(before.length + n)),
  )
}

/**
 * Claims the lanes that have been due longest, until `until`, for the holder of `token`. Returns their account ids, and whether more
 * lanes may be due. A claimed lane that gets a new row becomes due when that row is.
 */
export async function claimLanes(
  store: Store,
  { now, until, token, max }: { now: Date; until: Date; token: string; max: number },
): Promise<{ readonly accountIds: readonly string[]; readonly mayBeMore: boolean }> {
  const due = await readMany(
    store,
    'lanes',
    { dueAt: { $lte: now } },
    { projection: { _id: 1 }, sort: { dueAt: 1 }, limit: max },
  )
  const mayBeMore = due.length === max
  if (due.length === 0) return { accountIds: [], mayBeMore }
  const ids = due.map(({ _id }) => _id)
  const { modifiedCount } = await store.lanes.updateMany(
    { _id: { $in: ids }, dueAt: { $lte: now } },
    { $set: { dueAt: until, token } },
  )
  if (modifiedCount === ids.length) return { accountIds: ids, mayBeMore }
  const own = await readMany(store, 'lanes', { _id: { $in: ids }, token }, { projection: { _id: 1 } })
  return { accountIds: own.map(({ _id }) => _id), mayBeMore }
}

/** When the next lane is due; null when nobody has mail waiting. */
export function nextLane(store: Store): Promise<Date | null> {
  return earliest(store.lanes, 'dueAt')
}

/** Due rows of accounts, at most `max`. Those of a single account are in the order in which they became due. */
export function findDueRows(
  store: Store,
  { accountIds, now, max }: { accountIds: readonly string[]; now: Date; max: number },
): Promise<OutboxDoc[]> {
  const [accountId] = accountIds
  return accountIds.length === 1 && accountId !== undefined
    ? readMany(
        store,
        'outbox',
        { accountId, notBefore: { $lte: now } },
        { sort: { accountId: 1, notBefore: 1 }, limit: max },
      )
    : readMany(store, 'outbox', { accountId: { $in: [...accountIds] }, notBefore: { $lte: now } }, { limit: max })
}

/**
 * Claims those of these rows that are still due, for `owner` until `until`, when they are due again. Returns the claimed rows.
 */
export async function claimRows(
  store: Store,
  rows: readonly OutboxDoc[],
  { now, until, owner, token }: { now: Date; until: Date; owner: string; token: string },
): Promise<OutboxDoc[]> {
  if (rows.length === 0) return []
  const lease = { owner, token }
  const { modifiedCount } = await store.outbox.updateMany(
    { ...matching(rows), notBefore: { $lte: now } },
    { $set: { notBefore: until, lease, attempting: true }, $inc: { attempts: 1 } },
  )
  if (modifiedCount < rows.length) return findClaimedRows(store, rows, token)
  return rows.map((row) => ({ ...row, notBefore: until, lease, attempting: true, attempts: row.attempts + 1 }))
}

/** Reads again those of these rows that are claimed under a token. */
export function findClaimedRows(store: Store, rows: readonly OutboxDoc[], token: string): Promise<OutboxDoc[]> {
  return readMany(store, 'outbox', { ...matching(rows), 'lease.token': token })
}

type RowKey = Pick<OutboxDoc, '_id' | 'accountId'>

const matching = (rows: readonly RowKey[]) => ({
  accountId: { $in: [...new Set(rows.map(({ accountId }) => accountId))] },
  _id: { $in: rows.map(({ _id }) => _id) },
})

/** Lanes that were claimed together, and their claim. */
export type ClaimedLanes = {
  readonly accountIds: readonly string[]
  readonly token: string
  readonly until: Date
  /** How far the clock of an account is ahead; if absent, no clock is. */
  aheadMs?(accountId: string): number
}

/** Makes claimed lanes due now, behind all other due lanes, so that an account with a backlog gets one turn at a time. */
export async function requeueLanes(
  store: Store,
  { accountIds, token, until }: Omit<ClaimedLanes, 'aheadMs'>,
  now: Date,
): Promise<void> {
  if (accountIds.length === 0) return
  await store.lanes.updateMany({ _id: { $in: [...accountIds] }, token, dueAt: until }, { $set: { dueAt: now } })
}

/** Makes claimed lanes due when their next row is due, and deletes those that have no row left. */
export async function postponeLanes(
  store: Store,
  { accountIds, token, until, aheadMs = () => 0 }: ClaimedLanes,
): Promise<void> {
  if (accountIds.length === 0) return
  const next = await Promise.all(
    accountIds.map(async (accountId) => {
      // Excludes finished rows, which have no `notBefore` and would sort first.
      const row = await readOne(
        store,
        'outbox',
        { accountId, notBefore: { $exists: true } },
        { projection: { notBefore: 1 }, sort: { accountId: 1, notBefore: 1 } },
      )
      const dueMs = row?.notBefore?.getTime()
      return { accountId, dueAt: dueMs === undefined ? null : new Date(dueMs - aheadMs(accountId)) }
    }),
  )
  await store.lanes.bulkWrite(
    next.map(({ accountId, dueAt }) => {
      const same = { _id: accountId, token, dueAt: until }
      return dueAt === null
        ? { deleteOne: { filter: same } }
        : { updateOne: { filter: same, update: { $set: { dueAt } } } }
    }),
    { ordered: false },
  )
}

/** Extends the leases of the given rows, if they are still claimed under the token. Returns how many are. */
export async function extendLease(
  store: Store,
  rows: readonly RowKey[],
  { token, until }: { token: string; until: Date },
): Promise<number> {
  const { matchedCount } = await store.outbox.updateMany(
    { ...matching(rows), 'lease.token': token },
    { $set: { notBefore: until } },
  )
  return matchedCount
}

/**
 * The end of an attempt. The row is finished (`notBefore` null), or due again. `untried`: the attempt was not made and does
 * not count.
 */
export type RowEnd = {
  readonly accountId: string
  readonly id: string
  readonly token: string
  readonly at: Date
  readonly notBefore: Date | null
  readonly untried: boolean
  /** How far the account's clock is ahead. */
  readonly aheadMs?: number
}

/**
 * Ends an attempt whose row is still claimed under its token, together with the changes of its recipient. If the row is due again, makes
 * its lane due. Returns false, with nothing written, when the row is no longer claimed under the token.
 */
export async function endRow(store: Store, end: RowEnd, changes: readonly Write[]): Promise<boolean> {
  const { accountId, id, token, at, notBefore, untried, aheadMs = 0 } = end
  const held = { accountId, _id: id, 'lease.token': token }
  const free = { lease: null, attempting: false } as const
  // If the lease has another token, the first write is refused: the row that its upsert then tries to insert already exists.
  const hold = fenceIn(store.outbox, held, { doneAt: at })
  if (notBefore === null) {
    const finish = { $set: { doneAt: at, ...free }, $unset: { notBefore: '' as const } }
    // If a crash may interrupt the list, the row comes last, so that after a crash the outcome is recorded again.
    const writes = store.listsAreWhole
      ? [updateIn(store.outbox, held, finish, { upsert: true }), ...changes]
      : [hold, ...changes, updateIn(store.outbox, held, finish)]
    return (await store.writeTogether(writes)) !== 0
  }
  const again = { $set: { notBefore, ...free }, ...(untried && { $inc: { attempts: -1 } }) }
  const lane = { accountId, dueAt: new Date(notBefore.getTime() - aheadMs) }
  const refused = await store.writeTogether([
    hold,
    ...changes,
    updateIn(store.outbox, held, again),
    forward(store, lane),
  ])
  if (refused === 0) return false
  // Another process has inserted the lane meanwhile.
  if (refused !== null) await bringLanesForward(store, [lane])
  return true
}

/** Finishes a row. Returns false when it is no longer claimed under the token. */
export async function finishRow(
  store: Store,
  { accountId, id, token, at }: { accountId: string; id: string; token: string; at: Date },
): Promise<boolean> {
  const { modifiedCount } = await store.outbox.updateOne(
    { accountId, _id: id, 'lease.token': token },
    { $set: { doneAt: at, lease: null, attempting: false }, $unset: { notBefore: '' } },
  )
  return modifiedCount === 1
}

/** About how many accounts have mail waiting to be delivered. */
export function countLanes(store: Store): Promise<number> {
  return store.lanes.estimatedDocumentCount()
}

/** How many recipients have mail waiting to be delivered, counted up to `max`. */
export async function countWaiting(store: Store, max: number): Promise<number> {
  const [counted] = await store.outbox
    .aggregate<{ waiting: number }>([
      { $match: { accountId: { $gt: '' }, notBefore: { $exists: true } } },
      { $limit: max },
      { $count: 'waiting' },
    ])
    .toArray()
  return counted?.waiting ?? 0
}

/** Unfinished rows of all accounts. */
export function findWaitingRows(store: Store, limit: number): Promise<WaitingRow[]> {
  return readMany(
    store,
    'outbox',
    { accountId: { $gt: '' }, notBefore: { $exists: true } },
    { projection: { accountId: 1, emailId: 1, n: 1, recipient: 1, createdAt: 1, notBefore: 1, attempts: 1 }, limit },
  )
}

export type WaitingRow = Pick<
  OutboxDoc,
  '_id' | 'accountId' | 'emailId' | 'n' | 'recipient' | 'createdAt' | 'notBefore' | 'attempts'
>

/** When the next row of an account is due; null when none waits. */
export async function nextRow(store: Store, accountId: string): Promise<Date | null> {
  const [row] = await findDueRows(store, { accountIds: [accountId], now: new Date(8.64e15), max: 1 })
  return row?.notBefore ?? null
}

/** Whether a row of an account is being delivered under a lease that has not ended. */
export async function isCarrying(store: Store, accountId: string, now: Date): Promise<boolean> {
  const carried = { accountId, notBefore: { $gt: now }, attempting: true }
  return (await readOne(store, 'outbox', carried, { projection: { _id: 1 } })) !== null
}
