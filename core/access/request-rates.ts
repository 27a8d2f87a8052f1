/**
 * Request rates: how many requests a caller (a key, an address, a network) may make in a calendar minute (UTC), in all processes
 * together. The database records how many requests of a minute are leased (store/request-rates.ts); a process leases a number of
 * requests and counts them down by itself. Invariants:
 * - All leases together never exceed the limit. Requests leased to a process that dies are lost.
 * - A lease covers the waiting requests, and in addition at most a quarter of what is left, so leases shrink towards the limit. The
 *   next lease is taken in the background when the last is half used up: only the first request of a minute, and those near the limit,
 *   have to wait for one.
 * - No request is refused while another process holds unused ones: before a process refuses, it asks the others by a change note to
 *   return what they have left. A process that was asked leases only what its requests need for the rest of the minute. A process
 *   that does not receive the note in time, or has died, may cost the caller what it holds, never more.
 * - While the disk of the database is full, and nothing can be leased, callers are still served, so that they can read. Each process then
 *   counts by itself, up to the limit, and the requests that it let pass count against the limit once there is room again.
 * - A changed limit applies from the next request on: what is left of earlier leases is given back first.
 */
import { Failure } from '../../schemas/failures.ts'
import { newToken } from '../../schemas/ids.ts'
import { allowanceOf } from '../../schemas/plans.ts'
import type { RequestRateDoc } from '../../store/documents/accounts.ts'
import { leaseRequests, type RequestLease, returnRequests } from '../../store/request-rates.ts'
import { isDiskFull } from '../../store/unwell.ts'
import { after, minuteMs, periodsOf, secondMs, secondsUntil } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { createGroupCommit, type GroupCommit } from '../process/group-commit.ts'
import { createKept, type Kept } from '../process/kept.ts'
import { type ProcessContext, perProcess } from '../process/per-process.ts'
import { networkOf } from './network.ts'
import type { Principal } from './principal.ts'

export type RateState = {
  readonly limit: number
  /** What is left of the minute as far as this process knows: leases of other processes since its own last one are not included. */
  readonly remaining: number
  readonly resetSeconds: number
  /** The failure of a request over the limit, which is not counted; null otherwise. */
  readonly refusal: Failure | null
}

/** The requests that one caller (a key, an address or a network) may make in a minute. */
type Quota = { readonly caller: string; readonly limit: number }

/** The requests of one caller and minute that this process may let pass. */
type Share = {
  readonly id: string
  readonly minuteEnd: Date
  token: string
  limit: number
  /** Requests given to this process, and how many of them are used. */
  given: number
  used: number
  /** The part of `given` that this process gave itself, because nothing could be leased. */
  unleased: number
  /** Requests leased to all processes, as of the last lease. */
  givenToAll: number
  lastLease: number
  /** Requests that wait for a lease. */
  waiting: number
  /** The command for this share that is under way; one at a time. */
  turn: Promise<void> | null
  /** Whether the unused part is about to be given back. */
  isClosed: boolean
  /** Whether another process has asked for the unused part. */
  isWanted: boolean
  /** Whether the other processes were asked for their unused part, so that the next lease decides. */
  hasAsked: boolean
  /** Requests are refused until this time, without another attempt to lease. */
  emptyUntil: number
}

/** Shares that a process keeps at once. */
const callersMax = 100_000
const leasesMax = 100
/** The part of the remaining requests that one lease may take ahead. */
const aheadPart = 1 / 4
/** How often a process checks again whether others gave back requests. */
const askAgainMs = secondMs
/** Longer than the clocks of two nodes can differ. */
const keptMs = 5 * minuteMs

type Minute = Pick<ReturnType<typeof periodsOf>, 'minute' | 'minuteEnd'>

type Rates = { readonly shares: Kept<Share>; readonly lease: GroupCommit<RequestLease, RequestRateDoc> }

/** The shares of this process, by caller and calendar minute. */
const rates = perProcess((process): Rates => {
  const shares = createKept<Share>(process.clock, { max: callersMax, ttlMs: minuteMs })
  process.changes.listen((note) => {
    const share = note.kind === 'requests' ? shares.get(note.id) : undefined
    if (note.kind !== 'requests' || share === undefined || share.token === note.share) return undefined
    share.isWanted = true
    // Two processes that ask each other at the same time must not wait for one another.
    const isAsking = share.turn !== null
    const given = giveBack(process, share)
    return isAsking ? undefined : given
  })
  return { shares, lease: createGroupCommit(leasesMax, (leases) => leaseRequests(process.store, leases)) }
})

/** Counts a request of a key. Returns what is left of the minute; past the plan's limit, with the refusal `rate_limited`. */
export function takeRequest(ctx: Context, { keyId, account }: Principal): Promise<RateState> {
  return take(ctx, [{ caller: keyId, limit: allowanceOf(account).requestsPerMinute }])
}

/**
 * Counts a request without a valid key, so that keys cannot be guessed. Fails with `rate_limited` past the limit of its address, or
 * past that of its network, since one machine may have all addresses of a network.
 */
export async function takeAnonymous(ctx: Context, peerAddress: string): Promise<void> {
  const { requestsPerAddressPerMinute, requestsPerNetworkPerMinute } = ctx.settings.limits.http
  const { refusal } = await take(ctx, [
    { caller: peerAddress, limit: requestsPerAddressPerMinute },
    { caller: networkOf(peerAddress), limit: requestsPerNetworkPerMinute },
  ])
  if (refusal !== null) throw refusal
}

/** Counts a request against all quotas, or against none when one is used up. Returns the state of the quota with the least left. */
async function take(ctx: Context, quotas: readonly [Quota, ...Quota[]]): Promise<RateState> {
  const at = ctx.clock.now()
  const period = periodsOf(at)
  const resetSeconds = secondsUntil(at, period.minuteEnd)
  const shares = quotas.map((quota) => shareOf(ctx, quota, period))
  for (;;) {
    const short = shares.filter((share) => share.isClosed || share.used >= share.given)
    const [empty] = short.filter((share) => share.emptyUntil > ctx.clock.now().getTime())
    if (empty !== undefined) {
      const text = `More than ${empty.limit} requests in this minute; try again in ${resetSeconds} seconds.`
      const refusal = new Failure('rate_limited', text, { retryAfter: resetSeconds })
      return { limit: empty.limit, remaining: 0, resetSeconds, refusal }
    }
    if (short.length === 0) {
      for (const share of shares) use(ctx, share)
      const tightest = shares.reduce((a, b) => (leftOf(b) < leftOf(a) ? b : a))
      return { limit: tightest.limit, remaining: leftOf(tightest), resetSeconds, refusal: null }
    }
    await Promise.all(short.map((share) => waitForLease(ctx, share)))
  }
}

/** The share of a caller in a minute, under its current limit. */
function shareOf(ctx: Context, { caller, limit }: Quota, { minute, minuteEnd }: Minute): Share {
  const { shares } = rates(ctx)
  const id = `${caller} ${minute}`
  const known = shares.get(id)
  if (known !== undefined) {
    if (known.limit !== limit) changeLimit(ctx, known, limit)
    return known
  }
  const share: Share = {
    id,
    minuteEnd,
    token: newToken(),
    limit,
    given: 0,
    used: 0,
    unleased: 0,
    givenToAll: 0,
    lastLease: 0,
    waiting: 0,
    turn: null,
    isClosed: false,
    isWanted: false,
    hasAsked: false,
    emptyUntil: 0,
  }
  shares.set(id, share)
  return share
}

function changeLimit(ctx: Context, share: Share, limit: number): void {
  share.limit = limit
  share.emptyUntil = 0
  void giveBack(ctx, share)
}

const leftOf = ({ limit, unleased, givenToAll, given, used }: Share) =>
  Math.max(0, limit - unleased - givenToAll + given - used)

function use(ctx: Context, share: Share): void {
  share.used += 1
  const isHalfUsed = share.given - share.used <= share.lastLease / 2
  const next = Math.floor((share.limit - share.givenToAll) * aheadPart)
  if (!isHalfUsed || next === 0 || share.isWanted || share.turn !== null) return
  inTurn(share, () => lease(ctx, share)).catch((error: unknown) =>
    ctx.log.warn({ err: error }, 'requests could not be leased ahead; the next request asks again'),
  )
}

/** Waits for a lease. After it the share has more requests, or its `emptyUntil` is set, or another lease is needed. */
async function waitForLease(ctx: Context, share: Share): Promise<void> {
  share.waiting += 1
  try {
    await (share.turn ?? inTurn(share, () => lease(ctx, share)))
  } finally {
    share.waiting -= 1
  }
}

/**
 * Runs a command for a share after the one under way. When it fails, it is unknown what the database has recorded: the share then
 * forgets its requests and starts again under another token. Rejects with that error.
 */
function inTurn(share: Share, work: () => Promise<void>): Promise<void> {
  const turn = (share.turn ?? Promise.resolve())
    .then(work)
    .catch((error: unknown) => {
      Object.assign(share, { token: newToken(), given: 0, used: 0, unleased: 0, lastLease: 0, isClosed: false })
      throw error
    })
    .finally(() => {
      if (share.turn === turn) share.turn = null
    })
  share.turn = turn
  // Callers that wait for the turn receive its error; without one it must not count as an unhandled rejection.
  turn.catch(() => undefined)
  return turn
}

async function lease(ctx: ProcessContext, share: Share): Promise<void> {
  const { id, token, unleased, waiting: needed, isWanted, minuteEnd } = share
  const limit = share.limit - unleased
  const before = share.given
  const ahead = isWanted ? 0 : aheadPart
  const wanted: RequestLease = { id, share: token, limit, needed, ahead, expiresAt: after(minuteEnd, keptMs) }
  const doc = await rates(ctx)
    .lease(wanted)
    .catch((error: unknown) => {
      if (!isDiskFull(error)) throw error
      return null
    })
  if (doc === null) return letPass(share, needed)
  share.given = unleased + (doc.shares[token] ?? 0)
  share.givenToAll = doc.given
  share.lastLease = share.given - before
  if (share.lastLease > 0 || needed === 0) {
    share.hasAsked = false
    return
  }
  const othersHold = Object.entries(doc.shares).some(([other, given]) => other !== token && given > 0)
  if (othersHold && !share.hasAsked) {
    share.hasAsked = true
    await ctx.changes.tell({ kind: 'requests', id, share: token })
    return
  }
  share.hasAsked = false
  share.emptyUntil = othersHold ? ctx.clock.now().getTime() + askAgainMs : Number.POSITIVE_INFINITY
}

/** Lets waiting requests pass without a lease, up to the limit of this share. */
function letPass(share: Share, needed: number): void {
  const count = Math.min(needed, share.limit - share.given)
  if (count > 0) Object.assign(share, { given: share.given + count, unleased: share.unleased + count })
  else if (needed > 0) share.emptyUntil = Number.POSITIVE_INFINITY
}

/** Gives back the unused part of a share, after the command under way. No request uses the share until that is done. */
function giveBack(ctx: ProcessContext, share: Share): Promise<void> {
  share.isClosed = true
  return inTurn(share, async () => {
    const count = share.given - Math.max(share.used, share.unleased)
    share.isClosed = false
    if (count <= 0) return
    share.given -= count
    share.givenToAll -= count
    await returnRequests(ctx.store, { id: share.id, share: share.token, count })
  }).catch(() => undefined)
}
