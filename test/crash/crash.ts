/** Kills one process of the service and sees it come back, or everything end and start again. */
import { setTimeout as sleep } from 'node:timers/promises'
import { findPart, goneWithin, killNow, listens, nextPart, processesOf, type Victim } from './parts.ts'
import type { Random } from './random.ts'
import type { Stage } from './stage.ts'

export type Kill = { readonly victim: Victim; readonly at: number }
export type Crash = {
  readonly kills: readonly Kill[]
  /** From here on nobody is left of the processes that were meant. */
  readonly endedAt: number
  /** From the last kill until /readyz answers 200. */
  readonly restartMs: number
  readonly violations: readonly string[]
}

/** A part starts again after a pause of at most 10 s (cli/supervisor.ts), on a machine that is busy. */
const restartMsMax = 30_000
/** Without its supervisor everything ends by itself; without its starter it stops in order (decisions.md 5: 20 s). */
const goneMsMax = { supervisor: 8_000, starter: 22_000 } as const
/** A part that was killed is known to be down after the first, and not yet up again before the second. */
const downMs = { from: 100, until: 200 } as const
const againMsMax = 800
const askEveryMs = 20

/** `twice`: once more while it is starting again. */
export async function crash(
  stage: Stage,
  { victim, twice, random }: { victim: Victim; twice: boolean; random: Random },
): Promise<Crash> {
  return victim === 'supervisor' || victim === 'starter'
    ? crashAll(stage, { victim, twice, random })
    : crashPart(stage, { victim, twice, random })
}

type Doing = { readonly twice: boolean; readonly random: Random }

async function crashPart(
  stage: Stage,
  { victim, twice, random }: { victim: 'engine' | 'smtp' | 'service' } & Doing,
): Promise<Crash> {
  const { folder, service } = stage
  const first = kill(folder, victim)
  const kills = [first.kill]
  if (twice) {
    const pid = await nextPart(folder, victim, first.pid, restartMsMax)
    await sleep(random.below(againMsMax))
    if (killNow(pid)) kills.push({ victim, at: Date.now() })
  }
  const { at } = kills.at(-1)!
  const answers: Readiness[] = []
  const asking: Promise<void>[] = []
  const isUp = () => answers.some(({ askedAt, status }) => status === 200 && askedAt > at + downMs.until)
  while (!isUp() && Date.now() < at + restartMsMax) {
    asking.push(readiness(service.http).then((answer) => void answers.push(answer)))
    await sleep(askEveryMs)
  }
  await Promise.all(asking)
  return { kills, endedAt: at, ...judge(answers, { victim, at }) }
}

type Readiness = { readonly askedAt: number; readonly answeredAt: number; readonly status: number }

/** One question; status 0 is no answer. */
async function readiness(http: string): Promise<Readiness> {
  const askedAt = Date.now()
  const status = await fetch(`${http}/readyz`, { signal: AbortSignal.timeout(restartMsMax) }).then(
    async (response) => {
      await response.text()
      return response.status
    },
    () => 0,
  )
  return { askedAt, answeredAt: Date.now(), status }
}

function judge(answers: readonly Readiness[], { victim, at }: Kill): Omit<Crash, 'kills' | 'endedAt'> {
  const up = answers.filter(({ askedAt, status }) => status === 200 && askedAt > at + downMs.until)
  const restartMs = Math.min(...up.map(({ answeredAt }) => answeredAt)) - at
  const whileDown = answers.filter(({ askedAt }) => askedAt > at + downMs.from && askedAt < at + downMs.until)
  const wrong = whileDown.filter(({ status }) => status !== (victim === 'service' ? 0 : 503))
  const violations = []
  if (up.length === 0) violations.push(`${victim} was not up again within ${restartMsMax} ms`)
  for (const { askedAt, status } of wrong)
    violations.push(`/readyz said ${status} when asked ${askedAt - at} ms after ${victim} was killed`)
  return { restartMs, violations }
}

async function crashAll(
  stage: Stage,
  { victim, twice, random }: { victim: 'supervisor' | 'starter' } & Doing,
): Promise<Crash> {
  const { folder, service } = stage
  const violations: string[] = []
  const kills = [kill(folder, victim).kill]
  violations.push(...(await allGone(folder, victim)))
  for (const address of [service.smtp, service.http])
    if (await listens(address)) violations.push(`somebody still listens on ${address} after ${victim} was killed`)
  if (twice) {
    const starting = stage.start().then(
      () => true,
      () => false,
    )
    const pid = await nextPart(folder, victim, 0, restartMsMax)
    await sleep(random.below(2 * againMsMax))
    if (killNow(pid)) kills.push({ victim, at: Date.now() })
    await starting
    violations.push(...(await allGone(folder, victim)))
  }
  const { at } = kills.at(-1)!
  const endedAt = Date.now()
  await stage.start()
  return { kills, endedAt, restartMs: Date.now() - at, violations }
}

/** Nobody may be left; who is, is killed, so that the next start finds the folder free. */
async function allGone(folder: string, victim: 'supervisor' | 'starter'): Promise<string[]> {
  await goneWithin(folder, goneMsMax[victim])
  const left = processesOf(folder).map(String)
  const names = (['engine', 'smtp', 'service', 'supervisor', 'starter'] as const).filter(
    (name) => findPart(folder, name) !== null,
  )
  for (const pid of left) killNow(Number(pid))
  return left.length === 0
    ? []
    : [`${goneMsMax[victim]} ms after ${victim} was killed there still is: ${names.join(', ')}`]
}

function kill(folder: string, victim: Victim): { pid: number; kill: Kill } {
  const pid = findPart(folder, victim)
  if (pid === null || !killNow(pid)) throw new Error(`There is no ${victim} to be killed.`)
  return { pid, kill: { victim, at: Date.now() } }
}
