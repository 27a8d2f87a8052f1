/**
 * The recipients that wait to be delivered. Claiming goes by lanes (one small document per account with due mail, the longest
 * waiting first), then by rows of those accounts, so that no account starves another and a claim costs the same whatever the
 * backlog. A claim is a lease: an outcome must carry its token, and a row whose process died is due again when it ends.
 */
import { splitAddress } from '../../mail/message/address.ts'
import { Failure } from '../../schemas/failures.ts'
import { newToken } from '../../schemas/ids.ts'
import { readBlob, readBlobs } from '../../store/blobs.ts'
import type { BlobRef } from '../../store/documents/mail.ts'
import type { OutboxDoc } from '../../store/documents/sending.ts'
import { findEmailsById } from '../../store/emails.ts'
import * as store from '../../store/outbox.ts'
import { recentDomain } from '../mailbox/domains.ts'
import { after, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { isAway } from '../process/database-away.ts'
import { perProcess } from '../process/per-process.ts'
import { receive } from '../receive/receive.ts'
import { findRecipient } from '../receive/recipients.ts'
import { ownVerdict } from '../receive/sender-verdict.ts'
import type { Attempt, Outcome } from './attempt.ts'
import { complains, simulate } from './simulator.ts'

/** Accounts in one claim: with a backlog each has the same share, which is worth a question of its own. */
const lanesMax = 16
const shareMin = 6
/** Whoever dies with claimed lanes holds them up so long; then they are looked at again. */
const laneLeaseMs = 5 * secondMs
/** An attempt that holds its recipient for so long need not ask. */
const heldForMs = secondMs
/** Mail up to this size is read together with others, so much of it at once. */
const smallBytes = 64 * 1024
const readAheadBytes = 4 * 1024 * 1024

type Claim = { readonly now: Date; readonly until: Date; readonly owner: string; readonly token: string }

/** Claims that are under way. After one has failed it is open whether it was made: the next one finds out. */
const underWay = perProcess(() => new Map<Claim, readonly OutboxDoc[]>())

/**
 * Claims up to `max` due recipients for `owner`, who claims one time after the other. Each is marked as being attempted.
 * Rejects when nothing could be claimed.
 */
export async function claimAttempts(
  ctx: Context,
  { owner, max }: { owner: string; max: number },
): Promise<readonly Attempt[]> {
  const rows = await leftOpen(ctx)
  while (rows.length < max) {
    const more = await claimOnce(ctx, { owner, max: max - rows.length }).catch((error: unknown) => {
      if (rows.length === 0) throw error
      ctx.log.warn({ err: error }, 'no more mail could be claimed')
      return null
    })
    if (more === null) break
    rows.push(...more)
  }
  const read = await readAhead(ctx, rows)
  return rows.map((row) => attemptOf(ctx, row, read.get(row.blob.id)))
}

/** Claims rows of the lanes that wait longest. Null when no lane is due. */
async function claimOnce(
  ctx: Context,
  { owner, max }: { owner: string; max: number },
): Promise<readonly OutboxDoc[] | null> {
  const now = ctx.clock.now()
  const token = newToken()
  const until = after(now, laneLeaseMs)
  const accountIds = await store.claimLanes(ctx.store, { now, until, token, max: lanesFor(max) })
  if (accountIds.length === 0) return null
  const { due, more } = await dueRows(ctx, { accountIds, now, max })
  const claim = { now, until: after(now, ctx.settings.outbound.leaseSeconds * secondMs), owner, token }
  underWay(ctx).set(claim, due)
  const rows = await withoutFinished(ctx, await store.claimRows(ctx.store, due, claim))
  underWay(ctx).delete(claim)
  // A lane all of whose rows were taken is not touched: it comes up once more when its lease ends.
  const taken = new Set(due.map(({ accountId }) => accountId))
  await Promise.all([
    store.requeueLanes(ctx.store, { accountIds: more, token, until }, ctx.clock.now()),
    store.postponeLanes(ctx.store, { accountIds: accountIds.filter((id) => !taken.has(id)), token, until }),
  ]).catch((error: unknown) => ctx.log.warn({ err: error }, 'lanes come up again when their lease ends'))
  return rows
}

/** The rows of claims that were made although they seemed to fail: without this nobody would deliver them until their lease ends. */
async function leftOpen(ctx: Context): Promise<OutboxDoc[]> {
  const rows: OutboxDoc[] = []
  const open = [...underWay(ctx)]
  for (const [claim, due] of open)
    if (claim.until > ctx.clock.now())
      rows.push(...(await withoutFinished(ctx, await store.findClaimedRows(ctx.store, due, claim.token))))
  // Only now: whoever failed on the way asks for all of them again.
  for (const [claim] of open) underWay(ctx).delete(claim)
  return rows
}

const lanesFor = (free: number) => Math.min(lanesMax, Math.ceil(free / shareMin))

/** The rows of a claim, and the accounts that may have more of them. */
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

/** The bytes of small mail, by the id of their blob. */
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
    ctx.log.warn({ err: error }, 'claimed mail is read one by one')
    return new Map()
  })
}

/** Keeps attempts that take long from being due again. */
export async function renewAttempts(ctx: Context, attempts: readonly Attempt[]): Promise<void> {
  for (const [token, own] of Map.groupBy(attempts, (attempt) => attempt.token)) await renew(ctx, token, own)
}

/**
 * Whether an attempt still holds its recipient: while the database was away its lease may have run out, and somebody else
 * may be delivering. Rejects when that cannot be told.
 */
export async function isHeld(ctx: Context, attempt: Attempt): Promise<boolean> {
  return attempt.heldUntil > after(ctx.clock.now(), heldForMs) || renew(ctx, attempt.token, [attempt])
}

/** Renews attempts of one claim. False when it no longer holds all of them. */
async function renew(ctx: Context, token: string, attempts: readonly Attempt[]): Promise<boolean> {
  const until = after(ctx.clock.now(), ctx.settings.outbound.leaseSeconds * secondMs)
  const rows = attempts.map(({ id, accountId }) => ({ _id: id, accountId }))
  const areHeld = (await store.extendLease(ctx.store, rows, { token, until })) === rows.length
  if (areHeld) for (const attempt of attempts) attempt.heldUntil = until
  return areHeld
}

/**
 * Delivers to a mailbox of ours, or plays a simulated recipient. Null when the recipient is elsewhere. An address of a
 * domain of ours that nobody has bounces at once.
 */
export async function deliverLocally(ctx: Context, attempt: Attempt): Promise<Outcome | null> {
  const played = await simulate(ctx, attempt)
  if (played !== null) return played
  if (!(await isOurs(ctx, attempt.domain))) return null
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
      verdict: ownVerdict(ctx, { sender: attempt.sender, raw }),
    })
    return outcome('delivered', `250 2.0.0 stored as ${messageIds.join(' ')}`)
  } catch (error) {
    if (!(error instanceof Failure) || isAway(error)) throw error
    if (error.code === 'mailbox_not_found') return outcome('bounced', `550 5.1.1 ${error.message}`)
    if (error.code === 'forbidden') return outcome('bounced', `550 5.7.1 ${error.message}`)
    return outcome(
      'deferred',
      error.code === 'unprocessable' ? `452 4.2.2 ${error.message}` : `451 4.3.0 ${error.message}`,
    )
  }
}

/** Whether mail for a domain stays here. */
async function isOurs(ctx: Context, domain: string): Promise<boolean> {
  const doc = await recentDomain(ctx, domain)
  return doc !== null && doc.status !== 'pending'
}

/** Calls `wake` when mail may be due that was not before. Returns a function that stops it. */
export function onDue(ctx: Context, wake: () => void): () => void {
  return ctx.changes.listen((note) => {
    if (note.kind === 'due') wake()
  })
}

/** Finishes rows whose outcome is known: their process died between writing it down and finishing the row. */
async function withoutFinished(ctx: Context, rows: readonly OutboxDoc[]): Promise<OutboxDoc[]> {
  const repeated = rows.filter(({ attempts }) => attempts > 1)
  if (repeated.length === 0) return [...rows]
  const emails = await findEmailsById(
    ctx.store,
    repeated.map(({ emailId }) => emailId),
  )
  const isFinished = ({ emailId, n, recipient }: OutboxDoc) => {
    const status = emails.find(({ _id }) => _id === emailId)?.recipients[n]?.status
    // A simulated complaint follows a delivery: only nobody is told twice.
    return status !== undefined && status !== 'queued' && status !== 'sent' && !complains(recipient)
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
    sizeBytes: row.blob.sizeBytes,
    heldUntil: row.notBefore ?? row.createdAt,
    async readRaw() {
      const raw = read ?? (await readBlob(ctx.store, row.blob))
      if (raw === null) throw new Failure('internal_error', `The bytes of ${row._id} are gone.`)
      return raw
    },
  }
}
