/**
 * Records the outcomes of attempts in groups: attempts that end together share one command. Invariants: an outcome counts only
 * while its attempt holds the lease of the row. The write itself checks this, so a process that hung for longer records nothing
 * when it wakes. The status of the recipient is never written later than the row, so after a crash in between, the outcome is
 * recorded again, and no other process takes the row before that.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { EmailRecipient } from '../../store/documents/sending.ts'
import { changingRecipient, type RecipientChange } from '../../store/emails.ts'
import { endRow } from '../../store/outbox.ts'
import type { Write } from '../../store/writes.ts'
import { inTimeOf } from '../process/account-time.ts'
import { noteDue } from '../process/alarms.ts'
import { after, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { createGroupCommit, isolateFailures } from '../process/group-commit.ts'
import { perProcess } from '../process/per-process.ts'
import type { Attempt, Outcome } from './attempt.ts'
import { simulatesComplaint } from './simulator.ts'

type EndedAttempt = {
  readonly ctx: Context
  readonly attempt: Attempt
  readonly outcome: Outcome
  /** When the mail was sent, if that is not recorded yet. */
  readonly startedAt: Date | null
}
type StartedAttempt = { readonly ctx: Context; readonly attempt: Attempt; readonly at: Date }

const groupMax = 200
const pauseMs = 25
/** An attempt that ends within this time is recorded once, together with its outcome. */
const sentAfterMs = 200

/** When each attempt started that is not recorded as started yet. */
const unrecordedStarts = perProcess(() => new Map<Attempt, Date>())
const startGroups = perProcess(() => createGroupCommit(groupMax, isolateFailures(writeStarted)))
const outcomeGroups = perProcess(() => createGroupCommit(groupMax, isolateFailures(writeEnded), { pauseMs }))

/** Records that the mail is being sent, unless the attempt ends within a moment. Callers need not wait for it. */
export async function recordSent(ctx: Context, attempt: Attempt): Promise<void> {
  const at = inTimeOf(ctx, attempt.accountId).clock.now()
  unrecordedStarts(ctx).set(attempt, at)
  await sleep(sentAfterMs, undefined, { ref: false })
  if (unrecordedStarts(ctx).delete(attempt)) await startGroups(ctx)({ ctx, attempt, at })
}

/**
 * Records the outcome of an attempt. Returns false if the attempt no longer holds its row; the outcome then does not
 * count.
 */
export function recordOutcome(ctx: Context, attempt: Attempt, outcome: Outcome): Promise<boolean> {
  const startedAt = unrecordedStarts(ctx).get(attempt) ?? null
  unrecordedStarts(ctx).delete(attempt)
  return outcomeGroups(ctx)({ ctx: inTimeOf(ctx, attempt.accountId), attempt, outcome, startedAt })
}

async function writeStarted(started: readonly StartedAttempt[]): Promise<[]> {
  const { store } = started[0]!.ctx
  await store.writeTogether([
    ...started.map(({ attempt, at }) => changingRecipient(store, startOf(attempt, at))),
    noteOf(started),
  ])
  return []
}

async function writeEnded(ended: readonly EndedAttempt[]): Promise<boolean[]> {
  const { store: db } = ended[0]!.ctx
  const changing = ended.filter((each) => each.outcome.untried !== true || isGivenUp(each))
  // Lists that are started in the same turn become one command.
  const [counts] = await Promise.all([
    Promise.all(ended.map(writeOutcome)),
    changing.length > 0 && db.writeTogether([noteOf(changing)]),
  ])
  return counts
}

/** Returns false if the attempt no longer holds its row. */
async function writeOutcome(ended: EndedAttempt): Promise<boolean> {
  const { ctx, attempt, outcome } = ended
  const { accountId, id, token } = attempt
  const next = nextAttempt(ended)
  const counts = await endRow(
    ctx.store,
    {
      accountId,
      id,
      token,
      at: outcome.at,
      notBefore: next,
      aheadMs: ctx.clock.aheadMs,
      untried: next !== null && outcome.untried === true,
    },
    changesOf(ended).map((change) => changingRecipient(ctx.store, change)),
  )
  if (!counts) return false
  if (next !== null) noteDue(ctx, 'lanes', next)
  countOutcome(ended)
  return true
}

function countOutcome(ended: EndedAttempt): void {
  const { ctx, outcome } = ended
  const givenUp = isGivenUp(ended)
  if (outcome.untried === true && !givenUp) return
  ctx.metrics.count('mailroom_deliveries_total', { outcome: givenUp ? 'bounced' : outcome.status })
}

function startOf({ accountId, emailId, n, attempt: attempts }: Attempt, at: Date): RecipientChange {
  return { accountId, emailId, n, at, from: ['queued'], change: { status: 'sent', at, attempts } }
}

/** When the row is due again; null if it is finished. */
function nextAttempt(ended: EndedAttempt): Date | null {
  const { ctx, attempt, outcome } = ended
  if (outcome.status !== 'deferred' || isGivenUp(ended)) return null
  const { retrySeconds } = ctx.settings.outbound
  const { retryAfterSeconds = 0 } = outcome
  const pause = retrySeconds[Math.min(attempt.attempt, retrySeconds.length) - 1] ?? 60
  const seconds = outcome.untried === true ? Math.max(1, retryAfterSeconds) : Math.max(pause, retryAfterSeconds)
  return after(outcome.at, seconds * secondMs)
}

/** Whether a deferral is the last: soft bounces are given up after 48 hours (decisions.md 2, Delivery states). */
function isGivenUp({ ctx, attempt, outcome }: EndedAttempt): boolean {
  const triedMs = outcome.at.getTime() - attempt.firstAttemptAt.getTime()
  return outcome.status === 'deferred' && triedMs >= ctx.settings.outbound.giveUpSeconds * secondMs
}

function changesOf(ended: EndedAttempt): RecipientChange[] {
  const { attempt, outcome, startedAt } = ended
  const { accountId, emailId, n } = attempt
  const { at, mx, response, tls } = outcome
  const givenUp = isGivenUp(ended)
  if (outcome.untried === true && !givenUp) return []
  // If the last attempt contacted no server, the recipient keeps the last response that one gave.
  const hasAnswer = outcome.untried === true && attempt.attempt > 1
  const seen = hasAnswer ? { at } : { at, mx, response, tls, attempts: attempt.attempt }
  const of = (from: readonly EmailRecipient['status'][], change: Partial<EmailRecipient>): RecipientChange => ({
    accountId,
    emailId,
    n,
    from,
    change,
    at,
  })
  const open = ['queued', 'sent'] as const
  if (outcome.status === 'deferred' && !givenUp) {
    const deferred = of(open, { ...seen, reason: outcome.ambiguous === true ? 'ambiguous' : 'deferred' })
    return startedAt === null ? [deferred] : [startOf(attempt, startedAt), deferred]
  }
  if (outcome.status !== 'delivered')
    return [
      of(open, {
        ...seen,
        status: 'bounced',
        reason: givenUp ? 'transient' : 'permanent',
        ...(outcome.ofMail === true && { ofMail: true }),
      }),
    ]
  const delivered = of(open, { ...seen, status: 'delivered', reason: null })
  if (!simulatesComplaint(attempt.recipient)) return [delivered]
  return [delivered, of(['delivered'], { status: 'complained', reason: 'abuse', at })]
}

/** The change note about these sends; it is the last write of the list that changes them. */
function noteOf(changed: readonly { readonly ctx: Context; readonly attempt: Attempt }[]): Write {
  const ids = [...new Set(changed.map(({ attempt }) => attempt.emailId))]
  const accountIds = [...new Set(changed.map(({ attempt }) => attempt.accountId))]
  return changed[0]!.ctx.changes.noteWith({ kind: 'emails', ids, accountIds })
}
