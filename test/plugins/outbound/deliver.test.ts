/** Tests which server an attempt uses. */
import { expect } from 'chai'
import { MongoNetworkError } from 'mongodb'
import type { Attempt, Outcome } from '../../../core/deliver/attempt.ts'
import { deliver } from '../../../plugins/outbound/deliver.ts'
import { createPolicies } from '../../../plugins/outbound/tls-policy.ts'
import { Failure } from '../../../schemas/failures.ts'
import { newId } from '../../../schemas/ids.ts'
import { type Door, openDoor } from '../../start/door.ts'
import { stsNaming } from './sts-policies.ts'

const servers = ['mx1.remote.test', 'mx2.remote.test', 'mx3.remote.test']

describe('deliver', () => {
  let door: Door
  before(async () => {
    door = await openDoor()
  })
  after(() => door?.close())

  const attempt = (n: number): Attempt => ({
    id: 'em_1#0',
    token: 't',
    accountId: newId('acc', new Date()),
    emailId: 'em_1',
    n: 0,
    attempt: n,
    sender: 'a@us.test',
    recipient: 'b@remote.test',
    domain: 'remote.test',
    firstAttemptAt: new Date(),
    messageIdHeader: 'em_1@us.test',
    sizeBytes: 1,
    heldUntil: new Date(),
    readRaw: async () => Buffer.from('x'),
  })

  const network = {
    routes: {},
    isOurs: () => false,
    mayReach: () => true,
    hostAddresses: async () => [],
    resolver: {
      resolveMx: async () => servers.map((exchange, priority) => ({ exchange, priority })),
      resolve4: async (name: string) => [name],
      resolve6: async () => [],
    },
  }

  /** Makes attempt `n` while some servers are in backoff (`resting`, in seconds) and the domain's policy names `named`. */
  async function delivered(n: number, resting: { [server: string]: number } = {}, named: string[] | null = null) {
    const tried: string[] = []
    const outcome = await deliver(
      door.ctx,
      {
        network,
        policies: createPolicies(door.ctx, stsNaming(named)),
        carrier: {
          async send(_attempt, _raw, { route, policy: { tls } }): Promise<Outcome> {
            const at = new Date()
            const restSeconds = resting[route.name]
            if (restSeconds === undefined) tried.push(`${route.name} ${tls.kind}`)
            if (restSeconds === undefined)
              return { status: 'delivered', response: '250 ok', mx: route.name, tls: true, at }
            const pause = { untried: true, retryAfterSeconds: restSeconds }
            return { status: 'deferred', response: '451 left alone', mx: route.name, tls: false, at, ...pause }
          },
        },
      },
      attempt(n),
    )
    return { tried, outcome }
  }

  it('begins at another server with each attempt, and then begins again', async () => {
    const tried = await Promise.all([1, 2, 3, 4].map(async (n) => (await delivered(n)).tried))
    expect(tried.flat()).to.deep.equal([...servers, 'mx1.remote.test'].map((name) => `${name} opportunistic`))
  })

  it('skips a server that is in backoff', async () => {
    const { tried, outcome } = await delivered(1, { 'mx1.remote.test': 300 })
    expect(tried).to.deep.equal(['mx2.remote.test opportunistic'])
    expect(outcome).to.include({ status: 'delivered', mx: 'mx2.remote.test' })
    expect((await delivered(3, { 'mx3.remote.test': 300 })).tried).to.deep.equal(['mx1.remote.test opportunistic'])
  })

  it('waits for the shortest backoff if all servers are in backoff', async () => {
    const { tried, outcome } = await delivered(1, {
      'mx1.remote.test': 300,
      'mx2.remote.test': 20,
      'mx3.remote.test': 90,
    })
    expect(tried).to.deep.equal([])
    expect(outcome).to.include({ untried: true, mx: 'mx2.remote.test', retryAfterSeconds: 20 })
  })

  it('sends to no server that the policy of the domain does not name', async () => {
    const tried = await Promise.all([1, 2, 3].map(async (n) => (await delivered(n, {}, ['mx2.remote.test'])).tried))
    expect(tried.flat()).to.deep.equal(Array.from({ length: 3 }, () => 'mx2.remote.test verified'))
    expect((await delivered(2, {}, ['*.remote.test'])).tried).to.deep.equal(['mx2.remote.test verified'])
  })

  const unnamed = [
    ['other servers', ['mx.other.test']],
    ['a domain, which is no server of it', ['remote.test']],
    ['servers one label further down', ['*.test']],
  ] as const
  for (const [what, named] of unnamed)
    it(`sends to no server under a policy that names ${what}`, async () => {
      const { tried, outcome } = await delivered(1, {}, [...named])
      expect(tried).to.deep.equal([])
      expect(outcome).to.include({
        status: 'deferred',
        mx: null,
        response: '451 4.7.5 the MTA-STS policy of remote.test names none of its mail servers',
      })
      expect(outcome.untried).to.equal(undefined)
    })

  const away = new MongoNetworkError('the connection is gone')
  const troubles = [
    ['the database is away', away, true],
    ['the mail could not be stored because it is away', new Failure('unavailable', 'Later.', { cause: away }), true],
    ['the mail cannot be read', new Error('a fault'), undefined],
  ] as const
  for (const [what, error, untried] of troubles)
    it(`is ${untried ? 'no' : 'an'} attempt when ${what}`, async () => {
      const policies = createPolicies(door.ctx, stsNaming(null))
      const carrier = { send: () => Promise.reject(new Error('never reached')) }
      const readRaw = () => Promise.reject(error)
      const outcome = await deliver(door.ctx, { network, policies, carrier }, { ...attempt(1), readRaw })
      expect(outcome).to.include({ status: 'deferred', response: '451 4.3.0 local error' })
      expect(outcome.untried).to.equal(untried)
    })
})
