import { expect } from 'chai'
import { recordAudit } from '../../../core/access/audit.ts'
import { limitLogins, type Visitor, watchLogins } from '../../../core/access/login-limits.ts'
import { minuteMs } from '../../../core/process/clock.ts'
import { type Context, closeContext } from '../../../core/process/context.ts'
import { Failure, type FailureOfOneCause } from '../../../schemas/failures.ts'
import type { AuditDoc, AuditPersonal } from '../../../store/documents/accounts.ts'
import { changedSettings } from '../../default-settings.ts'
import { eventually } from '../../eventually.ts'
import { type Door, makeTenant, openDoor, type Tenant } from '../../start/door.ts'
import { contextOf } from '../../start/service.ts'

describe('failed logins', () => {
  let door: Door
  let tenant: Tenant
  let ctx: Context

  /** The context with its settings, but without the delay after failed logins. */
  const hurried = (opened: Context): Context => ({
    ...opened,
    settings: changedSettings(opened.settings, { limits: { logins: { slowMs: 0 } } }),
  })

  before(async () => {
    door = await openDoor()
    tenant = await makeTenant(door, { name: 'tenant' })
    ctx = hurried(door.ctx)
  })
  after(() => door?.close())
  /** Each test starts after all earlier counts have expired. */
  beforeEach(() => door.advance(16 * minuteMs))

  type Who = { readonly from: string; readonly user?: string }
  const visitor = ({ from, user = '' }: Who): Visitor => ({ peerAddress: from, user: user === '' ? null : user })

  /** Logs in `times` times in parallel with a wrong password. Returns how many got that answer; the others were refused. */
  async function fail(
    who: Who,
    { times = 1, as = 'invalid_api_key' as FailureOfOneCause, at = ctx } = {},
  ): Promise<number> {
    const codes = await Promise.all(
      Array.from({ length: times }, () =>
        limitLogins(at, visitor(who), () => Promise.reject(new Failure(as))).catch((error: Failure) => error.code),
      ),
    )
    expect(codes.filter((code) => code !== as && code !== 'rate_limited')).to.deep.equal([])
    return codes.filter((code) => code === as).length
  }
  const succeeds = (who: Who, at = ctx): Promise<boolean> =>
    limitLogins(at, visitor(who), async () => true).catch((error: Failure) => {
      expect(error.code).to.equal('rate_limited')
      return false
    })

  const ada = 'ada@tenant.example'
  const bob = 'bob@tenant.example'
  const cases: readonly (readonly [string, Who, Who, boolean])[] = [
    ['its address', { from: '192.0.2.1' }, { from: '192.0.2.1' }, true],
    ['its address, written as one of IPv6', { from: '192.0.2.1' }, { from: '::ffff:192.0.2.1' }, true],
    ['this machine’s address', { from: '127.0.0.1' }, { from: '127.0.0.1' }, true],
    ['its address, by a name', { from: '192.0.2.1' }, { from: '192.0.2.1', user: ada }, true],
    ['its address, without a name', { from: '192.0.2.1', user: ada }, { from: '192.0.2.1' }, true],
    ['its address, by another name', { from: '192.0.2.1', user: ada }, { from: '192.0.2.1', user: bob }, true],
    ['an unknown address', { from: '' }, { from: 'nonsense' }, true],
    ['its IPv6 address', { from: '2001:db8::1' }, { from: '2001:db8:0:0::1' }, true],
    ['another address of its /64', { from: '2001:db8::1' }, { from: '2001:db8::ffff:1' }, true],
    ['its name from its network', { from: '192.0.2.1', user: ada }, { from: '192.0.2.2', user: ada }, true],
    [
      'its name in another case',
      { from: '192.0.2.1', user: ada },
      { from: '192.0.2.2', user: 'ADA@Tenant.example' },
      true,
    ],
    [
      'its name with a tag',
      { from: '192.0.2.1', user: ada },
      { from: '192.0.2.2', user: 'ada+x@tenant.example' },
      true,
    ],
    [
      'its name in the other form of the domain',
      { from: '192.0.2.1', user: 'ada@bücher.example' },
      { from: '192.0.2.2', user: 'ada@xn--bcher-kva.example' },
      true,
    ],
    ['an unknown name', { from: '192.0.2.1', user: 'x@y.example' }, { from: '192.0.2.2', user: 'x@y.example' }, true],
    ['another address of its /24', { from: '192.0.2.1' }, { from: '192.0.2.2' }, false],
    ['another name from its /24', { from: '192.0.2.1', user: ada }, { from: '192.0.2.2', user: bob }, false],
    ['its name from another network', { from: '192.0.2.1', user: ada }, { from: '198.51.100.1', user: ada }, false],
    ['its name from another /64', { from: '2001:db8::1', user: ada }, { from: '2001:db8:0:1::1', user: ada }, false],
    ['another /64 of its /48', { from: '2001:db8::1' }, { from: '2001:db8:0:1::1' }, false],
    ['an invalid name from its /24', { from: '192.0.2.1', user: 'ada' }, { from: '192.0.2.2', user: 'ada' }, false],
    ['an address that looks alike', { from: '192.0.2.1' }, { from: '192.0.2.11' }, false],
    ['IPv6 beside IPv4', { from: '192.0.2.1' }, { from: '2001:db8::192:0:2:1' }, false],
  ]
  for (const [name, first, second, isRefused] of cases)
    it(`thirty ${isRefused ? '' : 'do not '}close ${name}`, async () => {
      expect(await fail(first, { times: 29 })).to.equal(29)
      expect(await succeeds(second)).to.equal(true)
      expect(await fail(first, { times: 2 })).to.equal(1)
      expect(await succeeds(second)).to.equal(!isRefused)
    })

  for (const code of ['account_suspended', 'insufficient_scope', 'unavailable', 'missing_api_key'] as const)
    it(`${code} does not count as one`, async () => {
      expect(await fail({ from: '192.0.2.1' }, { times: 50, as: code })).to.equal(50)
      expect(await succeeds({ from: '192.0.2.1' })).to.equal(true)
    })

  it('a hundred close a network, from however many addresses', async () => {
    for (const host of [1, 2, 3, 4]) expect(await fail({ from: `192.0.2.${host}` }, { times: 25 })).to.equal(25)
    expect(await succeeds({ from: '192.0.2.5' })).to.equal(false)
    expect(await succeeds({ from: '192.0.3.5' })).to.equal(true)
  })

  it('from many networks never lock a user out', async () => {
    for (let network = 1; network <= 40; network++) await fail({ from: `10.0.${network}.1`, user: ada }, { times: 5 })
    expect(await succeeds({ from: '192.0.2.1', user: ada })).to.equal(true)
  })

  it('from many networks delay the next one', async () => {
    const { slowAfter, slowMs } = door.ctx.settings.limits.logins
    for (let n = 0; n < slowAfter; n++) await fail({ from: `10.0.${n}.1`, user: ada })
    const askedAt = performance.now()
    expect(await succeeds({ from: '192.0.2.1', user: ada }, door.ctx)).to.equal(true)
    expect(performance.now() - askedAt).to.be.at.least(slowMs - 1)
  })

  it('in parallel are limited as in sequence, and successful logins are all admitted', async () => {
    let checks = 0
    const who = visitor({ from: '192.0.2.1' })
    const wrong = async () => {
      checks += 1
      await new Promise((resolve) => setImmediate(resolve))
      throw new Failure('invalid_api_key')
    }
    await Promise.allSettled(Array.from({ length: 200 }, () => limitLogins(ctx, who, wrong)))
    expect(checks).to.equal(30)
    const right = Array.from({ length: 200 }, () => succeeds({ from: '192.0.3.1' }))
    expect((await Promise.all(right)).filter((isIn) => isIn)).to.have.length(200)
  })

  it('are forgotten ten minutes after the first; a refusal ends after fifteen', async () => {
    const from = '192.0.2.1'
    expect(await fail({ from }, { times: 29 })).to.equal(29)
    door.advance(10 * minuteMs)
    expect(await fail({ from }, { times: 31 })).to.equal(30)
    door.advance(10 * minuteMs)
    expect(await succeeds({ from })).to.equal(false)
    door.advance(5 * minuteMs)
    expect(await succeeds({ from })).to.equal(true)
  })

  it('say when to try again', async () => {
    await fail({ from: '192.0.2.1' }, { times: 30 })
    const refused = await limitLogins(ctx, visitor({ from: '192.0.2.1' }), async () => null).catch(
      (error: unknown) => error,
    )
    expect(refused).to.be.instanceOf(Failure)
    expect((refused as Failure).detail.retryAfter).to.be.within(14 * 60, 15 * 60)
  })

  describe('in the database', () => {
    const counted = async (caller: string) => (await ctx.store.failedLogins.findOne({ _id: caller }))?.count ?? 0

    it('are counted only until the caller is refused', async () => {
      await fail({ from: '192.0.2.1' }, { times: 500 })
      expect(await counted('192.0.2.1')).to.equal(30)
    })

    it('are not recorded for a successful login, which causes no command', async () => {
      const store = new Proxy(ctx.store, {
        get(_, name) {
          throw new Error(`The database was asked for ${String(name)}.`)
        },
      })
      expect(await succeeds({ from: '192.0.2.1', user: ada }, { ...ctx, store })).to.equal(true)
    })

    it('are counted for all processes, which are notified of refusals by others', async () => {
      const url = ctx.settings.mongodbUrl ?? ''
      const other = hurried(await contextOf({ data: ctx.settings.data, url }, ctx.clock))
      try {
        watchLogins(other)
        await fail({ from: '192.0.2.1' }, { times: 20 })
        expect(await fail({ from: '192.0.2.1' }, { times: 9, at: other })).to.equal(9)
        expect(await counted('192.0.2.1')).to.equal(29)
        expect(await fail({ from: '192.0.2.1' })).to.equal(1)
        await eventually('the other process refuses', async () => !(await succeeds({ from: '192.0.2.1' }, other)))
      } finally {
        await closeContext(other)
      }
    })

    it('are noticed by a process that was not notified, after one more', async () => {
      await fail({ from: '192.0.2.1' }, { times: 30 })
      const url = ctx.settings.mongodbUrl ?? ''
      const late = hurried(await contextOf({ data: ctx.settings.data, url }, ctx.clock))
      try {
        expect(await fail({ from: '192.0.2.1' }, { at: late })).to.equal(1)
        expect(await succeeds({ from: '192.0.2.1' }, late)).to.equal(false)
      } finally {
        await closeContext(late)
      }
    })
  })

  describe('in the audit of the account', () => {
    /** The entries about logins since the last marker, oldest first. */
    async function entries(): Promise<readonly (Pick<AuditDoc, 'action' | 'outcome'> & Partial<AuditPersonal>)[]> {
      const { accountId } = tenant
      const all = await ctx.store.audit.find({ accountId }).sort({ accountId: 1, seq: 1 }).toArray()
      const from = all.findLastIndex(({ action }) => action === 'marker')
      return all.slice(from + 1).map(({ action, outcome, personal }) => ({ action, outcome, ...personal }))
    }
    beforeEach(() =>
      recordAudit(ctx, {
        accountId: tenant.accountId,
        keyId: null,
        action: 'marker',
        target: null,
        outcome: '',
        address: null,
      }),
    )

    it('are recorded once for each network, and again when it is refused', async () => {
      for (const from of ['192.0.2.1', '192.0.2.2', '198.51.100.1'])
        await fail({ from, user: tenant.address }, { times: 5 })
      await fail({ from: '192.0.2.3', user: tenant.address }, { times: 50 })
      const entry = { action: 'login', target: tenant.address }
      const told = await eventually('three entries', async () => {
        const found = await entries()
        return found.length >= 3 ? found : null
      })
      expect(told).to.have.deep.members([
        { ...entry, outcome: 'invalid_api_key', address: '192.0.2.1' },
        { ...entry, outcome: 'invalid_api_key', address: '198.51.100.1' },
        { ...entry, outcome: 'rate_limited', address: '192.0.2.3' },
      ])
    })

    it('are not recorded for names that are not mailboxes here', async () => {
      await fail({ from: '192.0.2.1', user: 'nobody@tenant.example' }, { times: 5 })
      await fail({ from: '192.0.2.1', user: tenant.address })
      await eventually('an entry', async () => (await entries()).length > 0)
      expect((await entries()).map(({ target }) => target)).to.deep.equal([tenant.address])
    })
  })
})
