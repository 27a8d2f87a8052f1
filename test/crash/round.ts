/** One round: a load, a kill in the middle of it, and the checks after all work is done. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Context, closeContext } from '../../core/process/context.ts'
import { settleDue } from '../../core/send/settle.ts'
import { sweepArrivals, sweepReservations } from '../../core/upkeep/sweep.ts'
import { idAt } from '../../schemas/ids.ts'
import { readState, writeState } from '../../store/records.ts'
import { eventually } from '../eventually.ts'
import type { ReadyLine } from '../start/service.ts'
import { type Counts, checkDatabase, checkFolders, checkReading, checkRemains, readRemains } from './check.ts'
import { checkCounts } from './counts.ts'
import type { Crash } from './crash.ts'
import { type Place, playLoad, type Volume } from './load.ts'
import { makeOwner, type Owner } from './owner.ts'
import type { Random } from './random.ts'
import type { Stage } from './stage.ts'

export type Round = Counts & {
  /** The process that was killed, or what was done to which node. */
  readonly victim: string
  readonly kills: number
  readonly letters: number
  readonly sends: number
  /** How many tries of messages and sends were repeated. */
  readonly repeats: number
  /** How many arrivals were announced by the sweep, and how many folders it recounted. */
  readonly swept: { readonly arrivals: number; readonly folders: number }
  readonly restartMs: number
  readonly tookMs: number
  /** How long each step took, in order. */
  readonly steps: readonly (readonly [step: string, ms: number])[]
  readonly violations: readonly string[]
}

const killAfterMs = { from: 100, spread: 600 } as const
/** Enough for a lease to expire and for a second attempt. */
const deliveredWithinMs = 60_000
const settledWithinMs = 10_000
/** Reservations are closed within this time after their messages are written (store/arrivals.ts: 50 ms). */
const closedMs = 200

/** What a round is played on: a service or several nodes, and the remote servers that they talk to. */
export type Scene = Pick<Stage, 'remote' | 'hooks' | 'patience' | 'contextLater'> & {
  readonly service: ReadyLine & { readonly url?: string }
  /** Where the next try of mail or a send goes. */
  place(): Place
}

/** `disturb` kills in the middle of the load; `victim` names the round. */
export async function playRound(
  stage: Scene,
  {
    number,
    victim,
    disturb,
    volume,
    random,
    validates,
  }: {
    readonly number: number
    readonly victim: string
    readonly disturb: () => Promise<Crash>
    readonly volume: Volume
    readonly random: Random
    /** Whether the database validates all of its content, which takes longer with each round. */
    readonly validates: boolean
  },
): Promise<Round> {
  const startedAt = Date.now()
  const steps: [string, number][] = []
  const ended = (step: string) => {
    const before = steps.reduce((sum, [, ms]) => sum + ms, startedAt)
    steps.push([step, Date.now() - before])
  }
  const name = `round${number}`
  const owner = await makeOwner(stage.service, { name, url: stage.hooks.url })
  ended('set up')
  const playing = playLoad(() => stage.place(), { owner, name, volume, random })
  await sleep(killAfterMs.from + random.below(killAfterMs.spread))
  const { kills, endedAt, restartMs, violations: duringCrash } = await disturb()
  ended('crash')
  const ctx = await stage.contextLater()
  try {
    await lapseMarks(ctx, new Date(endedAt))
    const sent = await playing
    ended('load')
    const late = await waitForDeliveries(ctx, owner, stage.patience)
    ended('deliver')
    const swept = await sweep(ctx, owner)
    ended('sweep')
    const remains = await readRemains(ctx, { owner, sent, kills, receipts: stage.remote.receipts })
    const { violations, ...counts } = checkRemains(remains)
    const wrong = [
      ...duringCrash,
      ...sent.failures,
      ...late,
      ...violations,
      ...(await checkFolders(ctx, owner, remains.messages)),
      ...(await checkCounts(ctx, remains)),
      ...(await checkReading(ctx, stage.service.http, remains)),
      ...(validates ? await checkDatabase(ctx) : []),
    ]
    ended('check')
    return {
      victim,
      kills: kills.length,
      restartMs,
      swept,
      ...counts,
      letters: sent.letters.length,
      sends: sent.sends.length,
      repeats: sent.tries - sent.letters.length - sent.sends.length,
      tookMs: Date.now() - startedAt,
      steps,
      violations: wrong,
    }
  } finally {
    await closeContext(ctx)
  }
}

/** Lets the idempotency marks of interrupted requests lapse now instead of after a minute. */
async function lapseMarks({ store }: Context, diedAt: Date): Promise<void> {
  await store.idempotency.updateMany(
    { state: 'running', startedAt: { $lt: diedAt } },
    { $set: { startedAt: new Date(0) } },
  )
}

/** Waits for the service itself to deliver everything and to write what follows from it. */
async function waitForDeliveries({ store }: Context, { accountId }: Owner, patience: number): Promise<string[]> {
  const none = async (filter: object) => (await store.emails.countDocuments({ accountId, ...filter })) === 0
  const undelivered = { recipients: { $elemMatch: { status: { $ne: 'delivered' } } } }
  try {
    await eventually('all sends are delivered', () => none(undelivered), deliveredWithinMs * patience)
    return []
  } catch (error) {
    return [String(error)]
  }
}

/** Runs the sweeps that clocks would run within a minute, and then restores the watermark of the service. */
async function sweep(ctx: Context, { accountId }: Owner): Promise<Round['swept']> {
  const settled = async () => (await ctx.store.emails.countDocuments({ accountId, todoAt: { $exists: true } })) === 0
  for (const end = Date.now() + settledWithinMs; !(await settled()) && Date.now() < end; await sleep(closedMs)) {
    await settleDue(ctx)
  }
  await sleep(closedMs)
  const watermark = (await readState<string>(ctx.store, 'sweptMessages')) ?? idAt('msg', new Date(0))
  const arrivals = await sweepArrivals(ctx)
  await writeState(ctx.store, 'sweptMessages', watermark)
  return { arrivals, folders: await sweepReservations(ctx) }
}
