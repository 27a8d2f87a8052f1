/**
 * The outbox: one row per recipient that waits for delivery. A claim first takes lanes (one small document per account
 * with due mail, the longest waiting first) and then rows of those accounts. So no account starves another, and a claim
 * costs the same whatever the backlog. A claim is a lease: an outcome must carry its token, and the row of a process
 * that died is due again when the lease ends.
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
 * Accounts in one claim. With a backlog each account gets the same share, of at least `shareMin` rows, so that the
 * additional query per account is worth its cost.
 */
const lanesMax = 16
const shareMin = 6
/** How long lanes stay claimed if the process that claimed them dies. */
const laneLeaseMs = 5 * secondMs
/** An attempt whose lease lasts at least this much longer does not renew it before it sends. */
const leaseMarginMs = secondMs
/** Mail up to this size is read together with other mail, up to `readAheadBytes` at a time. */
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
 * Claims in progress. If a claim failed with an error, it is unknown whether the database made it. The next call of
 * `claimAttempts` then looks for its rows.
 */
const openClaims = perProcess(() => new Map<OutboxClaim, readonly OutboxDoc[]>())

/**
 * Claims up to `max` due recipients for `owner`, which must make one claim at a time. Returns an attempt for each.
 * Rejects if an error came before anything was claimed.
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
      ctx.log.warn({ err: error }, 'further due mail could not be claimed; it is tried again with the next claim')
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

/** Claims rows from the lanes that have waited longest. Returns null if there was no lane to claim. */
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
  // A lane whose due rows were all claimed is not changed here: it is looked at again when its lease ends.
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

/** Claims due rows of accounts that have the same clock. `more` names the accounts that may have further due rows. */
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
 * The rows of earlier claims that the database made although the command failed with an error. Without this they would
 * wait until their lease ends.
 */
async function recoverClaims(ctx: Context): Promise<OutboxDoc[]> {
  const rows: OutboxDoc[] = []
  const open = [...openClaims(ctx)]
  for (const [claim, due] of open)
    if (claim.until > claim.clock.now())
      rows.push(...(await withoutFinished(ctx, await store.findClaimedRows(ctx.store, due, claim.token))))
  // Removed only after all rows were read: if reading fails, the next call looks for all of them again.
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
    ctx.log.warn({ err: error }, 'claimed mail could not be read in one command; each mail is read by itself')
    return new Map()
  })
}

/** Renews the leases of attempts that take long, so that their rows do not become due again. */
export async function renewAttempts(ctx: Context, attempts: readonly Attempt[]): Promise<void> {
  for (const ofOneTime of Map.groupBy(attempts, ({ accountId }) => ctx.testClocks.of(accountId)).values())
    for (const [token, own] of Map.groupBy(ofOneTime, (attempt) => attempt.token)) await renew(ctx, token, own)
}

/**
 * Whether an attempt still holds the lease of its row; renews it if it ends soon. While the database was unreachable, the
 * lease may have ended and another process may be delivering. Rejects if this cannot be determined.
 */
export async function isHeld(ctx: Context, attempt: Attempt): Promise<boolean> {
  const now = ctx.testClocks.of(attempt.accountId).now()
  return attempt.heldUntil > after(now, leaseMarginMs) || renew(ctx, attempt.token, [attempt])
}

/** Renews the leases of attempts of one claim, in accounts with the same clock. Returns false if any of the leases is lost. */
async function renew(ctx: Context, token: string, attempts: readonly Attempt[]): Promise<boolean> {
  const now = ctx.testClocks.of(attempts[0]!.accountId).now()
  const until = after(now, ctx.settings.outbound.leaseSeconds * secondMs)
  const rows = attempts.map(({ id, accountId }) => ({ _id: id, accountId }))
  const areHeld = (await store.extendLease(ctx.store, rows, { token, until })) === rows.length
  if (areHeld) for (const attempt of attempts) attempt.heldUntil = until
  return areHeld
}

/**
 * Delivers to a mailbox of ours, or simulates the outcome of a simulated recipient. Returns null if the recipient is on
 * another server. Mail that our mailbox refuses for good, or to an unknown address on a domain of ours, bounces at once.
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

/** The outcome of an attempt that failed by a fault of ours. If the database is unreachable, the attempt does not count. */
export function faultOf(ctx: Context, attempt: Attempt, error: unknown): Outcome {
  ctx.log.error({ err: error, attempt: attempt.id }, 'delivery failed')
  const seen = { response: '451 4.3.0 local error', mx: null, tls: false, at: ctx.clock.now() }
  return { status: 'deferred', ...seen, ...(isAway(error) && { untried: true }) }
}

/** Whether a domain is one of ours. */
async function isLocalDomain(ctx: Context, domain: string): Promise<boolean> {
  return (await recentDomain(ctx, domain)) !== null
}

/** Calls `wake` whenever new mail may be due. Returns a function that stops this. */
export function onDue(ctx: Context, wake: () => void): () => void {
  return ctx.changes.listen((note) => {
    if (note.kind === 'due') wake()
  })
}

/** When the next mail is due; null if none is waiting. */
export function nextDue(ctx: Context): Promise<Date | null> {
  return store.nextLane(ctx.store)
}

/**
 * Finishes rows whose outcome was recorded by a process that died before it finished the row. Returns the other rows.
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
    // The complaint of a simulated recipient follows its delivery and may still be missing. Recording both again
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
