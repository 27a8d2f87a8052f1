import { expect } from 'chai'
import { ensureSharedDomain } from '../../../core/domains/shared-domain.ts'
import { minuteMs } from '../../../core/process/clock.ts'
import { lockZone } from '../../../store/zones.ts'
import { type Door, openDoor } from '../../start/door.ts'

describe('core/zones/zone-edit: after a process died in the middle of a change', () => {
  let door: Door
  let domain: string
  const zone = () => door.ctx.store.zones.findOne({ _id: domain })

  before(async () => {
    door = await openDoor({ monitorCommands: true })
    domain = door.ctx.settings.sharedDomain
    const now = door.ctx.machineClock.now()
    const lock = { token: 'dead', until: new Date(now.getTime() + minuteMs) }
    expect(await lockZone(door.ctx.store, { domain, accountId: null, lock, now })).to.equal(true)
  })
  after(() => door?.close())

  it('a start that has nothing to change does not wait for it', async () => {
    await ensureSharedDomain(door.ctx)
    expect((await zone())?.lock?.token).to.equal('dead')
  })

  it('a start that has something to change waits until the lock expires', async () => {
    const { store } = door.ctx
    const records = () => store.zoneRecords.countDocuments({ domain, purpose: 'spf' })
    expect((await store.zoneRecords.deleteMany({ domain, purpose: 'spf' })).deletedCount).to.equal(1)
    const refused = new Promise<void>((resolve) => {
      store.db.client.on('commandSucceeded', ({ commandName, reply }) => {
        if (commandName === 'update' && Object.hasOwn(reply as object, 'writeErrors')) resolve()
      })
    })
    const starting = ensureSharedDomain(door.ctx)
    await refused
    door.advance(minuteMs)
    await starting
    expect(await records()).to.equal(1)
    expect((await zone())?.lock).to.equal(undefined)
  })
})
