import { expect } from 'chai'
import { createStsPolicies } from '../../../core/deliver/mta-sts.ts'
import { dayMs, hourMs } from '../../../core/process/clock.ts'
import { type Door, openDoor } from '../../start/door.ts'

type Mode = 'enforce' | 'testing' | 'none'
type Policy = { readonly mode: Mode; readonly mx?: string[]; readonly maxAge: number }

const policy = (more: Partial<Policy> = {}): Policy => ({
  mode: 'enforce',
  mx: ['mx.a.test'],
  maxAge: 604_800,
  ...more,
})
const longerThanFresh = hourMs

describe('MTA-STS policies', () => {
  let door: Door
  let tests = 0

  before(async () => {
    door = await openDoor()
  })
  after(() => door?.close())

  /** Sets up a domain with a policy, and what its DNS and its policy host answer from now on. */
  function domainWith(published: Policy) {
    const domain = `d${tests++}.test`
    const world = { id: '1' as string | false | Error, policy: published as Policy | Error, fetches: 0, asked: 0 }
    const answers = {
      resolvePolicy: async () => {
        world.asked += 1
        if (world.id instanceof Error) throw world.id
        return world.id
      },
      fetchPolicy: async () => {
        world.fetches += 1
        if (world.policy instanceof Error) throw world.policy
        return { version: 'STSv1', ...world.policy }
      },
    }
    const start = () => createStsPolicies(door.ctx, answers)
    return { domain, world, start }
  }

  const troubles: readonly (readonly [string, (world: ReturnType<typeof domainWith>['world']) => void])[] = [
    ['its record is gone', (world) => Object.assign(world, { id: false })],
    ['its DNS does not answer', (world) => Object.assign(world, { id: new Error('SERVFAIL') })],
    ['its host cannot be reached', (world) => Object.assign(world, { id: '2', policy: new Error('refused') })],
  ]
  for (const [trouble, begin] of troubles)
    it(`a fetched one applies after a restart until it expires, although ${trouble}`, async () => {
      const { domain, world, start } = domainWith(policy())
      expect(await start().enforced(domain)).to.deep.equal(['mx.a.test'])
      begin(world)
      expect(await start().enforced(domain)).to.deep.equal(['mx.a.test'])
      door.advance(6 * dayMs)
      expect(await start().enforced(domain)).to.deep.equal(['mx.a.test'])
      door.advance(dayMs)
      expect(await start().enforced(domain)).to.equal(null)
    })

  it('are fetched again after a day, not sooner, which extends their expiry', async () => {
    const { domain, world, start } = domainWith(policy())
    const policies = start()
    await policies.enforced(domain)
    door.advance(longerThanFresh)
    await policies.enforced(domain)
    expect(world.fetches).to.equal(1)
    door.advance(dayMs)
    await policies.enforced(domain)
    expect(world.fetches).to.equal(2)
    world.policy = new Error('refused')
    door.advance(6 * dayMs)
    expect(await start().enforced(domain)).to.deep.equal(['mx.a.test'])
  })

  it('are replaced as soon as their record names a new one', async () => {
    const { domain, world, start } = domainWith(policy())
    const policies = start()
    await policies.enforced(domain)
    Object.assign(world, { id: '2', policy: policy({ mx: ['*.b.test'] }) })
    door.advance(longerThanFresh)
    expect(await policies.enforced(domain)).to.deep.equal(['*.b.test'])
    Object.assign(world, { id: '3', policy: policy({ mode: 'none', mx: [] }) })
    door.advance(longerThanFresh)
    expect(await policies.enforced(domain)).to.equal(null)
    expect(await start().enforced(domain)).to.equal(null)
  })

  it('require nothing in testing mode', async () => {
    const { domain, start } = domainWith(policy({ mode: 'testing' }))
    expect(await start().enforced(domain)).to.equal(null)
  })

  it('are looked up only once in a while, however much mail there is, and whether or not one exists', async () => {
    const { domain, world, start } = domainWith(policy())
    world.id = false
    const policies = start()
    await Promise.all(Array.from({ length: 20 }, () => policies.enforced(domain)))
    await policies.enforced(domain)
    expect(world.asked).to.equal(1)
  })
})
