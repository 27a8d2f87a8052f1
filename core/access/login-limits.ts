/**
 * Failed logins at all doors (decisions.md 3, Failed logins): after some failures answers slow down, then logins are refused for a
 * while. Failures are counted
 * - per host (an IPv4 address, an IPv6 /64) and per IPv4 /24, against guessing from there;
 * - per login name within a network, against guessing one password from many hosts;
 * - per login name alone, which only slows answers: strangers must not be able to lock somebody out.
 * Invariants: a host has at most as many logins checked at once as may still fail. A failure is counted in this process before its host
 * may try again, and, in groups, in the database, which counts for all processes. A login that is refused is neither checked nor
 * counted, so that guessing costs a bounded number of writes. A login that succeeds costs no write and no query: other processes
 * announce by change notes whom they refuse.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { normaliseAddress, withoutTag } from '../../mail/message/address.ts'
import { Failure, type FailureCode } from '../../schemas/failures.ts'
import { countFailedLogins } from '../../store/failed-logins.ts'
import { findAddresses } from '../../store/mailboxes.ts'
import { findAccountsOf } from '../../store/members.ts'
import { findPersonByEmail } from '../../store/people.ts'
import { after, minuteMs, secondsUntil } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { createGroupCommit } from '../process/group-commit.ts'
import { createKept, type Kept } from '../process/kept.ts'
import { type ProcessContext, perProcess } from '../process/per-process.ts'
import { noteAudit } from './audit.ts'
import { hostOf, networkOf } from './network.ts'

const countedMs = 10 * minuteMs
const refusedMs = 15 * minuteMs
/** Callers whose failures a process remembers at the same time. */
const callersMax = 100_000
/** Failures that are counted in one group. */
const groupMax = 100

export type Visitor = {
  readonly peerAddress: string
  /** The login name; null where the credential alone identifies the caller. */
  readonly user: string | null
}

/**
 * Checks a login by `check`, which rejects when the login fails. Rejects with that error; fails with `rate_limited`, without a check,
 * while logins of the visitor are refused.
 */
export async function limitLogins<T>(ctx: Context, visitor: Visitor, check: () => Promise<T>): Promise<T> {
  const callers = callersOf(ctx, visitor)
  const leave = await takeTurn(ctx, callers)
  try {
    await slowDown(ctx, callers)
    requireNotRefused(ctx, callers)
    return await check()
  } catch (error) {
    const isGuess = isFailedLogin(error) || (error instanceof Failure && error.code === 'unauthorized')
    if (isGuess) await countFailure(ctx, callers, visitor, error.code)
    throw error
  } finally {
    leave()
  }
}

/** Whether an error says that a key is invalid. An access token ends each hour, so an invalid one does not count as a guess. */
export function isFailedLogin(error: unknown): error is Failure {
  return error instanceof Failure && error.code === 'invalid_api_key'
}

/** Begins to receive whom other processes refuse; without this call a process begins at its first login. */
export function watchLogins(ctx: Context): void {
  attempts(ctx)
}

/** A host, network or login name whose failures are counted together. From `limit` failures on its logins are refused; null: never. */
type Caller = { readonly name: string; readonly limit: number | null; readonly user: string | null }
type Callers = readonly [host: Caller & { readonly limit: number }, ...others: Caller[]]

function callersOf({ settings }: Context, { peerAddress, user }: Visitor): Callers {
  const { failuresPerAddress, failuresPerNetwork } = settings.limits.logins
  const [host, network] = [hostOf(peerAddress), networkOf(peerAddress)]
  const login = loginName(user)
  return [
    { name: host, limit: failuresPerAddress, user: null },
    ...(host === network ? [] : [{ name: network, limit: failuresPerNetwork, user: null }]),
    ...(login === null
      ? []
      : [
          { name: `${login} ${network}`, limit: failuresPerAddress, user: login },
          { name: login, limit: null, user: null },
        ]),
  ]
}

/** The login name to count under: without its tag, since all tags mean the same mailbox. Null for text that is no address. */
function loginName(user: string | null): string | null {
  const address = normaliseAddress(user ?? '')
  return address === null ? null : withoutTag(address).base
}

type Count = {
  /** The count of the database when it was last read, and when that count ends. */
  readonly counted: number
  readonly endsAt: Date
  /** Failures that this process has not yet counted in the database. */
  readonly uncounted: number
}

type Failed = {
  readonly ctx: Context
  readonly caller: Caller
  readonly visitor: Visitor
  readonly code: FailureCode
}

type Attempts = {
  readonly counts: Kept<Count>
  /** The logins of a host that are being checked; each resolves when it is done. */
  readonly underWay: Map<string, Set<Promise<void>>>
  readonly record: (failed: Failed) => Promise<void>
}

const attempts = perProcess((process): Attempts => {
  const counts = createKept<Count>(process.clock, { max: callersMax, ttlMs: refusedMs })
  process.changes.listen((note) => {
    if (note.kind !== 'refused') return
    const { caller, count: counted, until: endsAt } = note
    const known = counts.get(caller)
    if (endsAt <= process.clock.now() || (known !== undefined && known.counted >= counted)) return
    keep(process, counts, caller, { counted, endsAt, uncounted: known?.uncounted ?? 0 })
  })
  const record = createGroupCommit<Failed>(groupMax, async (group) => {
    await recordFailures(process, counts, group)
    return []
  })
  return { counts, underWay: new Map(), record }
})

function failuresOf(ctx: Context, { name }: Caller): number {
  const { counted = 0, uncounted = 0 } = attempts(ctx).counts.get(name) ?? {}
  return counted + uncounted
}

function requireNotRefused(ctx: Context, callers: Callers): void {
  const now = ctx.clock.now()
  for (const caller of callers) {
    if (caller.limit === null || failuresOf(ctx, caller) < caller.limit) continue
    const endsAt = attempts(ctx).counts.get(caller.name)?.endsAt ?? now
    const seconds = secondsUntil(now, endsAt)
    const text = `Too many failed logins from here; logins are refused for ${seconds} seconds.`
    throw new Failure('rate_limited', text, { retryAfter: seconds })
  }
}

/** Waits until one more login of the host may be checked. Returns the function that ends the turn. */
async function takeTurn(ctx: Context, callers: Callers): Promise<() => void> {
  const [host] = callers
  const { underWay } = attempts(ctx)
  for (;;) {
    requireNotRefused(ctx, callers)
    const others = underWay.get(host.name) ?? new Set()
    if (others.size >= host.limit - failuresOf(ctx, host)) {
      await Promise.race(others)
      continue
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    underWay.set(host.name, others.add(promise))
    return () => {
      others.delete(promise)
      if (others.size === 0) underWay.delete(host.name)
      resolve()
    }
  }
}

async function slowDown(ctx: Context, callers: Callers): Promise<void> {
  const { slowAfter, slowMs } = ctx.settings.limits.logins
  if (callers.some((caller) => failuresOf(ctx, caller) >= slowAfter)) await sleep(slowMs)
}

async function countFailure(ctx: Context, callers: Callers, visitor: Visitor, code: FailureCode): Promise<void> {
  const { counts, record } = attempts(ctx)
  const now = ctx.clock.now()
  for (const { name, limit } of callers) {
    const { counted, uncounted, endsAt } = counts.get(name) ?? {
      counted: 0,
      uncounted: 0,
      endsAt: after(now, countedMs),
    }
    const isRefused = limit !== null && counted + uncounted + 1 >= limit
    keep(ctx, counts, name, { counted, uncounted: uncounted + 1, endsAt: isRefused ? after(now, refusedMs) : endsAt })
  }
  // Only an address is logged: any other text in the place of the name may be a password.
  ctx.log.warn({ peerAddress: visitor.peerAddress, user: loginName(visitor.user) }, 'a login failed')
  const recorded = callers.map((caller) => record({ ctx, caller, visitor, code }))
  await Promise.all(recorded).catch((error: unknown) =>
    ctx.log.error({ err: error }, 'a failed login could not be counted'),
  )
}

function keep({ clock }: ProcessContext, counts: Kept<Count>, name: string, count: Count): void {
  counts.set(name, count, count.endsAt.getTime() - clock.now().getTime())
}

async function recordFailures(process: ProcessContext, counts: Kept<Count>, group: readonly Failed[]): Promise<void> {
  const now = process.clock.now()
  const failed = [...Map.groupBy(group, ({ caller }) => caller.name)]
  const found = await countFailedLogins(
    process.store,
    failed.map(([caller, own]) => ({ caller, by: own.length, limit: own[0]!.caller.limit })),
    { now, countedUntil: after(now, countedMs), refusedUntil: after(now, refusedMs) },
  )
  const counted = new Map(found.map((doc) => [doc._id, doc]))
  for (const [name, own] of failed) {
    const doc = counted.get(name)
    if (doc === undefined) continue
    const { count, expiresAt } = doc
    const known = counts.get(name)
    const uncounted = (known?.uncounted ?? own.length) - own.length
    // Failures that are not counted there yet may already refuse the caller, and for longer than the database says.
    const endsAt = known !== undefined && uncounted > 0 && known.endsAt > expiresAt ? known.endsAt : expiresAt
    keep(process, counts, name, { counted: count, endsAt, uncounted })
    const { ctx, caller, visitor, code } = own.at(-1)!
    const isRefused = caller.limit !== null && count >= caller.limit
    if (isRefused) {
      ctx.log.warn({ caller: name, until: expiresAt }, 'logins are refused')
      process.changes.publish({ kind: 'refused', caller: name, count, until: expiresAt })
    }
    // Not awaited: the time of the answer must not reveal whether the login name exists.
    if (caller.user !== null && (isRefused || count === own.length))
      void audit(ctx, caller.user, visitor, isRefused ? 'rate_limited' : code)
  }
}

/** Audits failed logins in the accounts of a mailbox or person: when they begin in a network, and when logins are refused. */
async function audit(ctx: Context, user: string, { peerAddress }: Visitor, outcome: FailureCode): Promise<void> {
  const entry = { keyId: null, action: 'login', target: user, outcome, address: peerAddress }
  try {
    const [addresses, person] = await Promise.all([
      findAddresses(ctx.store, [user]),
      findPersonByEmail(ctx.store, user),
    ])
    const accounts = person === null ? [] : await findAccountsOf(ctx.store, person._id)
    const ids = [...addresses.map(({ accountId }) => accountId), ...accounts.map(({ _id }) => _id)]
    await Promise.all([...new Set(ids)].map((accountId) => noteAudit(ctx, { ...entry, accountId })))
  } catch (error) {
    ctx.log.error({ err: error }, 'failed logins could not be audited: the lookup of their accounts failed')
  }
}
