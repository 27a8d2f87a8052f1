/**
 * Kills one process of the service. Then waits until it runs again; or until all processes have ended, and starts the
 * service.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { findPart, goneWithin, killNow, listens, nextPart, processesOf, type Victim } from './parts.ts'
import type { Random } from './random.ts'
import type { Stage } from './stage.ts'

export type Kill = { readonly victim: Victim; readonly at: number }
export type Crash = {
  readonly kills: readonly Kill[]
  /** The time from which on none of the killed processes exists. */
  readonly endedAt: number
  /** The time from the last kill until /readyz answers 200. */
  readonly restartMs: number
  readonly violations: readonly string[]
}

/** A part starts again after a pause of at most 10 s (cli/supervisor.ts). What is bound here may take `patience` times as long. */
const restartMsMax = 30_000
/**
 * Without its supervisor the service ends by itself; without the process that started it, it stops in order (decisions.md 5:
 * 20 s).
 */
const goneMsMax = { supervisor: 8_000, starter: 22_000 } as const
/** A part that was killed is known to be down within this. */
const knownDownMs = 2_000
const againMsMax = 800
const askEveryMs = 20

/** `twice`: the process is killed once more while it starts again. */
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
  const { folder } = stage
  const first = kill(folder, victim)
  const kills = [first.kill]
  if (twice) {
    const pid = await nextPart(folder, victim, first.pid, restartMsMax * stage.patience)
    await sleep(random.below(againMsMax))
    if (killNow(pid)) kills.push({ victim, at: Date.now() })
  }
  const { at } = kills.at(-1)!
  const answers: Readiness[] = []
  const asking: Promise<void>[] = []
  const isUp = () => upAgain(answers, victim) !== null
  while (!isUp() && Date.now() < at + restartMsMax * stage.patience) {
    asking.push(readiness(stage).then((answer) => void answers.push(answer)))
    await sleep(askEveryMs)
  }
  await Promise.all(asking)
  return { kills, endedAt: at, ...judge(stage, answers, { victim, at }) }
}

type Readiness = { readonly askedAt: number; readonly answeredAt: number; readonly status: number }

/** One question; status 0 is no answer. */
async function readiness({ service: { http }, patience }: Stage): Promise<Readiness> {
  const askedAt = Date.now()
  const status = await fetch(`${http}/readyz`, { signal: AbortSignal.timeout(restartMsMax * patience) }).then(
    async (response) => {
      await response.text()
      return response.status
    },
    () => 0,
  )
  return { askedAt, answeredAt: Date.now(), status }
}

/** What /readyz answers while a part is down; there is no answer if that part is the service, which serves /readyz. */
const downStatus = (victim: Kill['victim']) => (victim === 'service' ? 0 : 503)

/** The first answer that reports the part as down; null while there is none. */
function toldDown(answers: readonly Readiness[], victim: Kill['victim']): Readiness | null {
  return answers.toSorted((a, b) => a.askedAt - b.askedAt).find(({ status }) => status === downStatus(victim)) ?? null
}

/** The first later answer that reports the part as up; null while there is none. */
function upAgain(answers: readonly Readiness[], victim: Kill['victim']): Readiness | null {
  const down = toldDown(answers, victim)
  if (down === null) return null
  const later = answers.filter(({ askedAt, status }) => status === 200 && askedAt > down.askedAt)
  return later.toSorted((a, b) => a.answeredAt - b.answeredAt)[0] ?? null
}

function judge(
  { patience }: Stage,
  answers: readonly Readiness[],
  { victim, at }: Kill,
): Omit<Crash, 'kills' | 'endedAt'> {
  const [downMs, upMs] = [knownDownMs * patience, restartMsMax * patience]
  const [down, up] = [toldDown(answers, victim), upAgain(answers, victim)]
  const violations = []
  if (down === null || down.askedAt > at + downMs)
    violations.push(`/readyz did not say within ${downMs} ms that ${victim} was killed`)
  if (up === null) violations.push(`${victim} was not up again within ${upMs} ms`)
  return { restartMs: (up?.answeredAt ?? at + upMs) - at, violations }
}

async function crashAll(
  stage: Stage,
  { victim, twice, random }: { victim: 'supervisor' | 'starter' } & Doing,
): Promise<Crash> {
  const { folder, service } = stage
  const violations: string[] = []
  const kills = [kill(folder, victim).kill]
  violations.push(...(await allGone(stage, victim)))
  for (const address of [service.smtp, service.http])
    if (await listens(address)) violations.push(`somebody still listens on ${address} after ${victim} was killed`)
  if (twice) {
    const starting = stage.start().then(
      () => true,
      () => false,
    )
    const pid = await nextPart(folder, victim, 0, restartMsMax * stage.patience)
    await sleep(random.below(2 * againMsMax))
    if (killNow(pid)) kills.push({ victim, at: Date.now() })
    await starting
    violations.push(...(await allGone(stage, victim)))
  }
  const { at } = kills.at(-1)!
  const endedAt = Date.now()
  await stage.start()
  return { kills, endedAt, restartMs: Date.now() - at, violations }
}

/** No process may be left. Those that are, are killed, so that the next start finds the folder free. */
async function allGone({ folder, patience }: Stage, victim: 'supervisor' | 'starter'): Promise<string[]> {
  const goneMs = goneMsMax[victim] * patience
  await goneWithin(folder, goneMs)
  const left = processesOf(folder).map(String)
  const names = (['engine', 'smtp', 'service', 'supervisor', 'starter'] as const).filter(
    (name) => findPart(folder, name) !== null,
  )
  for (const pid of left) killNow(Number(pid))
  return left.length === 0 ? [] : [`${goneMs} ms after ${victim} was killed there still is: ${names.join(', ')}`]
}

function kill(folder: string, victim: Victim): { pid: number; kill: Kill } {
  const pid = findPart(folder, victim)
  if (pid === null || !killNow(pid)) throw new Error(`There is no ${victim} to be killed.`)
  return { pid, kill: { victim, at: Date.now() } }
}
