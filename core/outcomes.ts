/**
 * How attempts end, written down in groups: three commands for all that end together. Invariants: an outcome counts only while
 * its attempt holds the row's lease; the status comes first and the row after it, so a crash in between repeats the outcome
 * and nobody else takes the row meanwhile.
 */
import type { EmailRecipient } from '../store/documents/sending.ts'
import * as store from '../store/emails.ts'
import type { Attempt, Outcome } from './attempt.ts'
import { after, secondMs } from './clock.ts'
import type { Context } from './context.ts'
import { createGather, type Gather } from './gather.ts'
import { complains } from './simulator.ts'

type Ended = { readonly ctx: Context; readonly attempt: Attempt; readonly outcome: Outcome }
type Started = { readonly ctx: Context; readonly attempt: Attempt; readonly at: Date }

const groupMax = 200

/** Kept beside the store, which is one per process. */
const recorders = new WeakMap<object, { readonly ended: Gather<Ended>; readonly started: Gather<Started> }>()

/** Records that the mail is on its way out. Nobody has to wait for it. */
export function recordSent(ctx: Context, attempt: Attempt): Promise<void> {
  return recorderOf(ctx).started({ ctx, attempt, at: ctx.clock.now() })
}

/** Records how an attempt ended; ignored when the row is no longer the attempt's. */
export function recordOutcome(ctx: Context, attempt: Attempt, outcome: Outcome): Promise<void> {
  return recorderOf(ctx).ended({ ctx, attempt, outcome })
}

function recorderOf(ctx: Context) {
  const known = recorders.get(ctx.store)
  if (known !== undefined) return known
  const made = { ended: createGather(groupMax, writeEnded), started: createGather(groupMax, writeStarted) }
  recorders.set(ctx.store, made)
  return made
}

async function writeStarted(started: readonly Started[]): Promise<void> {
  const [first] = started
  if (first === undefined) return
  await store.changeRecipients(
    first.ctx.store,
    started.map(({ attempt: { accountId, emailId, n, attempt }, at }) => ({
      ...{ accountId, emailId, n, at, from: ['queued'] as const },
      change: { status: 'sent' as const, at, attempts: attempt },
    })),
  )
  for (const { ctx, attempt } of started) tell(ctx, attempt)
}

async function writeEnded(ended: readonly Ended[]): Promise<void> {
  const [first] = ended
  if (first === undefined) return
  const { store: db } = first.ctx
  const held = await store.findLeases(
    db,
    ended.map(({ attempt }) => attempt.id),
  )
  const counted = ended.filter(({ attempt }) => held.get(attempt.id) === attempt.token)
  await store.changeRecipients(db, counted.flatMap(changesOf))
  const rows = counted.map((each) => ({ each, next: nextAttempt(each) }))
  await store.endRows(
    db,
    rows.map(({ each: { attempt, outcome }, next }) => {
      const { accountId, id, token } = attempt
      return {
        accountId,
        id,
        token,
        at: outcome.at,
        notBefore: next,
        untried: next !== null && outcome.untried === true,
      }
    }),
  )
  for (const { ctx, attempt, outcome } of counted) if (outcome.untried !== true) tell(ctx, attempt)
}

/** When a row is due again; null when it is done with. */
function nextAttempt(ended: Ended): Date | null {
  const { ctx, attempt, outcome } = ended
  if (outcome.status !== 'deferred' || isGivenUp(ended)) return null
  const { retrySeconds } = ctx.settings.outbound
  const { retryAfterSeconds = 0 } = outcome
  const pause = retrySeconds[Math.min(attempt.attempt, retrySeconds.length) - 1] ?? 60
  const seconds = outcome.untried === true ? Math.max(1, retryAfterSeconds) : Math.max(pause, retryAfterSeconds)
  return after(outcome.at, seconds * secondMs)
}

/** Soft bounces end after 48 hours (decisions.md 2, Delivery states). */
function isGivenUp({ ctx, attempt, outcome }: Ended): boolean {
  const triedMs = outcome.at.getTime() - attempt.firstAttemptAt.getTime()
  return outcome.status === 'deferred' && triedMs >= ctx.settings.outbound.giveUpSeconds * secondMs
}

function changesOf(ended: Ended): store.RecipientChange[] {
  const { attempt, outcome } = ended
  const { accountId, emailId, n } = attempt
  const { at, mx, response, tls } = outcome
  const givenUp = isGivenUp(ended)
  if (outcome.untried === true && !givenUp) return []
  const seen = { at, mx, response, tls, attempts: attempt.attempt }
  const of = (from: readonly EmailRecipient['status'][], change: Partial<EmailRecipient>): store.RecipientChange => ({
    ...{ accountId, emailId, n, from, change, at },
  })
  const open = ['queued', 'sent'] as const
  if (outcome.status === 'deferred' && !givenUp)
    return [of(open, { ...seen, reason: outcome.ambiguous === true ? 'ambiguous' : 'deferred' })]
  if (outcome.status !== 'delivered')
    return [of(open, { ...seen, status: 'bounced', reason: givenUp ? 'transient' : 'permanent' })]
  const delivered = of(open, { ...seen, status: 'delivered', reason: null })
  if (!complains(attempt.recipient)) return [delivered]
  return [delivered, of(['delivered'], { status: 'complained', reason: 'abuse', at })]
}

function tell(ctx: Context, { accountId, emailId }: Attempt): void {
  ctx.changes.publish({ kind: 'email', accountId, emailId })
}
