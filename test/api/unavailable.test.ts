/** What is recorded and answered for requests that fail because the object store or the database is unavailable. */
import { expect } from 'chai'
import { openMetrics } from '../../core/process/metrics.ts'
import { sweepBlobs } from '../../core/upkeep/unused-blobs.ts'
import { type ObjectPeer, startObjectStore } from '../peers/object-store.ts'
import { client, type Json, mailboxPath } from '../peers/rest.ts'
import { type Door, deliver, makeTenant, openDoor } from '../start/door.ts'

describe('a request while a store is away', () => {
  let peer: ObjectPeer
  let door: Door
  before(async () => {
    peer = await startObjectStore()
    door = await openDoor({ env: { ...peer.env, MAILROOM_BLOBS_FROM_BYTES: '1' } })
    Object.assign(door.ctx, { metrics: await openMetrics('service') })
  })
  after(async () => {
    await door?.close()
    await peer?.stop()
  })

  it('is counted and audited under the code of its answer', async () => {
    const { key, address } = await makeTenant(door, { name: 'away' })
    const call = client(door.http, key)
    const path = `/api/v1/mailboxes/${encodeURIComponent(address)}/send`
    peer.mode = 'fails'
    const { status, body } = await call<Json>('POST', path, {
      to: 'delivered@simulator.invalid',
      subject: 'Hi',
      text: 'Hello',
    })
    expect([status, body.code]).to.deep.equal([503, 'unavailable'])
    peer.mode = 'serves'
    const audit = await call<{ entries: readonly Json[] }>('GET', '/api/v1/audit')
    const sends = audit.body.entries.filter(({ action }) => action === 'messages.send')
    expect(sends.map(({ outcome }) => outcome)).to.deep.equal(['unavailable'])
    const counted = (await door.ctx.metrics.text()).split('\n').filter((line) => line.includes('"messages.send"'))
    expect(counted.filter((line) => line.startsWith('mailroom_requests_total'))).to.deep.equal([
      'mailroom_requests_total{operation="messages.send",code="unavailable",process="service"} 1',
    ])
  })

  it('deletes mail permanently and says so; the body is removed once the store is back', async () => {
    const { key, address, mailboxId } = await makeTenant(door, { name: 'emptying' })
    const call = client(door.http, key)
    const path = mailboxPath(address)
    const id = await deliver(door.ctx, { to: address, raw: 'Subject: Large\nMessage-ID: <large@x.example>\n\nHi' })
    await call('DELETE', `${path}/messages/${id}`)
    const { blobs, folders } = door.ctx.store
    const used = await blobs.findOne({ users: id })
    expect(used).to.have.property('object')
    const asked = peer.asked.length
    peer.mode = 'fails'
    const { status, body } = await call<Json>('POST', `${path}/trash/empty`)
    expect([status, body.deleted]).to.deep.equal([200, 1])
    peer.mode = 'serves'
    expect(peer.asked.slice(asked).some((each) => each.startsWith('DELETE'))).to.equal(true)
    const trash = await folders.findOne({ mailboxId, role: 'trash' })
    expect([trash?.total, trash?.open]).to.deep.equal([0, []])
    door.advance(2 * 60 * 60_000)
    await sweepBlobs(door.ctx)
    expect(await blobs.findOne({ _id: used?._id })).to.equal(null)
  })
})
