import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import type { CommandStartedEvent } from 'mongodb'
import type { Principal } from '../../../core/access/principal.ts'
import { type RateState, takeAnonymous, takeRequest } from '../../../core/access/request-rates.ts'
import { minuteMs, periodsOf, secondMs } from '../../../core/process/clock.ts'
import { type Context, closeContext } from '../../../core/process/context.ts'
import { type AgentsPlanName, agentsPlans } from '../../../schemas/plans.ts'
import { eventually } from '../../eventually.ts'
import { openReadyDatabase, type ReadyDatabase } from '../../start/ready-database.ts'
import { contextOf } from '../../start/service.ts'

/** One of two processes on one database. */
type Node = 'a' | 'b'
type Step = {
  readonly on: Node
  /** The number of requests, made in parallel or (`inTurn`) one after the other. */
  readonly asks: number
  readonly inTurn?: true
  readonly from?: string
  readonly limit?: number
  readonly networkLimit?: number
  /** Seconds since the last step. */
  readonly later?: number
  /** Before the step, waits until this many requests have been leased. */
  readonly given?: number
  readonly allowed: number
}
const first = '192.0.2.1'

const cases: readonly (readonly [what: string, steps: readonly Step[]])[] = [
  ['one process, one after the other', [{ on: 'a', asks: 25, inTurn: true, allowed: 20 }]],
  ['one process, at once', [{ on: 'a', asks: 25, allowed: 20 }]],
  ['one process, far too many at once', [{ on: 'a', asks: 200, allowed: 20 }]],
  ['one process, exactly as many', [{ on: 'a', asks: 20, allowed: 20 }]],
  [
    'what one left, the other gets',
    [
      { on: 'a', asks: 10, allowed: 10 },
      { on: 'b', asks: 15, allowed: 10 },
    ],
  ],
  [
    'what one holds and does not use, the other gets',
    [
      { on: 'a', asks: 1, allowed: 1 },
      { on: 'b', asks: 25, allowed: 19 },
    ],
  ],
  [
    'the same, one after the other',
    [
      { on: 'a', asks: 3, inTurn: true, allowed: 3 },
      { on: 'b', asks: 25, inTurn: true, allowed: 17 },
    ],
  ],
  [
    'nothing is left after the other took all',
    [
      { on: 'a', asks: 20, allowed: 20 },
      { on: 'b', asks: 5, allowed: 0 },
    ],
  ],
  [
    'back and forth',
    [
      { on: 'a', asks: 4, allowed: 4 },
      { on: 'b', asks: 4, allowed: 4 },
      { on: 'a', asks: 4, allowed: 4 },
      { on: 'b', asks: 4, allowed: 4 },
      { on: 'a', asks: 3, allowed: 3 },
      { on: 'b', asks: 3, allowed: 1 },
      { on: 'a', asks: 3, allowed: 0 },
    ],
  ],
  [
    'who gave back may ask again',
    [
      { on: 'a', asks: 1, allowed: 1 },
      { on: 'b', asks: 15, allowed: 15 },
      { on: 'a', asks: 9, allowed: 4 },
    ],
  ],
  [
    'another address has its own',
    [
      { on: 'a', asks: 20, allowed: 20 },
      { on: 'a', asks: 21, from: '192.0.2.2', allowed: 20 },
    ],
  ],
  [
    'an IPv6 address too',
    [
      { on: 'a', asks: 21, from: '2001:db8::1', allowed: 20 },
      { on: 'b', asks: 21, from: '2001:db8::2', allowed: 20 },
    ],
  ],
  [
    'all invalid addresses count as one caller',
    [
      { on: 'a', asks: 15, from: '', allowed: 15 },
      { on: 'b', asks: 15, from: '', allowed: 5 },
    ],
  ],
  [
    'the network of both addresses',
    [
      { on: 'a', asks: 20, networkLimit: 25, allowed: 20 },
      { on: 'b', asks: 20, networkLimit: 25, from: '192.0.2.2', allowed: 5 },
      { on: 'a', asks: 5, networkLimit: 25, from: '192.0.2.3', allowed: 0 },
    ],
  ],
  [
    'the /64 of both addresses',
    [
      { on: 'a', asks: 20, networkLimit: 25, from: '2001:db8:0:1::1', allowed: 20 },
      { on: 'b', asks: 20, networkLimit: 25, from: '2001:db8:0:1:ffff::2', allowed: 5 },
      { on: 'b', asks: 20, networkLimit: 25, from: '2001:db8:0:2::1', allowed: 20 },
    ],
  ],
  [
    'the next minute begins anew, on both',
    [
      { on: 'a', asks: 21, allowed: 20 },
      { on: 'b', asks: 5, allowed: 0 },
      { on: 'b', asks: 21, later: 60, allowed: 20 },
      { on: 'a', asks: 5, allowed: 0 },
    ],
  ],
  [
    'the same minute does not',
    [
      { on: 'a', asks: 20, allowed: 20 },
      { on: 'a', asks: 5, later: 29, allowed: 0 },
      { on: 'b', asks: 5, later: 29, allowed: 0 },
    ],
  ],
  [
    'a limit that rises',
    [
      { on: 'a', asks: 21, allowed: 20 },
      { on: 'b', asks: 21, limit: 30, allowed: 10 },
      { on: 'a', asks: 21, limit: 30, allowed: 0 },
      { on: 'a', asks: 21, limit: 40, allowed: 10 },
    ],
  ],
  [
    'a limit that falls below what was used',
    [
      { on: 'a', asks: 12, allowed: 12 },
      { on: 'a', asks: 5, limit: 10, allowed: 0 },
      { on: 'b', asks: 5, limit: 10, allowed: 0 },
    ],
  ],
  [
    'a limit that falls, while the other holds something',
    [
      { on: 'a', asks: 1, allowed: 1 },
      { on: 'b', asks: 15, limit: 10, allowed: 9 },
      { on: 'a', asks: 5, limit: 10, allowed: 0 },
    ],
  ],
  [
    'a limit that falls, while this one holds something',
    [
      { on: 'a', asks: 12, allowed: 12 },
      { on: 'a', asks: 5, given: 14, limit: 10, allowed: 0 },
      { on: 'a', asks: 15, allowed: 8 },
    ],
  ],
  [
    'a limit that falls a little, while this one holds something',
    [
      { on: 'a', asks: 12, allowed: 12 },
      { on: 'a', asks: 5, given: 14, limit: 13, allowed: 1 },
      { on: 'b', asks: 5, limit: 13, allowed: 0 },
    ],
  ],
  [
    'a limit that falls and rises again',
    [
      { on: 'a', asks: 12, allowed: 12 },
      { on: 'a', asks: 5, limit: 10, allowed: 0 },
      { on: 'a', asks: 15, allowed: 8 },
    ],
  ],
  [
    'one in a minute',
    [
      { on: 'a', asks: 5, limit: 1, allowed: 1 },
      { on: 'b', asks: 5, limit: 1, allowed: 0 },
    ],
  ],
  [
    'two in a minute, one here and one there',
    [
      { on: 'a', asks: 1, limit: 2, allowed: 1 },
      { on: 'b', asks: 5, limit: 2, allowed: 1 },
    ],
  ],
]

describe('request rates', () => {
  let data: string
  let database: ReadyDatabase
  let nodes: { readonly [node in Node]: Context }
  let at = new Date()
  const commands: string[] = []

  const open = () => contextOf({ data, url: `${database.url}?monitorCommands=true` }, { now: () => at })
  before(async () => {
    data = await mkdtemp(path.join(tmpdir(), 'mailroom-rates-'))
    database = await openReadyDatabase()
    nodes = { a: await open(), b: await open() }
    // From its first request on, each process is notified of the other's.
    await Promise.all(Object.values(nodes).map((ctx) => takeAnonymous(ctx, '198.51.100.1')))
    nodes.a.store.db.client.on('commandStarted', ({ commandName, command }: CommandStartedEvent) => {
      if (command[commandName] === 'requestRates') commands.push(commandName)
    })
  })
  after(async () => {
    await Promise.all(Object.values(nodes ?? {}).map(closeContext))
    database?.release()
    await rm(data, { recursive: true, force: true })
  })
  /** Every case runs in its own minute. */
  beforeEach(() => {
    at = new Date(Math.ceil(at.getTime() / minuteMs) * minuteMs + minuteMs)
  })

  async function ask(ctx: Context, { asks, inTurn, from = first, limit = 20, networkLimit = 1_000 }: Step) {
    const { settings } = ctx
    const http = {
      ...settings.limits.http,
      requestsPerAddressPerMinute: limit,
      requestsPerNetworkPerMinute: networkLimit,
    }
    const limited = { ...ctx, settings: { ...settings, limits: { ...settings.limits, http } } }
    const one = () =>
      takeAnonymous(limited, from).then(
        () => 1,
        (error: { code?: string }) => {
          if (error.code !== 'rate_limited') throw error
          return 0
        },
      )
    let allowed = 0
    if (inTurn) for (let n = 0; n < asks; n++) allowed += await one()
    else for (const each of await Promise.all(Array.from({ length: asks }, one))) allowed += each
    return allowed
  }

  /** Makes requests like a client that retries, because a busy process may return its unused lease a little late. */
  async function askWell(step: Step): Promise<number> {
    let allowed = await ask(nodes[step.on], step)
    for (let tries = 0; tries < 10 && allowed < step.allowed; tries++) {
      at = new Date(at.getTime() + secondMs)
      allowed += await ask(nodes[step.on], { ...step, asks: step.asks - allowed })
    }
    return allowed
  }

  /** Whether `given` requests have been leased for a caller, and the leasing process has received its answer. */
  async function isGiven({ on, from = first, given }: Step): Promise<boolean> {
    const ctx = nodes[on]
    const doc = await ctx.store.requestRates.findOne({ _id: `${from} ${periodsOf(at).minute}` })
    await ask(ctx, { on, asks: 1, from: '203.0.113.1', limit: 1_000, allowed: 1 })
    return doc?.given === given
  }

  for (const [what, steps] of cases)
    it(`of two processes: ${what}`, async () => {
      const allowed: number[] = []
      for (const step of steps) {
        at = new Date(at.getTime() + (step.later ?? 0) * secondMs)
        if (step.given !== undefined) await eventually('that many are given out', () => isGiven(step))
        allowed.push(await askWell(step))
      }
      expect(allowed).to.deep.equal(steps.map((step) => step.allowed))
    })

  for (const [a, b] of [
    [50, 50],
    [25, 25],
    [1, 50],
    [50, 1],
    [10, 10],
    [7, 8],
  ] as const)
    it(`of two processes at once: ${a} and ${b}`, async () => {
      const [ofA, ofB] = await Promise.all([
        ask(nodes.a, { on: 'a', asks: a, allowed: 0 }),
        ask(nodes.b, { on: 'b', asks: b, allowed: 0 }),
      ])
      const all = Math.min(20, a + b)
      const rest = await askWell({ on: 'a', asks: a + b - ofA - ofB, allowed: all - ofA - ofB })
      expect(ofA + ofB + rest).to.equal(all)
    })

  it('a process that dies loses at most its lease', async () => {
    const dying = await open()
    expect(await ask(dying, { on: 'a', asks: 1, allowed: 1 })).to.equal(1)
    await closeContext(dying)
    // At most a quarter of the 20 is lost, and the one that was used.
    expect(await ask(nodes.b, { on: 'b', asks: 30, allowed: 0 })).to.be.within(15, 19)
  })

  /** The principal of a key with the given plan. */
  const keyOf = (agentsPlan: AgentsPlanName, keyId: string) =>
    ({ keyId, account: { plan: null, agentsPlan } }) as unknown as Principal

  /** The context of a process that loses the answer to its first lease, after the database has made it. */
  function losing(ctx: Context): Context {
    let isLost = false
    const requestRates = new Proxy(ctx.store.requestRates, {
      get(target, name) {
        const value = Reflect.get(target, name) as unknown
        if (typeof value !== 'function' || isLost || name !== 'findOneAndUpdate') return value
        return async (...given: unknown[]) => {
          isLost = true
          await value.apply(target, given)
          throw new Error('the connection was lost')
        }
      },
    })
    return { ...ctx, store: { ...ctx.store, requestRates } }
  }

  it('a lease whose answer is lost is lost too, and not leased again', async () => {
    const key = keyOf('free', 'key_lost')
    const ctx = losing(nodes.a)
    expect(await takeRequest(ctx, key).catch(({ message }: Error) => message)).to.equal('the connection was lost')
    const states = await Promise.all(Array.from({ length: 130 }, () => takeRequest(ctx, key)))
    // A quarter of the 120 is lost.
    expect(states.filter(({ refusal }) => refusal === null)).to.have.length(90)
    expect((await takeRequest(nodes.b, key)).refusal).to.not.equal(null)
  })

  for (const plan of ['free', 'developer', 'scale'] as const)
    it(`a key of the plan ${plan} has as many requests as the plan says, counted down, with few commands`, async () => {
      const { requestsPerMinute } = agentsPlans[plan]
      const key = keyOf(plan, `key_${plan}`)
      at = new Date(at.getTime() + 15 * secondMs)
      commands.length = 0
      for (let n = 1; n <= requestsPerMinute; n++) {
        const { limit, remaining, resetSeconds, refusal } = await takeRequest(nodes.a, key)
        expect([limit, remaining, resetSeconds, refusal]).to.deep.equal([
          requestsPerMinute,
          requestsPerMinute - n,
          45,
          null,
        ])
      }
      expect(commands.length).to.be.at.most({ free: 18, developer: 21, scale: 24 }[plan])
      const over = await takeRequest(nodes.a, key)
      expect(over).to.include({ limit: requestsPerMinute, remaining: 0, resetSeconds: 45 })
      expect(over.refusal).to.include({ code: 'rate_limited' })
      expect(over.refusal?.detail.retryAfter).to.equal(45)
      expect((await takeRequest(nodes.b, key)).refusal).to.not.equal(null)
    })

  it('the remaining number that a process reports converges to the true one, however many requests others take', async () => {
    const key = keyOf('free', 'key_remaining')
    const states: RateState[] = []
    for (let n = 0; n < 45; n++) states.push(await takeRequest(nodes.a, key), await takeRequest(nodes.b, key))
    for (const [n, { remaining, refusal }] of states.entries()) {
      expect(remaining).to.be.within(0, 119 - Math.floor(n / 2))
      expect(refusal).to.equal(null)
    }
  })
})
