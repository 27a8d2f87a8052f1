/** What is recorded and answered for requests that fail because the object store or the database is unavailable. */
import { expect } from 'chai'
import { makeExports } from '../../core/personal/export-jobs.ts'
import { openMetrics } from '../../core/process/metrics.ts'
import { sweepBlobs } from '../../core/upkeep/unused-blobs.ts'
import { eventually } from '../eventually.ts'
import { type ObjectPeer, startObjectStore } from '../peers/object-store.ts'
import { type Call, client, type Json, mailboxPath } from '../peers/rest.ts'
import { unzip } from '../peers/zip.ts'
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
  describe('an export', () => {
    const path = '/api/v1/account/export'
    type Exported = { readonly state: string; readonly url: string | null }
    /** An account with a message of which the store has the body, and its client. */
    async function account(name: string) {
      const tenant = await makeTenant(door, { name })
      const raw = `Subject: Kept\nMessage-ID: <${name}@x.example>\n\n${'Hi '.repeat(1_000)}`
      const messageId = await deliver(door.ctx, { to: tenant.address, raw })
      return { ...tenant, messageId, call: client(door.http, tenant.key) }
    }
    /** The mail of the account in its finished export. */
    async function mailOf(call: Call, address: string): Promise<string> {
      const url = await eventually('the export', async () => {
        await makeExports(door.ctx)
        return (await call<Exported>('GET', path)).body.url
      })
      const file = await fetch(`${door.http}${new URL(url).pathname}`)
      return String(unzip(Buffer.from(await file.arrayBuffer())).get(`mail/${address}.mbox`))
    }

    it('waits for the store however often it is tried meanwhile, and is made once the store is back', async () => {
      const { call, address, accountId } = await account('waiting')
      const tries = async () => (await door.ctx.store.exports.findOne({ accountId }))?.awayTries
      peer.mode = 'fails'
      await call('POST', path)
      for (let n = 1; n <= 5; n++) {
        await eventually(`try ${n}`, async () => (await tries()) === n)
        expect((await call<Exported>('GET', path)).body.state).to.equal('running')
        // Its lease ends.
        door.advance(5 * 60_000)
        void makeExports(door.ctx)
      }
      peer.mode = 'serves'
      door.advance(5 * 60_000)
      expect(await mailOf(call, address)).to.include('Hi Hi')
    })

    it('leaves out a message whose body is lost, and the log says so', async () => {
      const { call, address, messageId } = await account('losing')
      const raw = 'Subject: Other\nMessage-ID: <other@x.example>\n\nStill here'
      await deliver(door.ctx, { to: address, raw })
      const blob = await door.ctx.store.blobs.findOne({ users: messageId })
      await door.ctx.store.objects?.remove(blob?.object?.key ?? '')
      await call('POST', path)
      const mail = await mailOf(call, address)
      expect(mail).to.include('Still here').and.not.include('Subject: Kept')
      expect(door.logs()).to.include('an export leaves out a message whose body is lost')
    })
  })
})
