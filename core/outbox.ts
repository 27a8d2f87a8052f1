/**
 * The recipients that wait to be delivered. Claiming goes by lane (one small document per account with due mail, the longest
 * waiting first), then by rows of that account, so that no account starves another and a claim costs the same whatever the
 * backlog. A claim is a lease: an outcome must carry its token, and a row whose process died is due again when it ends.
 */
import { splitAddress } from '../mail/address.ts'
import { Failure } from '../schemas/failures.ts'
import { newToken } from '../schemas/ids.ts'
import { readBlob } from '../store/blobs.ts'
import type { OutboxDoc } from '../store/documents/sending.ts'
import * as store from '../store/emails.ts'
import { findDomain } from '../store/mailboxes.ts'
import type { Attempt, Outcome } from './attempt.ts'
import { after, secondMs } from './clock.ts'
import type { Context } from './context.ts'
import { receive } from './receive.ts'
import { findRecipient } from './recipients.ts'
import { complains, simulate } from './simulator.ts'

/** Rows of one account in one claim, so that accounts take turns. */
const rowsPerLane = 20
const laneLeaseMs = 5 * secondMs

/** Claims up to `max` due recipients for `owner`. Each is marked as being attempted. */
export async function claimAttempts(
  ctx: Context,
  { owner, max }: { owner: string; max: number },
): Promise<readonly Attempt[]> {
  const attempts: Attempt[] = []
  while (attempts.length < max) {
    const now = ctx.clock.now()
    const lane = await store.claimLane(ctx.store, { now, until: after(now, laneLeaseMs) })
    if (lane === null) break
    const until = after(now, ctx.settings.outbound.leaseSeconds * secondMs)
    const rows = await store.claimRows(ctx.store, {
      accountId: lane._id,
      now,
      until,
      owner,
      token: newToken(),
      max: Math.min(rowsPerLane, max - attempts.length),
    })
    attempts.push(...(await withoutFinished(ctx, rows)).map((row) => attemptOf(ctx, row)))
    await store.returnLane(ctx.store, lane)
  }
  return attempts
}

/** Keeps attempts that take long from being due again. */
export async function renewAttempts(ctx: Context, attempts: readonly Attempt[]): Promise<void> {
  const until = after(ctx.clock.now(), ctx.settings.outbound.leaseSeconds * secondMs)
  for (const [token, own] of Map.groupBy(attempts, (attempt) => attempt.token)) {
    await store.extendLease(ctx.store, { accountId: own[0]!.accountId, ids: own.map(({ id }) => id), token, until })
  }
}

/** Records that the outbound engine took the mail. */
export async function recordSent(ctx: Context, { accountId, emailId, n, attempt }: Attempt): Promise<void> {
  const at = ctx.clock.now()
  if (
    await store.changeRecipient(ctx.store, {
      accountId,
      emailId,
      n,
      from: ['queued'],
      change: { status: 'sent', at, attempts: attempt },
      at,
    })
  ) {
    ctx.changes.publish({ kind: 'email', accountId, emailId })
  }
}

/** Records how an attempt ended; ignored when the row is no longer the attempt's. */
export async function recordOutcome(ctx: Context, attempt: Attempt, outcome: Outcome): Promise<void> {
  const { id, token, accountId, emailId, n } = attempt
  const { at, mx, response, tls } = outcome
  if (!(await store.holdsLease(ctx.store, { accountId, id, token }))) return
  const givenUp =
    outcome.status === 'deferred' &&
    at.getTime() - attempt.firstAttemptAt.getTime() >= ctx.settings.outbound.giveUpSeconds * secondMs
  const seen = { at, mx, response, tls, attempts: attempt.attempt }
  if (outcome.status === 'deferred' && !givenUp) {
    const from = ['queued', 'sent']
    await store.changeRecipient(ctx.store, {
      accountId,
      emailId,
      n,
      from,
      change: { ...seen, reason: outcome.ambiguous === true ? 'ambiguous' : 'deferred' },
      at,
    })
    await store.postponeRow(ctx.store, {
      accountId,
      id,
      token,
      notBefore: after(at, pauseSeconds(ctx, attempt, outcome) * secondMs),
    })
    return
  }
  const reason = outcome.status === 'delivered' ? null : givenUp ? 'transient' : 'permanent'
  const status = outcome.status === 'delivered' ? 'delivered' : 'bounced'
  // The status first: a crash in between repeats the outcome, and the row's lease keeps others off.
  await store.changeRecipient(ctx.store, {
    accountId,
    emailId,
    n,
    from: ['queued', 'sent'],
    change: { ...seen, status, reason },
    at,
  })
  if (status === 'delivered' && complains(attempt.recipient)) {
    await store.changeRecipient(ctx.store, {
      accountId,
      emailId,
      n,
      from: ['delivered'],
      change: { status: 'complained', reason: 'abuse', at },
      at,
    })
  }
  await store.finishRow(ctx.store, { accountId, id, token, at })
  ctx.changes.publish({ kind: 'email', accountId, emailId })
}

/**
 * Delivers to a mailbox of ours, or plays a simulated recipient. Null when the recipient is elsewhere. An address of a
 * domain of ours that nobody has bounces at once.
 */
export async function deliverLocally(ctx: Context, attempt: Attempt): Promise<Outcome | null> {
  const played = await simulate(ctx, attempt)
  if (played !== null) return played
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
    })
    return outcome('delivered', `250 2.0.0 stored as ${messageIds.join(' ')}`)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    if (error.code === 'mailbox_not_found') {
      const domain = await findDomain(ctx.store, attempt.domain)
      return domain === null || domain.status === 'pending' ? null : outcome('bounced', `550 5.1.1 ${error.message}`)
    }
    return outcome(
      'deferred',
      error.code === 'unprocessable' ? `452 4.2.2 ${error.message}` : `451 4.3.0 ${error.message}`,
    )
  }
}

/** Calls `wake` when mail may be due that was not before. Answers how to stop. */
export function onDue(ctx: Context, wake: () => void): () => void {
  return ctx.changes.listen((note) => {
    if (note.kind === 'due') wake()
  })
}

/** Finishes rows whose outcome is known: their process died between writing it down and finishing the row. */
async function withoutFinished(ctx: Context, rows: readonly OutboxDoc[]): Promise<OutboxDoc[]> {
  const repeated = rows.filter(({ attempts }) => attempts > 1)
  if (repeated.length === 0) return [...rows]
  const { accountId } = repeated[0]!
  const emails = await store.findEmails(
    ctx.store,
    accountId,
    repeated.map(({ emailId }) => emailId),
  )
  const isFinished = ({ emailId, n, recipient }: OutboxDoc) => {
    const status = emails.find(({ _id }) => _id === emailId)?.recipients[n]?.status
    // A simulated complaint follows a delivery: only nobody is told twice.
    return status !== undefined && status !== 'queued' && status !== 'sent' && !complains(recipient)
  }
  const finished = new Set(repeated.filter(isFinished))
  for (const { _id: id, lease } of finished)
    await store.finishRow(ctx.store, { accountId, id, token: lease?.token ?? '', at: ctx.clock.now() })
  return rows.filter((row) => !finished.has(row))
}

function attemptOf(ctx: Context, row: OutboxDoc): Attempt {
  return {
    ...{
      id: row._id,
      token: row.lease?.token ?? '',
      accountId: row.accountId,
      emailId: row.emailId,
      n: row.n,
      sender: row.sender,
      recipient: row.recipient,
    },
    ...{ domain: splitAddress(row.recipient).domain, attempt: row.attempts },
    ...{ firstAttemptAt: row.createdAt, messageIdHeader: row.messageIdHeader },
    async readRaw() {
      const raw = await readBlob(ctx.store, row.blob)
      if (raw === null) throw new Failure('internal_error', `The bytes of ${row._id} are gone.`)
      return raw
    },
  }
}

/** Growing pauses; the remote's wish counts when it is longer. */
function pauseSeconds(ctx: Context, { attempt }: Attempt, { retryAfterSeconds = 0 }: Outcome): number {
  const { retrySeconds } = ctx.settings.outbound
  const pause = retrySeconds[Math.min(attempt, retrySeconds.length) - 1] ?? 60
  return Math.max(pause, retryAfterSeconds)
}
