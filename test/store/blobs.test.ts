/** Where the bytes of mail lie: small bodies in the database, large ones in the object store, if there is one. */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { beginErasure, erase } from '../../core/personal/erase.ts'
import { whileUnavailable } from '../../core/process/database-away.ts'
import { sweepSearch } from '../../core/search/sweep.ts'
import { sweepBlobs, sweepObjects } from '../../core/upkeep/unused-blobs.ts'
import { newId } from '../../schemas/ids.ts'
import { readBlob, readBlobs, readChunks } from '../../store/blobs.ts'
import type { BlobDoc, BlobRef } from '../../store/documents/mail.ts'
import { openObjectStore } from '../../store/object-store.ts'
import { type ObjectPeer, startObjectStore } from '../peers/object-store.ts'
import { type Call, client, type ErrorBody, mailboxPath } from '../peers/rest.ts'
import { type Door, deliver, makeTenant, openDoor, type Tenant } from '../start/door.ts'

const KiB = 1024
const MiB = KiB * KiB
const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** A mail of so many bytes with lines that compress well, or not at all. */
function mailOf(sizeBytes: number, kind: 'text' | 'noise' = 'text'): string {
  const head = 'From: a@remote.example\r\nSubject: large\r\n\r\n'
  const left = sizeBytes - head.length
  const body =
    kind === 'text'
      ? 'Lorem ipsum dolor sit amet, consectetur adipiscing elit.\r\n'.repeat(Math.ceil(left / 58))
      : randomBytes(left).toString('base64').replaceAll(/.{76}/g, '$&\r\n')
  return head + body.slice(0, left)
}

describe('store: bodies at an object store', () => {
  let peer: ObjectPeer
  let door: Door
  let tenant: Tenant
  let call: Call

  before(async () => {
    peer = await startObjectStore()
    door = await openDoor({ env: { ...peer.env, MAILROOM_BLOBS_PREFIX: 'mail/' } })
    tenant = await makeTenant(door, { name: 'tenant' })
    call = client(door.http, tenant.key)
  })
  after(async () => {
    await door?.close()
    await peer?.stop()
  })
  beforeEach(() => {
    peer.mode = 'serves'
    peer.keysMax = null
    peer.asked.length = 0
  })

  const blobOf = async (id: string): Promise<BlobRef> => {
    const { mailboxId } = tenant
    return (await door.ctx.store.messages.findOne({ mailboxId, _id: id }))!.blob
  }
  const documentsOf = ({ id }: BlobRef): Promise<BlobDoc[]> =>
    door.ctx.store.blobs.find({ _id: { $in: [0, 1, 2, 3, 4, 5].map((n) => `${id}#${n}`) } }).toArray()
  const objects = async () => (await door.ctx.store.objects!.list({ after: '', limit: 1000 })).map(({ key }) => key)
  const arrive = (raw: string) => deliver(door.ctx, { to: tenant.address, raw })
  const rawPath = (id: string) => `${mailboxPath(tenant.address)}/messages/${id}/raw`
  async function rawOf(id: string): Promise<string> {
    const response = await fetch(`${door.http}${rawPath(id)}`, { headers: { authorization: `Bearer ${tenant.key}` } })
    expect(response.status).to.equal(200)
    return response.text()
  }

  const sizes: readonly (readonly [name: string, sizeBytes: number, kind: 'text' | 'noise', chunks: number | null])[] =
    [
      ['a small mail', 4 * KiB, 'text', null],
      ['a mail just below the size', 256 * KiB - 1, 'noise', null],
      ['a mail of the size', 256 * KiB, 'text', 1],
      ['a mail that does not compress', 300 * KiB, 'noise', 1],
      ['a mail of a chunk and a byte', MiB + 1, 'text', 2],
      ['a mail of several chunks', 5 * MiB + 17, 'noise', 6],
    ]
  for (const [name, sizeBytes, kind, chunks] of sizes) {
    it(`${name} of ${sizeBytes} bytes lies ${chunks === null ? 'in the database' : `in an object of ${chunks} chunks`}`, async () => {
      const raw = mailOf(sizeBytes, kind)
      const before = await objects()
      const id = await arrive(raw)
      const ref = await blobOf(id)
      const [first, ...others] = await documentsOf(ref)
      const added = (await objects()).filter((key) => !before.includes(key))
      expect(ref.sizeBytes).to.equal(sizeBytes)
      expect(others).to.deep.equal([])
      expect(first?.object?.chunks.length ?? null).to.equal(chunks)
      expect(added).to.deep.equal(chunks === null ? [] : [first?.object?.key])
      if (chunks !== null) expect(first?.data.length()).to.equal(0)
      const { store } = door.ctx
      expect((await readBlob(store, ref))?.equals(Buffer.from(raw)), 'whole').to.equal(true)
      expect((await readBlobs(store, [ref])).get(ref.id)?.equals(Buffer.from(raw)), 'with others').to.equal(true)
      peer.asked.length = 0
      const pieces: Buffer[] = []
      for await (const piece of readChunks(store, ref)) pieces.push(piece)
      expect(Buffer.concat(pieces).equals(Buffer.from(raw)), 'in pieces').to.equal(true)
      // Four chunks at once, which are a range of the object where it has more.
      expect(peer.asked.length).to.equal(Math.ceil((chunks ?? 0) / 4))
      expect(peer.asked.every((what) => what.includes('bytes=') === (chunks ?? 0) > 4)).to.equal(true)
      expect((await rawOf(id)).includes(raw.slice(0, 2_000))).to.equal(true)
    })
  }

  it('a send with a large file and its copy in Sent share one object, which goes with the last of both', async () => {
    const before = await objects()
    const path = mailboxPath(tenant.address)
    const content = randomBytes(600 * KiB).toString('base64')
    const attachments = [{ name: 'a.bin', contentType: 'application/octet-stream', content }]
    const what = { to: 'b@remote.example', subject: 's', text: 't', attachments }
    const { status, body } = await call<{ id: string }>('POST', `${path}/send`, what)
    expect(status).to.equal(202)
    await door.ctx.background.done()
    const [key, ...others] = (await objects()).filter((each) => !before.includes(each))
    expect([key === undefined, others]).to.deep.equal([false, []])
    const { messageId, blob } = (await door.ctx.store.emails.findOne({ accountId: tenant.accountId, _id: body.id }))!
    expect((await documentsOf(blob))[0]?.users).to.deep.equal([body.id, messageId])
    await call('DELETE', `${path}/messages/${messageId}?permanent=true`)
    await door.ctx.background.done()
    expect(await objects()).to.include(key)
  })

  it('a message that is deleted for good takes its object along', async () => {
    const id = await arrive(mailOf(300 * KiB))
    const [first] = await documentsOf(await blobOf(id))
    expect(await objects()).to.include(first?.object?.key)
    await call('DELETE', `${mailboxPath(tenant.address)}/messages/${id}?permanent=true`)
    await door.ctx.background.done()
    expect(await objects()).not.to.include(first?.object?.key)
  })

  it('a deletion that the object store does not take part in is ended by the sweep', async () => {
    const id = await arrive(mailOf(300 * KiB))
    const blob = await blobOf(id)
    const [first] = await documentsOf(blob)
    peer.mode = 'fails'
    await call('DELETE', `${mailboxPath(tenant.address)}/messages/${id}?permanent=true`)
    await door.ctx.background.done()
    expect(await documentsOf(blob)).to.have.length(1)
    peer.mode = 'serves'
    door.advance(2 * hourMs)
    await sweepBlobs(door.ctx)
    expect([await documentsOf(blob), (await objects()).includes(first!.object!.key)]).to.deep.equal([[], false])
  })

  it('so is one of mail that the sweep had found sound before; small mail that is deleted with it is gone at once', async () => {
    const [small, large] = [await arrive(mailOf(4 * KiB)), await arrive(mailOf(300 * KiB))]
    const [smallBlob, largeBlob] = [await blobOf(small), await blobOf(large)]
    const [first] = await documentsOf(largeBlob)
    door.advance(2 * hourMs)
    await sweepBlobs(door.ctx)
    for (const id of [small, large])
      await call('PATCH', `${mailboxPath(tenant.address)}/messages/${id}`, { folder: 'trash' })
    peer.mode = 'fails'
    await call('POST', `${mailboxPath(tenant.address)}/trash/empty`)
    await door.ctx.background.done()
    expect([(await documentsOf(smallBlob)).length, (await documentsOf(largeBlob)).length]).to.deep.equal([0, 1])
    peer.mode = 'serves'
    door.advance(2 * hourMs)
    await sweepBlobs(door.ctx)
    expect([await documentsOf(largeBlob), (await objects()).includes(first!.object!.key)]).to.deep.equal([[], false])
  })

  it('an object that no blob names goes after an hour, and those that are named or young stay', async () => {
    const { store } = door.ctx
    const named = (await documentsOf(await blobOf(await arrive(mailOf(300 * KiB)))))[0]!.object!.key
    const ofAnotherTry = `${named.slice(0, named.lastIndexOf('.'))}.other`
    const orphan = `${newId('blb', door.ctx.clock.now())}.orphan`
    for (const key of [ofAnotherTry, orphan]) await store.objects!.put(key, Buffer.from('x'))
    const young = async () => (await objects()).filter((key) => [named, ofAnotherTry, orphan].includes(key)).length
    // The clock of this door is ahead of that of the objects already.
    const now = Object.assign(Object.create(door.ctx), { machineClock: { now: () => new Date() } })
    await sweepObjects(now)
    expect(await young()).to.equal(3)
    door.advance(2 * hourMs)
    await sweepObjects(door.ctx)
    const left = await objects()
    expect([left.includes(named), left.includes(ofAnotherTry), left.includes(orphan)]).to.deep.equal([
      true,
      false,
      false,
    ])
  })

  it('the sweep comes to the last object, however few keys the object store lists at once', async () => {
    const { store } = door.ctx
    const orphans = [1, 2, 3, 4, 5].map((n) => `${newId('blb', door.ctx.clock.now())}.orphan${n}`)
    for (const key of orphans) await store.objects!.put(key, Buffer.from('x'))
    door.advance(2 * hourMs)
    peer.keysMax = 2
    await sweepObjects(door.ctx)
    expect((await objects()).filter((key) => orphans.includes(key))).to.deep.equal([])
  })

  it('large mail is put off while the object store fails, and nothing of it is kept; small mail comes in', async () => {
    const large = await arrive(mailOf(400 * KiB))
    const count = () => door.ctx.store.blobs.countDocuments({ _id: { $gt: 'blb_' } })
    const before = await count()
    peer.mode = 'fails'
    const refused = await arrive(mailOf(300 * KiB)).catch((error: unknown) => error)
    // What the SMTP door answers 451 to (plugins/hook.ts).
    expect(whileUnavailable(refused)).to.include({ code: 'unavailable' })
    const { status, body } = await call<ErrorBody & { error: string }>('GET', rawPath(large))
    expect([status, body.code, body.error]).to.deep.equal([
      503,
      'unavailable',
      'The store of large messages is unavailable right now; please try again later.',
    ])
    expect(await count()).to.equal(before)
    expect(await arrive(mailOf(4 * KiB))).to.match(/^msg_/)
    peer.mode = 'serves'
    expect(await rawOf(large)).to.contain('Lorem')
  })

  it('an object store that hangs is waited for no longer than the setting says', async () => {
    const { blobs } = door.ctx.settings
    const objects = await openObjectStore({ blobs: { ...blobs, timeoutMs: 200 } })
    peer.mode = 'hangs'
    for (const work of [() => objects!.put('a', Buffer.from('x')), () => objects!.get('a'), () => objects!.reach()])
      expect(whileUnavailable(await work().catch((error: unknown) => error))).to.include({ code: 'unavailable' })
    objects!.close()
  })

  it('a body that the object store has lost is no deleted one', async () => {
    const id = await arrive(mailOf(300 * KiB))
    const [first] = await documentsOf(await blobOf(id))
    await door.ctx.store.objects!.remove(first!.object!.key)
    const { status } = await call('GET', rawPath(id))
    expect(status).to.equal(503)
    expect(door.logs()).to.contain('has lost')
  })

  for (const [name, kind] of [
    ['that compresses', 'text'],
    ['that does not compress', 'noise'],
  ] as const)
    it(`a body ${name} is not given out when the object store gives other bytes than it was given`, async () => {
      const raw = mailOf(2 * MiB, kind)
      const id = await arrive(raw)
      const { key } = (await documentsOf(await blobOf(id)))[0]!.object!
      const objects = door.ctx.store.objects!
      const written = (await objects.get(key))!
      const turned = Buffer.from(written)
      turned[turned.length - 40] = turned[turned.length - 40]! ^ 1
      await objects.put(key, turned)
      const { status, body } = await call<ErrorBody>('GET', rawPath(id))
      expect([status, body.code]).to.deep.equal([503, 'unavailable'])
      expect(door.logs()).to.contain('other bytes')
      await objects.put(key, written)
      expect(await rawOf(id)).to.contain(raw.slice(-2_000))
    })

  async function isFound(q: string): Promise<boolean> {
    const { body } = await call<{ messages: readonly unknown[] }>('GET', `${mailboxPath(tenant.address)}/search?q=${q}`)
    return body.messages.length > 0
  }
  const sweepAll = async () => {
    door.advance(minuteMs)
    await sweepSearch(door.ctx)
  }
  const smallWith = (word: string) => `From: a@remote.example\r\nSubject: small\r\n\r\n${word}\r\n`
  const largeWith = (word: string) =>
    mailOf(300 * KiB)
      .replace('large', `large ${word}`)
      .replace('Lorem', `${word}text`)

  it('while the object store is away, mail that comes beside large mail is found; the large mail once it is back', async () => {
    for (const raw of [largeWith('stork'), smallWith('heron'), largeWith('crane')]) await arrive(raw)
    peer.mode = 'fails'
    await sweepAll().catch((error: unknown) => expect(whileUnavailable(error)).to.include({ code: 'unavailable' }))
    expect([await isFound('heron'), await isFound('stork'), await isFound('cranetext')]).to.deep.equal([
      true,
      false,
      false,
    ])
    peer.mode = 'serves'
    await sweepAll()
    expect([await isFound('storktext'), await isFound('cranetext')]).to.deep.equal([true, true])
  })

  it('mail whose body the object store has lost is found by its header, and holds up no other', async () => {
    const id = await arrive(largeWith('plover'))
    await door.ctx.store.objects!.remove((await documentsOf(await blobOf(id)))[0]!.object!.key)
    await arrive(smallWith('dunlin'))
    await sweepAll()
    expect([await isFound('plover'), await isFound('plovertext'), await isFound('dunlin')]).to.deep.equal([
      true,
      false,
      true,
    ])
  })

  it('a service without the setting says which one is missing', async () => {
    const ref = await blobOf(await arrive(mailOf(300 * KiB)))
    const failed = await readBlob({ ...door.ctx.store, objects: null }, ref).catch(String)
    expect(failed).to.contain('blobs.bucket')
  })

  it('an account that is erased has no object left', async () => {
    const gone = await makeTenant(door, { name: 'gone' })
    const before = await objects()
    await deliver(door.ctx, { to: gone.address, raw: mailOf(300 * KiB) })
    expect(await objects()).to.have.length(before.length + 1)
    await beginErasure(door.ctx, { id: gone.accountId, name: 'gone' }, 'gone')
    await erase(door.ctx, { _id: gone.accountId, erasing: door.ctx.clock.now() })
    expect(await objects()).to.have.members(before)
  })

  it('half a key and an unknown bucket are told of', async () => {
    const { blobs } = door.ctx.settings
    const half = await openObjectStore({ blobs: { ...blobs, secretAccessKey: null } }).catch(String)
    expect(half).to.contain('set both or neither')
    const elsewhere = await openObjectStore({ blobs: { ...blobs, bucket: 'elsewhere' } })
    expect(await elsewhere?.reach().catch(String)).to.contain('elsewhere')
    expect(await door.ctx.store.objects?.reach()).to.equal(undefined)
    expect(await openObjectStore({ blobs: { ...blobs, bucket: null } })).to.equal(null)
  })
})
