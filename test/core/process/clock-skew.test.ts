import { expect } from 'chai'
import { claimAttemptsOf, isHeld } from '../../../core/deliver/outbox.ts'
import { warnFromMs } from '../../../core/process/clock-skew.ts'
import { sweepArrivals } from '../../../core/upkeep/sweep.ts'
import { eventually } from '../../eventually.ts'
import { client, mailboxPath } from '../../peers/rest.ts'
import { type Door, deliver, openTenant, type Tenant } from '../../start/door.ts'

describe('nodes whose clocks differ', () => {
  let door: Door
  let tenant: Tenant
  let ahead: Awaited<ReturnType<Door['another']>>
  let behind: Awaited<ReturnType<Door['another']>>
  const machines = { ahead: 2_000, behind: -2_000 }

  before(async () => {
    ;({ door, tenant } = await openTenant())
    ahead = await door.another({ aheadMs: () => machines.ahead })
    behind = await door.another({ aheadMs: () => machines.behind })
    await Promise.all([ahead, behind].map(({ ctx }) => ctx.skew.watch()))
  })
  after(async () => {
    await ahead?.close()
    await behind?.close()
    await door?.close()
  })

  const arrive = (node: Pick<Door, 'ctx'>, n: number) =>
    deliver(node.ctx, {
      to: tenant.address,
      raw: `From: a@remote.example\nSubject: ${n}\nMessage-ID: <${n}@remote.example>\n\nHi`,
    })
  const listed = async ({ http }: Pick<Door, 'http'>) => {
    type Listing = { readonly messages: readonly { readonly message_id: string; readonly subject: string }[] }
    return (await client(http, tenant.key)<Listing>('GET', `${mailboxPath(tenant.address)}/messages`)).body.messages
  }
  const send = ({ http }: Pick<Door, 'http'>, to: string) =>
    client(http, tenant.key)<{ id: string }>('POST', `${mailboxPath(tenant.address)}/send`, {
      to,
      subject: 'Out',
      text: 'Hi',
    })

  it('4 s apart: ids are in the order in which mail arrived, whichever node received it, and each node lists it at once', async () => {
    const ids: string[] = []
    for (let n = 0; n < 6; n++) {
      ids.push(await arrive(n % 2 === 0 ? ahead : behind, n))
      expect((await listed(n % 2 === 0 ? behind : ahead)).map(({ message_id }) => message_id)).to.deep.equal(
        ids.toReversed(),
      )
    }
    expect(ids).to.deep.equal(ids.toSorted())
  })

  it('4 s apart: a lease lasts as long for the other node as for its own', async () => {
    Object.assign(behind.ctx.settings.outbound, { leaseSeconds: 3 })
    const sent = await send(ahead, 'someone@elsewhere.example')
    expect(sent.status).to.equal(202)
    await ahead.ctx.background.done(tenant.accountId)
    const claim = { owner: 'one', max: 10 }
    const [attempt, ...others] = await claimAttemptsOf(behind.ctx, tenant.accountId, claim)
    expect(others).to.deep.equal([])
    expect(await claimAttemptsOf(ahead.ctx, tenant.accountId, { ...claim, owner: 'two' })).to.deep.equal([])
    expect(await isHeld(behind.ctx, attempt!)).to.equal(true)
  })

  it('4 s apart: the sweep of one node skips nothing that the other is about to write', async () => {
    await sweepArrivals(ahead.ctx)
    const swept = await door.ctx.store.state.findOne({ _id: 'sweptMessages' })
    expect(String(swept?.value) < (await arrive(behind, 100))).to.equal(true)
  })

  it('a clock that is set by a minute is noticed at once, and when it is set right again', async () => {
    const { skew } = ahead.ctx
    for (const [setMs, isSound] of [
      [62_000, false],
      [2_000, true],
      [-58_000, false],
      [2_000, true],
    ] as const) {
      const before = door.logs().length
      machines.ahead = setMs
      await eventually('it is noticed', () => door.logs().slice(before).includes('the time of this machine was set'))
      await eventually('it is measured', () => skew.isSound() === isSound)
    }
  })

  const differences = [
    ['none', 0, { sound: true, told: [] }],
    ['less than half of what is tolerated', 2_400, { sound: true, told: [] }],
    ['more than half of it', warnFromMs + 300, { sound: true, told: ['warn'] }],
    ['more than half of it, behind', -warnFromMs - 300, { sound: true, told: ['warn'] }],
    ['almost all of it', 4_800, { sound: true, told: ['warn'] }],
    ['more than all of it', 5_300, { sound: false, told: ['error'] }],
    ['an hour behind', -3_600_000, { sound: false, told: ['error'] }],
  ] as const
  for (const [name, aheadMs, { sound, told }] of differences)
    it(`a difference of ${name} is ${sound ? 'accepted' : 'refused'}`, async () => {
      machines.ahead = aheadMs
      const before = door.logs().length
      await ahead.ctx.skew.measure()
      const levels = door
        .logs()
        .slice(before)
        .split('\n')
        .filter((line) => line.includes('the clock of this machine'))
      const level = { warn: 40, error: 50 }
      expect(levels.map((line) => JSON.parse(line).level)).to.deep.equal(told.map((each) => level[each]))
      expect(ahead.ctx.skew.isSound()).to.equal(sound)
      expect((await client(ahead.http, tenant.key)('GET', '/api/v1/mailboxes')).status).to.equal(sound ? 200 : 503)
      if (sound) {
        const apartMs = ahead.ctx.clock.now().getTime() - door.ctx.clock.now().getTime()
        expect(Math.abs(apartMs)).to.be.below(1_000)
        return
      }
      const { status, body } = await send(ahead, 'someone@elsewhere.example')
      expect([status, body]).to.deep.include(503)
      expect(JSON.stringify(body)).to.match(/The clock of this node is [\d.]+ s (ahead of|behind) the database's/)
      const refused = await arrive(ahead, aheadMs).catch((error: unknown) => error)
      expect(refused).to.have.property('code', 'unavailable')
      expect(await ahead.ctx.skew.watch().catch((error: unknown) => error)).to.have.property('code', 'unavailable')
    })
})
