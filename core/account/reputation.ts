/**
 * The sending reputation of an account: the daily volume of a new account rises while it sends without bounces and
 * complaints (warm-up), and an account with too many of them is paused (decisions.md 3, Warm-up).
 */
import type { EventType } from '../../schemas/events.ts'
import { deriveId, idAt } from '../../schemas/ids.ts'
import { allowanceOf, sendingHealth, warmUpStart } from '../../schemas/plans.ts'
import {
  changePause,
  findAccount,
  findPauseChanges,
  forgetPauseChanges,
  markPhoneVerified,
  raiseWarmUp,
} from '../../store/accounts.ts'
import type { AccountDoc, PauseChange } from '../../store/documents/accounts.ts'
import type { NewEvent } from '../../store/events.ts'
import type { Account } from '../access/account-record.ts'
import { recordAudit } from '../access/audit.ts'
import { callersChanged } from '../access/known-callers.ts'
import { takeUsage, usageCounters } from '../access/usage.ts'
import { recordEvents } from '../notify/events.ts'
import { after, dayMs, periodsOf } from '../process/clock.ts'
import type { Context } from '../process/context.ts'

/** The rates of bounces and complaints among the sends of the last days. */
export type Health = { readonly sent: number; readonly bounceRate: number; readonly complaintRate: number }

const healthCounters = ['sent', 'bounced', 'complained'] as const

/** Counts newly recorded bounces and complaints, and pauses the account's sending when their rate is too high. */
export async function countOutcomes(
  ctx: Context,
  accountId: string,
  { bounced, complained }: { readonly bounced: number; readonly complained: number },
): Promise<void> {
  if (bounced + complained === 0) return
  for (const [counter, by] of Object.entries({ bounced, complained }))
    if (by > 0) await takeUsage(ctx, { owner: accountId, period: 'day', counter, by, limit: null })
  const { sent, bounceRate, complaintRate } = await healthOf(ctx, accountId)
  if (sent < sendingHealth.sendsMin) return
  const reason =
    bounceRate > sendingHealth.bounceRateMax
      ? 'too many bounces'
      : complaintRate > sendingHealth.complaintRateMax
        ? 'too many spam reports'
        : null
  if (reason === null || !(await pauseSending(ctx, accountId, reason))) return
  const by = { keyId: null, address: null }
  await recordAudit(ctx, { accountId, action: 'account.pause', target: reason, outcome: 'done', ...by })
}

/** Pauses an account's sending until it is resumed. Returns false when it was already paused. */
export async function pauseSending(ctx: Context, accountId: string, reason: string): Promise<boolean> {
  return pauseOrResume(ctx, accountId, { to: 'paused', reason, at: ctx.clock.now() })
}

/**
 * Resumes an account's sending; bounces and complaints until now no longer count. Returns false when it was not paused.
 */
export async function resumeSending(ctx: Context, accountId: string, reason: string): Promise<boolean> {
  const at = ctx.clock.now()
  return pauseOrResume(ctx, accountId, { to: 'resumed', reason, at }, await forgivenAt(ctx, accountId, at))
}

/** The day's counts up to `at`, which no longer count against the account once its sending is resumed. */
export async function forgivenAt(ctx: Context, accountId: string, at: Date): Promise<AccountDoc['forgiven']> {
  const today = await usageCounters(ctx, accountId, 'day', [at])
  return Object.fromEntries(healthCounters.map((counter) => [counter, today(counter)]))
}

/** Records the events of pauses and resumptions that a crash prevented. Returns the number of accounts with such changes. */
export async function sweepPauseChanges(ctx: Context): Promise<number> {
  const changed = await findPauseChanges(ctx.store, changesMax)
  for (const { _id, pauseChanges = [] } of changed) await recordPauseEvents(ctx, _id, pauseChanges)
  return changed.length
}

/** Accounts whose changes one run of the sweep handles. */
const changesMax = 500

async function pauseOrResume(
  ctx: Context,
  accountId: string,
  change: PauseChange,
  forgiven: AccountDoc['forgiven'] = {},
): Promise<boolean> {
  if (!(await changePause(ctx.store, accountId, change, forgiven))) return false
  await callersChanged(ctx, { accountIds: [accountId] })
  await recordPauseEvents(ctx, accountId, [change])
  return true
}

/** Records that the phone number of an account's owner was verified. Returns false when the account does not exist. */
export async function verifyPhone(ctx: Context, accountId: string): Promise<boolean> {
  const isMarked = await markPhoneVerified(ctx.store, accountId, ctx.clock.now())
  await callersChanged(ctx, { accountIds: [accountId] })
  return isMarked
}

/**
 * How many sends a new account may make today; null when no warm-up applies. The volume doubles after each day with sends and a good
 * reputation; a limit that an administrator raised applies at once.
 */
export async function warmUpVolume(ctx: Context, account: Account): Promise<number | null> {
  if (account.warmUp === undefined || !ctx.settings.limits.warmUp) return null
  const { day: today } = periodsOf(ctx.clock.now())
  const { day, volume } = account.warmUp
  const planned = allowanceOf(account).sendsPerDay
  const limit = planned ?? Number.MAX_SAFE_INTEGER
  const granted = Math.min(account.raised?.sendsPerDay ?? 0, limit)
  if (day === today) return Math.max(granted, Math.min(volume, limit))
  const before = await usageCounters(ctx, account.id, 'day', [new Date(day)])
  const { bounceRate, complaintRate } = await healthOf(ctx, account.id)
  const isHealthy =
    before('sent') > 0 && bounceRate <= sendingHealth.bounceRateWarm && complaintRate <= sendingHealth.complaintRateWarm
  const next = isHealthy ? Math.min(volume * 2, limit) : volume
  await raiseWarmUp(ctx.store, account.id, { from: day, to: { day: today, volume: next } })
  void callersChanged(ctx, { accountIds: [account.id] })
  return Math.max(granted, next)
}

/** The warm-up state of a new account on its first day. */
export function firstWarmUp(at: Date): { day: string; volume: number } {
  return { day: periodsOf(at).day, volume: warmUpStart }
}

async function healthOf(ctx: Context, accountId: string): Promise<Health> {
  const now = ctx.clock.now()
  const { resumedAt = new Date(0), forgiven = {} } = (await findAccount(ctx.store, accountId)) ?? {}
  const days = Array.from({ length: sendingHealth.days }, (_, n) => after(now, -n * dayMs))
  // Days before sending was resumed do not count; on the day itself, only what came after.
  const countedDays = days.filter((day) => periodsOf(day).dayEnd > resumedAt)
  const isDayCounted = countedDays.some((day) => periodsOf(day).day === periodsOf(resumedAt).day)
  const counted = await usageCounters(ctx, accountId, 'day', countedDays)
  const sum = (counter: string) => counted(counter) - (isDayCounted ? (forgiven[counter] ?? 0) : 0)
  const sent = sum('sent')
  const rate = (counter: string) => (sent < sendingHealth.sendsMin ? 0 : sum(counter) / sent)
  return { sent, bounceRate: rate('bounced'), complaintRate: rate('complained') }
}

/** Records the events of pauses and resumptions. Their ids are derived from account and time, so that this is safe to repeat. */
export async function recordPauseEvents(
  ctx: Context,
  accountId: string,
  changes: readonly PauseChange[],
): Promise<void> {
  const events = changes.map(({ to, reason, at }): NewEvent => {
    const type = `account.sending_${to}` satisfies EventType
    return {
      _id: deriveId('evt', idAt('acc', at), `${type} ${accountId}`),
      accountId,
      type,
      createdAt: at,
      mailbox: null,
      mailboxId: null,
      domain: null,
      data: { reason, at: at.toISOString() },
    }
  })
  await recordEvents(ctx, events)
  await forgetPauseChanges(ctx.store, accountId, changes)
}
