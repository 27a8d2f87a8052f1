import { expect } from 'chai'
import { dayMs, hourMs, minuteMs } from '../../core/process/clock.ts'
import { wireName } from '../../core/zones/names.ts'
import { servedRevision } from '../../core/zones/served-zones.ts'
import { createZones } from '../../dns/zones.ts'
import { eventually } from '../eventually.ts'
import { type DnsDoor, openDnsDoor, tenantZone } from '../start/dns.ts'

describe('the zones that questions find', () => {
  let dns: DnsDoor
  before(async () => {
    dns = await openDnsDoor()
    // The serial of a signed zone rises every three days. It rose an hour ago, so that it does not rise during the test.
    const riseMs = 3 * dayMs
    dns.door.advance(riseMs - (dns.ctx.machineClock.now().getTime() % riseMs) + hourMs)
    await dns.put({ name: 'www', type: 'A', value: '192.0.2.1' })
    await dns.door.noticed()
  })
  after(() => dns?.close())

  for (const dnssec of [false, true])
    it(`keep what was made of them while they are the same, ${dnssec ? 'signed' : 'unsigned'}`, async () => {
      const { ctx } = await dns.another({ dnssec })
      const { zoneOf } = createZones(ctx, ['ns1.mail.example'])
      const name = wireName(`www.${tenantZone}`)
      const first = await zoneOf(name)
      expect(zoneOf(name), 'at once').to.equal(first)
      dns.door.advance(minuteMs)
      expect(await zoneOf(name), 'read anew').to.equal(first)
      await dns.put({ name: dnssec ? 'mx' : 'ns', type: 'A', value: '192.0.2.2' })
      await dns.door.noticed()
      dns.door.advance(minuteMs)
      expect(await zoneOf(name), 'changed').to.not.equal(first)
    })

  it('are kept up to date for a minute after a question, so that the next one does not wait', async () => {
    const { ctx } = await dns.another({ dnssec: false })
    const { zoneOf, close } = createZones(ctx, ['ns1.mail.example'])
    const name = wireName(`www.${tenantZone}`)
    await zoneOf(name)
    const first = zoneOf(name)
    for (let seconds = 0; seconds < 24; seconds += 4) {
      dns.door.advance(4_000)
      const now = ctx.machineClock.now().getTime()
      await eventually('a look at the zones', () => servedRevision(ctx, now + 4_000) !== null)
    }
    expect(zoneOf(name), 'at once').to.equal(first)
    close()
  })

  it('rise every three days when they are signed, so that secondaries fetch fresh signatures', async () => {
    const { ctx } = await dns.another({ dnssec: true })
    const { zoneOf } = createZones(ctx, ['ns1.mail.example'])
    const served = async () => (await zoneOf(wireName(tenantZone)))!
    const before = await served()
    for (let hours = 0; hours < 72; hours += 12) {
      dns.door.advance(12 * hourMs)
      await served()
    }
    expect((await served()).serial - before.serial).to.equal(1)
  })
})
