/**
 * `npm run crash -- nodes [--rounds 50] [--seed N] [--senders 20] [--faults]`: four nodes on one database over TCP, under load. In
 * each round some are killed with SIGKILL or stopped with SIGSTOP for longer than a lease, at random. A stopped node is continued,
 * or killed as it wakes. Two nodes have clocks that are 4 s apart. With `--faults` a proxy before the database also delays and cuts
 * connections, and answers like a primary that steps down.
 */
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { loadSettings } from '../../cli/settings.ts'
import { after, minuteMs } from '../../core/process/clock.ts'
import { type Context, closeContext, openContext } from '../../core/process/context.ts'
import { sweepReservations } from '../../core/upkeep/sweep.ts'
import { type DatabaseProxy, delayed, type Fault, startDatabaseProxy } from '../peers/database-proxy.ts'
import { freePort } from '../peers/free-port.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../peers/receivers.ts'
import { type Started, startEngine } from '../start/engine.ts'
import { type Service, startService } from '../start/service.ts'
import type { Crash, Kill } from './crash.ts'
import type { Place, Volume } from './load.ts'
import { killNow, processesOf } from './parts.ts'
import { createRandom, type Random } from './random.ts'
import { type Remote, startRemote } from './remote.ts'
import { playRound, type Round, type Scene } from './round.ts'
import { checkCaughtUp, countUnusedBlobs, type Reckoning } from './rounds.ts'

export type NodesPlan = {
  readonly rounds: number
  readonly seed: number
  readonly volume: Volume
  readonly patience: number
  /** The deployment to use; null: an engine of our own. */
  readonly url: string | null
  readonly faults: boolean
}

/** The parts of each node, and how far the clock of its machine is ahead. */
const nodes = [
  { only: 'api,jobs,smtp', aheadMs: 0 },
  { only: 'api,smtp', aheadMs: 2_000 },
  { only: 'jobs,smtp', aheadMs: -2_000 },
  { only: 'api,jobs', aheadMs: 0 },
] as const
const leaseSeconds = 5
/**
 * How long a node is stopped: longer than the lease of mail, and sometimes longer than any lease or lock. Before a node wakes, the
 * reservations in folders are treated as void, as they are after 30 s, so that a short stop has the effect of a long one.
 */
const stopMs = { short: (leaseSeconds + 1) * 1_000, long: 40_000, longOneIn: 24 } as const
const disturbancesMax = 3
const pauseMsMax = 800
/** One in this many writes fails. */
const faultOneIn = 100
const startTriesMax = 10
const logCharsMax = 20_000
const user = 'mailroom'

export async function playNodes(plan: NodesPlan, report: (round: Round, number: number) => void): Promise<Reckoning> {
  const random = createRandom(plan.seed)
  const cluster = await Cluster.open(plan, random)
  const rounds: Round[] = []
  try {
    for (let number = 0; number < plan.rounds; number++) {
      const told: string[] = []
      const disturb = () => cluster.disturb(told)
      const round = await playRound(cluster, {
        number,
        victim: 'nodes',
        disturb,
        volume: plan.volume,
        random,
        // The database survives all rounds, so it is validated once.
        validates: number === plan.rounds - 1,
      })
      rounds.push({ ...round, victim: told.join(', ') })
      report(rounds.at(-1)!, number)
    }
    return {
      rounds,
      violations: await checkCaughtUp(cluster),
      unusedBlobs: await countUnusedBlobs(cluster),
      log: cluster.logs().slice(-logCharsMax),
    }
  } finally {
    await cluster.close()
  }
}

/** The nodes and their database. Invariant: between two rounds all nodes run, and no work is waiting. */
class Cluster implements Scene {
  readonly remote: Remote
  readonly hooks: WebhookReceiver
  readonly patience: number
  readonly #random: Random
  readonly #folder: string
  readonly #env: Record<string, string>
  readonly #engine: Started | null
  readonly #proxy: DatabaseProxy | null
  readonly #url: string
  readonly #running: Service[] = []

  private constructor(
    made: Pick<Cluster, 'remote' | 'hooks' | 'patience'>,
    own: {
      random: Random
      folder: string
      env: Record<string, string>
      engine: Started | null
      proxy: DatabaseProxy | null
      url: string
    },
  ) {
    this.remote = made.remote
    this.hooks = made.hooks
    this.patience = made.patience
    this.#random = own.random
    this.#folder = own.folder
    this.#env = own.env
    this.#engine = own.engine
    this.#proxy = own.proxy
    this.#url = own.url
  }

  static async open(plan: NodesPlan, random: Random): Promise<Cluster> {
    const folder = await mkdtemp(path.join(tmpdir(), 'mailroom-nodes-'))
    const remote = await startRemote(random)
    const hooks = await startWebhookReceiver()
    const database = plan.url === null ? await engineOverTcp(folder, plan.faults ? random : null) : null
    const url = plan.url ?? database!.url
    const env = {
      MONGODB_URL: database?.proxied ?? url,
      MAILROOM_OUTBOUND_ROUTES: `{"remote.test": "127.0.0.1:${remote.port}"}`,
      MAILROOM_OUTBOUND_LEASE_SECONDS: String(leaseSeconds),
      MAILROOM_OUTBOUND_MESSAGE_SENT_DELAY_SECONDS: '1',
      MAILROOM_WEBHOOKS_ALLOW_PRIVATE: 'true',
      MAILROOM_LOG_LEVEL: 'warn',
    }
    const { engine = null, proxy = null } = database ?? {}
    const cluster = new Cluster({ remote, hooks, patience: plan.patience }, { random, folder, env, engine, proxy, url })
    try {
      // The other nodes use its master key.
      await cluster.#start(0)
      await Promise.all(nodes.slice(1).map((_, n) => cluster.#start(n + 1)))
      return cluster
    } catch (error) {
      await cluster.close()
      throw error
    }
  }

  /** The first node that serves HTTP. The checks reach the database by `url`. */
  get service() {
    return { ...this.#running[0]!, url: this.#url }
  }

  /** Returns random nodes that have the doors, even if they are down at the moment. */
  place(): Place {
    const one = (door: 'http' | 'smtp') => {
      const all = this.#running.filter((node) => node[door] !== null)
      return all[this.#random.below(all.length)]![door]
    }
    return { http: one('http'), smtp: one('smtp') }
  }

  logs(): string {
    return this.#running.map((node, n) => `node ${n}:\n${node.logs()}`).join('\n')
  }

  contextLater(): Promise<Context> {
    const env = { ...this.#env, MAILROOM_DATA: this.#data(0), MONGODB_URL: this.#url, MAILROOM_LOG_LEVEL: 'silent' }
    const settings = loadSettings({ file: null, env })
    return openContext({ settings, role: 'test', clock: { now: () => after(new Date(), minuteMs) } })
  }

  /** Kills and stops nodes at random. Resolves when all of them run again. */
  async disturb(told: string[]): Promise<Crash> {
    const kills: Kill[] = []
    const restarts: Promise<void>[] = []
    const busy = new Set<number>()
    for (let left = 1 + this.#random.below(disturbancesMax); left > 0; left--) {
      await sleep(this.#random.below(pauseMsMax))
      const n = this.#random.below(nodes.length)
      if (busy.has(n)) continue
      busy.add(n)
      restarts.push(this.#hurt(n, kills, told))
    }
    await Promise.all(restarts)
    const endedAt = Date.now()
    return { kills, endedAt, restartMs: endedAt - Math.max(...kills.map(({ at }) => at)), violations: [] }
  }

  async #hurt(n: number, kills: Kill[], told: string[]): Promise<void> {
    const note = () => kills.push({ victim: 'smtp', at: Date.now() })
    const way = ['kill', 'kill', 'stop', 'stop', 'stop and kill'][this.#random.below(5)]!
    const isLong = way !== 'kill' && this.#random.below(stopMs.longOneIn) === 0
    told.push(`${way}${isLong ? ' long' : ''} ${n}`)
    if (way !== 'kill') {
      const pids = processesOf(this.#data(n))
      note()
      for (const pid of pids) process.kill(pid, 'SIGSTOP')
      await sleep(isLong ? stopMs.long : stopMs.short)
      await this.#voidReservations()
      for (const pid of pids) process.kill(pid, 'SIGCONT')
      if (way === 'stop') return
      await sleep(this.#random.below(30))
    }
    note()
    for (const pid of processesOf(this.#data(n))) killNow(pid)
    await this.#running[n]!.stop()
    await this.#start(n)
  }

  async #voidReservations(): Promise<void> {
    const ctx = await this.contextLater()
    try {
      await sweepReservations(ctx)
    } finally {
      await closeContext(ctx)
    }
  }

  async #start(n: number): Promise<void> {
    const { only, aheadMs } = nodes[n]!
    const data = this.#data(n)
    await mkdir(path.join(data, 'secrets'), { recursive: true, mode: 0o700 })
    const key = path.join('secrets', 'master.key')
    if (n > 0) await copyFile(path.join(this.#data(0), key), path.join(data, key))
    const clock = fileURLToPath(new URL('../start/skewed-clock.js', import.meta.url))
    const env = { ...this.#env, NODE_OPTIONS: `--import=${clock}`, CLOCK_AHEAD_MS: String(aheadMs) }
    // As an operator would: if the database is unavailable at the start, the node is started again.
    for (let tries = 1; ; tries++) {
      try {
        this.#running[n] = await startService({ data, only, env })
        return
      } catch (error) {
        if (this.#proxy === null || tries === startTriesMax) throw error
      }
    }
  }

  #data(n: number): string {
    return path.join(this.#folder, `node${n}`)
  }

  async close(): Promise<void> {
    // A node that is still stopped, because a round failed, has to be continued before it can end.
    for (const n of nodes.keys()) for (const pid of processesOf(this.#data(n))) process.kill(pid, 'SIGCONT')
    await Promise.all(this.#running.map((node) => node.stop()))
    await Promise.all([this.remote.close(), this.hooks.close(), this.#proxy?.close(), this.#engine?.stop()])
    await rm(this.#folder, { recursive: true, force: true })
  }
}

/** Starts an engine that nodes log in to over TCP. With `random` a proxy in front of it fails now and then. */
export async function engineOverTcp(folder: string, random: Random | null) {
  const port = await freePort()
  const password = 'nodes'
  const file = path.join(folder, 'password')
  await writeFile(file, `${password}\n`, { mode: 0o600 })
  const login = ['--tcp', `127.0.0.1:${port}`, '--user', user, '--password-file', file]
  const engine = await startEngine({ args: login })
  const urlOf = (host: string) => `mongodb://${user}:${password}@${host}/mailroom?authSource=admin`
  const url = urlOf(`127.0.0.1:${port}`)
  if (random === null) return { engine, url, proxied: url, proxy: null }
  const proxy = await startDatabaseProxy({ host: '127.0.0.1', port })
  proxy.follow(() => (random.below(faultOneIn) === 0 ? faultOf(random) : null))
  return { engine, url, proxied: urlOf(proxy.host), proxy }
}

function faultOf(random: Random): Fault {
  const faults: readonly Fault[] = [
    delayed(random.below(500)),
    { kind: 'cut', done: false },
    { kind: 'cut', done: true },
    { kind: 'refuse', code: 10107, codeName: 'NotWritablePrimary' },
    { kind: 'refuse', code: 11602, codeName: 'InterruptedDueToReplStateChange' },
    { kind: 'writeConcern', code: 64, codeName: 'WriteConcernTimeout' },
  ]
  return faults[random.below(faults.length)]!
}
