/**
 * The outbox: one row per recipient that waits for delivery. Rows are claimed by lanes (one small document per account
 * with due mail, the one that has waited longest first) and then within those accounts, so that no account starves
 * another and a claim costs the same whatever the backlog. A claim is a lease: an outcome must carry its token, and the
 * row of a process that died is due again when the lease ends.
 */
import { splitAddress } from '../../mail/message/address.ts'
import { Failure, failures } from '../../schemas/failures.ts'
import { newToken } from '../../schemas/ids.ts'
import { readBlob, readBlobs } from '../../store/blobs.ts'
import type { BlobRef } from '../../store/documents/mail.ts'
import type { OutboxDoc } from '../../store/documents/sending.ts'
import { findEmailsIn } from '../../store/emails.ts'
import * as store from '../../store/outbox.ts'
import { recentDomain } from '../mailbox/domains.ts'
import { after, type Clock, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { isAway } from '../process/database-away.ts'
import { perProcess } from '../process/per-process.ts'
import { causeOf } from '../process/tracing.ts'
import { receive } from '../receive/receive.ts'
import { findRecipient } from '../receive/recipients.ts'
import { ownVerdict } from '../receive/sender-verdict.ts'
import type { Attempt, Outcome } from './attempt.ts'
import { simulate, simulatesComplaint } from './simulator.ts'

/**
 * Accounts in one claim. With a backlog each account gets the same share, of at least `shareMin` rows so that the extra
 * query per account pays.
 */
const lanesMax = 16
const shareMin = 6
/** How long lanes stay claimed when the process that claimed them dies. */
const laneLeaseMs = 5 * secondMs
/** An attempt whose lease lasts at least this much longer needs no renewal before it sends. */
const leaseMarginMs = secondMs
/** Mail up to this size is read together with other mail, up to `readAheadBytes` at once. */
const smallBytes = 64 * 1024
const readAheadBytes = 4 * 1024 * 1024

type OutboxClaim = {
  readonly clock: Clock
  readonly now: Date
  readonly until: Date
  readonly owner: string
  readonly token: string
}

/**
 * Claims in progress. When a claim failed, it is unknown whether it was made: the next call of `claimAttempts` looks
 * for its rows.
 */
const openClaims = perProcess(() => new Map<OutboxClaim, readonly OutboxDoc[]>())

/**
 * Claims up to `max` due recipients for `owner`, which makes one claim at a time. Returns an attempt for each. Rejects
 * when nothing could be claimed because of an error.
 */
export async function claimAttempts(
  ctx: Context,
  { owner, max }: { owner: string; max: number },
): Promise<readonly Attempt[]> {
  ctx.skew.requireSound()
  const rows = await recoverClaims(ctx)
  while (rows.length < max) {
    const more = await claimOnce(ctx, { owner, max: max - rows.length }).catch((error: unknown) => {
      if (rows.length === 0) throw error
      ctx.log.warn({ err: error }, 'no more mail could be claimed')
      return null
    })
    if (more === null) break
    rows.push(...more.rows)
    if (!more.mayBeMore) break
  }
  return attemptsOf(ctx, rows)
}

/** Claims up to `max` recipients of one account that are due by its clock, whatever its lane says. */
export async function claimAttemptsOf(
  ctx: Context,
  accountId: string,
  { owner, max }: { owner: string; max: number },
): Promise<readonly Attempt[]> {
  const { rows } = await claimRowsOf(ctx, { accountIds: [accountId], owner, token: newToken(), max })
  return attemptsOf(ctx, rows)
}

async function attemptsOf(ctx: Context, rows: readonly OutboxDoc[]): Promise<readonly Attempt[]> {
  const read = await readAhead(ctx, rows)
  return rows.map((row) => attemptOf(ctx, row, read.get(row.blob.id)))
}

/** Claims rows of the lanes that have waited longest. Returns null when no lane was claimed. */
async function claimOnce(
  ctx: Context,
  { owner, max }: { owner: string; max: number },
): Promise<{ readonly rows: readonly OutboxDoc[]; readonly mayBeMore: boolean } | null> {
  const now = ctx.clock.now()
  const token = newToken()
  const until = after(now, laneLeaseMs)
  const { accountIds, mayBeMore } = await store.claimLanes(ctx.store, { now, until, token, max: lanesFor(max) })
  if (accountIds.length === 0) return null
  const rows: OutboxDoc[] = []
  const more: string[] = []
  const taken = new Set<string>()
  for (const ofOneTime of Map.groupBy(accountIds, (id) => ctx.testClocks.of(id)).values()) {
    if (rows.length >= max) more.push(...ofOneTime)
    else {
      const claimed = await claimRowsOf(ctx, { accountIds: ofOneTime, owner, token, max: max - rows.length })
      rows.push(...claimed.rows)
      more.push(...claimed.more)
      for (const { accountId } of claimed.due) taken.add(accountId)
    }
  }
  const isEmpty = (id: string) => !taken.has(id) && !more.includes(id)
  // A lane whose due rows were all claimed is not changed here: it comes up once more when its lease ends.
  await Promise.all([
    store.requeueLanes(ctx.store, { accountIds: more, token, until }, ctx.clock.now()),
    store.postponeLanes(ctx.store, {
      accountIds: accountIds.filter(isEmpty),
      token,
      until,
      aheadMs: (id) => ctx.testClocks.of(id).aheadMs ?? 0,
    }),
  ]).catch((error: unknown) =>
    ctx.log.warn({ err: error }, 'lanes could not be updated; they come up again when their lease ends'),
  )
  return { rows, mayBeMore: mayBeMore || more.length > 0 }
}

/** Claims due rows of accounts that have the same clock. `more` names the accounts that may have further ones. */
async function claimRowsOf(
  ctx: Context,
  { accountIds, owner, token, max }: { accountIds: readonly string[]; owner: string; token: string; max: number },
): Promise<{ due: readonly OutboxDoc[]; rows: readonly OutboxDoc[]; more: readonly string[] }> {
  const clock = ctx.testClocks.of(accountIds[0]!)
  const now = clock.now()
  const { due, more } = await dueRows(ctx, { accountIds, now, max })
  const claim = { clock, now, until: after(now, ctx.settings.outbound.leaseSeconds * secondMs), owner, token }
  openClaims(ctx).set(claim, due)
  const rows = await withoutFinished(ctx, await store.claimRows(ctx.store, due, claim))
  openClaims(ctx).delete(claim)
  return { due, rows, more }
}

/**
 * The rows of earlier claims that failed with an error although the database had made them; without this they would
 * wait for the end of their lease.
 */
async function recoverClaims(ctx: Context): Promise<OutboxDoc[]> {
  const rows: OutboxDoc[] = []
  const open = [...openClaims(ctx)]
  for (const [claim, due] of open)
    if (claim.until > claim.clock.now())
      rows.push(...(await withoutFinished(ctx, await store.findClaimedRows(ctx.store, due, claim.token))))
  // Removed only after all were read: after an error here the next call looks for all of them again.
  for (const [claim] of open) openClaims(ctx).delete(claim)
  return rows
}

const lanesFor = (free: number) => Math.min(lanesMax, Math.ceil(free / shareMin))

/** The due rows for a claim, and the accounts that may have more of them. */
async function dueRows(
  ctx: Context,
  { accountIds, now, max }: { accountIds: readonly string[]; now: Date; max: number },
): Promise<{ due: readonly OutboxDoc[]; more: readonly string[] }> {
  const all = await store.findDueRows(ctx.store, { accountIds, now, max: max + 1 })
  if (all.length <= max) return { due: all, more: [] }
  if (accountIds.length === 1) return { due: all.slice(0, max), more: accountIds }
  const share = Math.max(1, Math.floor(max / accountIds.length))
  const shares = await Promise.all(
    accountIds.map((id) => store.findDueRows(ctx.store, { accountIds: [id], now, max: share })),
  )
  return { due: shares.flat(), more: accountIds.filter((_, n) => shares[n]?.length === share) }
}

/** Reads the bytes of small mail. Returns them by blob id. */
async function readAhead(ctx: Context, rows: readonly OutboxDoc[]): Promise<ReadonlyMap<string, Buffer>> {
  const refs = new Map<string, BlobRef>()
  let bytes = 0
  for (const { blob } of rows) {
    if (blob.sizeBytes > smallBytes || refs.has(blob.id) || bytes + blob.sizeBytes > readAheadBytes) continue
    refs.set(blob.id, blob)
    bytes += blob.sizeBytes
  }
  if (refs.size === 0) return new Map()
  return readBlobs(ctx.store, [...refs.values()]).catch((error: unknown) => {
    ctx.log.warn({ err: error }, 'claimed mail could not be read together; it is read one by one')
    return new Map()
  })
}

/** Renews the leases of attempts that take long, so that their rows do not become due again. */
export async function renewAttempts(ctx: Context, attempts: readonly Attempt[]): Promise<void> {
  for (const ofOneTime of Map.groupBy(attempts, ({ accountId }) => ctx.testClocks.of(accountId)).values())
    for (const [token, own] of Map.groupBy(ofOneTime, (attempt) => attempt.token)) await renew(ctx, token, own)
}

/**
 * Whether an attempt still holds the lease of its row, renewing it when it ends soon: while the database was away the
 * lease may have ended, and another process may be delivering. Rejects when that cannot be found out.
 */
export async function isHeld(ctx: Context, attempt: Attempt): Promise<boolean> {
  const now = ctx.testClocks.of(attempt.accountId).now()
  return attempt.heldUntil > after(now, leaseMarginMs) || renew(ctx, attempt.token, [attempt])
}

/** Renews the leases of attempts of one claim, in accounts that have the same clock. Returns false when it no longer holds all of them. */
async function renew(ctx: Context, token: string, attempts: readonly Attempt[]): Promise<boolean> {
  const now = ctx.testClocks.of(attempts[0]!.accountId).now()
  const until = after(now, ctx.settings.outbound.leaseSeconds * secondMs)
  const rows = attempts.map(({ id, accountId }) => ({ _id: id, accountId }))
  const areHeld = (await store.extendLease(ctx.store, rows, { token, until })) === rows.length
  if (areHeld) for (const attempt of attempts) attempt.heldUntil = until
  return areHeld
}

/**
 * Delivers to a mailbox of ours, or simulates the outcome of a simulated recipient. Returns null when the recipient is
 * on another server. What a mailbox of ours never takes bounces at once, as mail to an unknown address on a domain of ours does.
 */
export async function deliverLocally(ctx: Context, attempt: Attempt): Promise<Outcome | null> {
  const simulated = await simulate(ctx, attempt)
  if (simulated !== null) return simulated
  if (!(await isLocalDomain(ctx, attempt.domain))) return null
  const outcome = (status: Outcome['status'], response: string): Outcome => ({
    status,
    response,
    mx: ctx.hostname,
    tls: false,
    at: ctx.clock.now(),
  })
  try {
    const recipient = await findRecipient(ctx, attempt.recipient)
    const raw = await attempt.readRaw()
    const peer = { address: '127.0.0.1', helo: ctx.hostname, protocol: 'local', cipher: null }
    const { messageIds } = await receive(ctx, {
      raw,
      reversePath: attempt.sender,
      recipients: [recipient],
      peer,
      transactionId: attempt.id,
      emailId: attempt.emailId,
      verdict: ownVerdict(ctx, { sender: attempt.sender, raw }),
    })
    return outcome('delivered', `250 2.0.0 stored as ${messageIds.join(' ')}`)
  } catch (error) {
    if (!(error instanceof Failure) || isAway(error)) throw error
    const { smtp } = failures[error.code]
    return outcome(smtp.startsWith('5') ? 'bounced' : 'deferred', `${smtp} ${error.message}`)
  }
}

/** The outcome of an attempt that a fault of ours ended: it does not count as one when the database is away. */
export function faultOf(ctx: Context, attempt: Attempt, error: unknown): Outcome {
  ctx.log.error({ err: error, attempt: attempt.id }, 'delivery failed')
  const seen = { response: '451 4.3.0 local error', mx: null, tls: false, at: ctx.clock.now() }
  return { status: 'deferred', ...seen, ...(isAway(error) && { untried: true }) }
}

/** Whether a domain is one of ours. */
async function isLocalDomain(ctx: Context, domain: string): Promise<boolean> {
  return (await recentDomain(ctx, domain)) !== null
}

/** Calls `wake` whenever new mail may be due. Returns a function that ends this. */
export function onDue(ctx: Context, wake: () => void): () => void {
  return ctx.changes.listen((note) => {
    if (note.kind === 'due') wake()
  })
}

/** When mail is due next; null when none waits. */
export function nextDue(ctx: Context): Promise<Date | null> {
  return store.nextLane(ctx.store)
}

/**
 * Finishes rows whose outcome was already recorded by a process that died before it finished the row. Returns the other
 * rows.
 */
async function withoutFinished(ctx: Context, rows: readonly OutboxDoc[]): Promise<OutboxDoc[]> {
  const repeated = rows.filter(({ attempts }) => attempts > 1)
  if (repeated.length === 0) return [...rows]
  const emails = await findEmailsIn(ctx.store, {
    accountIds: repeated.map(({ accountId }) => accountId),
    ids: repeated.map(({ emailId }) => emailId),
  })
  const isFinished = ({ emailId, n, recipient }: OutboxDoc) => {
    const status = emails.find(({ _id }) => _id === emailId)?.recipients[n]?.status
    // The complaint of a simulated recipient follows its delivery and may still be missing; recording both again
    // changes nothing.
    return status !== undefined && status !== 'queued' && status !== 'sent' && !simulatesComplaint(recipient)
  }
  const finished = new Set(repeated.filter(isFinished))
  for (const { _id: id, accountId, lease } of finished)
    await store.finishRow(ctx.store, { accountId, id, token: lease?.token ?? '', at: ctx.clock.now() })
  return rows.filter((row) => !finished.has(row))
}

function attemptOf(ctx: Context, row: OutboxDoc, read: Buffer | undefined): Attempt {
  return {
    id: row._id,
    token: row.lease?.token ?? '',
    accountId: row.accountId,
    emailId: row.emailId,
    n: row.n,
    sender: row.sender,
    recipient: row.recipient,
    domain: splitAddress(row.recipient).domain,
    attempt: row.attempts,
    firstAttemptAt: row.createdAt,
    messageIdHeader: row.messageIdHeader,
    ...causeOf(row),
    ...(row.anyTls === true && { anyTls: true }),
    sizeBytes: row.blob.sizeBytes,
    heldUntil: row.notBefore ?? row.createdAt,
    async readRaw() {
      const raw = read ?? (await readBlob(ctx.store, row.blob))
      if (raw === null) throw new Failure('internal_error', `The stored bytes of ${row._id} are missing.`)
      return raw
    },
  }
}
