/**
 * Rounds on one data folder, in which the processes are killed in turn. In one of three crashes the process is killed again
 * while it starts.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { attemptDueDeliveries } from '../../core/notify/due-deliveries.ts'
import { closeContext } from '../../core/process/context.ts'
import { timeOfId } from '../../schemas/ids.ts'
import { readState } from '../../store/records.ts'
import { checkHooks } from './check.ts'
import { crash } from './crash.ts'
import type { Volume } from './load.ts'
import type { Victim } from './parts.ts'
import { createRandom } from './random.ts'
import { playRound, type Round, type Scene } from './round.ts'
import { Stage } from './stage.ts'

export type Plan = {
  readonly rounds: number
  readonly seed: number
  /** The processes that are killed, in turn. */
  readonly victims: readonly Victim[]
  readonly volume: Volume
  /** Whether to wait at the end until the service's own clocks have done their work. */
  readonly untilCaughtUp: boolean
  /** The factor by which time limits are extended on a machine that does other work. */
  readonly patience: number
  /** The webhook receiver refuses the first delivery of one in this many events; without it, none. */
  readonly refusesOneIn?: number | undefined
}

export type Reckoning = {
  readonly rounds: readonly Round[]
  /** Violations that belong to no single round. */
  readonly violations: readonly string[]
  /** How many blobs no message uses; they come from arrivals that a kill interrupted before their commit. */
  readonly unusedBlobs: number
  /** The last lines of the service's log, to investigate a violation. */
  readonly log: string
}

const twiceOneIn = 3
/** Enough time for the lock of a clock whose process died (jobs/clocks.ts) to end and for the lag of the sweep. */
const caughtUpWithinMs = 150_000
const toldWithinMs = 60_000
const logCharsMax = 20_000

export async function playRounds(plan: Plan, report: (round: Round, number: number) => void): Promise<Reckoning> {
  const random = createRandom(plan.seed)
  const stage = await Stage.open(random, plan)
  const rounds: Round[] = []
  try {
    for (let number = 0; number < plan.rounds; number++) {
      const victim = plan.victims[number % plan.victims.length]!
      const twice = random.below(twiceOneIn) === 0
      const disturb = () => crash(stage, { victim, twice, random })
      const round = await playRound(stage, { number, victim, disturb, volume: plan.volume, random, validates: true })
      rounds.push(round)
      report(round, number)
    }
    const violations = plan.untilCaughtUp ? await checkCaughtUp(stage) : []
    return {
      rounds,
      violations,
      unusedBlobs: await countUnusedBlobs(stage),
      log: stage.service.logs().slice(-logCharsMax),
    }
  } finally {
    await stage.close()
  }
}

/** Checks that the clocks still run after all rounds, and that every planned webhook delivery was made. */
export async function checkCaughtUp(stage: Pick<Scene, 'contextLater' | 'hooks'>): Promise<string[]> {
  const ctx = await stage.contextLater()
  const lastCrash = Date.now()
  const violations: string[] = []
  try {
    const waiting = () => ctx.store.deliveries.countDocuments({ state: { $ne: 'delivered' } })
    for (const end = Date.now() + toldWithinMs; (await waiting()) > 0 && Date.now() < end; await sleep(500)) {
      await attemptDueDeliveries(ctx)
    }
    if ((await waiting()) > 0) violations.push(`${await waiting()} webhooks were not told within ${toldWithinMs} ms`)
    violations.push(...(await checkHooks(ctx, stage.hooks.requests)))
    const swept = async () => timeOfId((await readState<string>(ctx.store, 'sweptMessages')) ?? '').getTime()
    const end = lastCrash + caughtUpWithinMs
    while ((await swept()) < lastCrash && Date.now() < end) await sleep(500)
    if ((await swept()) < lastCrash) violations.push(`the sweep of arrivals stood still for ${caughtUpWithinMs} ms`)
    return violations
  } finally {
    await closeContext(ctx)
  }
}

export async function countUnusedBlobs(stage: Pick<Scene, 'contextLater'>): Promise<number> {
  const ctx = await stage.contextLater()
  try {
    const [messages, emails] = await Promise.all([
      ctx.store.messages.find({}, { projection: { blob: 1 } }).toArray(),
      ctx.store.emails.find({}, { projection: { blob: 1 } }).toArray(),
    ])
    const used = new Set([...messages, ...emails].map(({ blob }) => `${blob.id}#0`))
    const blobs = await ctx.store.blobs.find({ _id: /#0$/ }, { projection: { _id: 1 } }).toArray()
    return blobs.filter(({ _id }) => !used.has(_id)).length
  } finally {
    await closeContext(ctx)
  }
}
