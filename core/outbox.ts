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
import { ownVerdict } from './verdict.ts'

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
    await store.returnLane(ctx.store, lane, ctx.clock.now())
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
    if (!(error instanceof Failure)) throw error
    if (error.code === 'mailbox_not_found') return outcome('bounced', `550 5.1.1 ${error.message}`)
    if (error.code === 'forbidden') return outcome('bounced', `550 5.7.1 ${error.message}`)
    return outcome(
      'deferred',
      error.code === 'unprocessable' ? `452 4.2.2 ${error.message}` : `451 4.3.0 ${error.message}`,
    )
  }
}

type KnownDomain = { readonly ours: boolean; readonly untilMs: number }

const domainKeptMs = 2_000
const domainsMax = 50_000
/** What this process knows of domains, kept beside the store, which is one per process. */
const domains = new WeakMap<object, Map<string, KnownDomain>>()

/** Whether mail for a domain stays here. */
async function isOurs(ctx: Context, domain: string): Promise<boolean> {
  const known = domains.get(ctx.store) ?? new Map<string, KnownDomain>()
  domains.set(ctx.store, known)
  const found = known.get(domain)
  if (found !== undefined && found.untilMs > Date.now()) return found.ours
  const doc = await findDomain(ctx.store, domain)
  const ours = doc !== null && doc.status !== 'pending'
  if (known.size >= domainsMax) known.clear()
  known.set(domain, { ours, untilMs: Date.now() + domainKeptMs })
  return ours
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
