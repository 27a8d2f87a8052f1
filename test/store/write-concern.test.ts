import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createConnection, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { deserialize, serialize } from 'bson'
import { expect } from 'chai'
import type { EmailDoc } from '../../store/documents/sending.ts'
import { openStore, type Store } from '../../store/open.ts'
import { isUnavailable } from '../../store/unwell.ts'
import { insertInto, writeAll } from '../../store/writes.ts'
import { type Started, startEngine, url } from '../start/engine.ts'

/** What a server adds to its answer when the majority did not acknowledge a write in time. */
const writeConcernError = { code: 64, codeName: 'WriteConcernTimeout', errmsg: 'waiting for replication timed out' }
const messageHeaderBytes = 16
/** OP_MSG: header, flags, and the kind of its one section, before the document. */
const documentAt = messageHeaderBytes + 5

/** An OP_MSG answer with the error in it, when it answers a write. */
function withError(message: Buffer): Buffer {
  const answer = deserialize(message.subarray(documentAt))
  if (typeof (answer.n ?? answer.nInserted) !== 'number') return message
  const document = serialize({ ...answer, writeConcernError })
  const changed = Buffer.concat([message.subarray(0, documentAt), document])
  changed.writeInt32LE(changed.length, 0)
  return changed
}

/** A server in front of the engine that can answer as one whose majority is away. */
function startProxy(engine: string, socket: string, isAway: () => boolean): Promise<Server> {
  const server = createServer((client) => {
    const upstream = createConnection(engine)
    let pending = Buffer.alloc(0)
    client.pipe(upstream)
    upstream.on('data', (chunk: Buffer) => {
      pending = Buffer.concat([pending, chunk])
      while (pending.length >= 4 && pending.length >= pending.readInt32LE(0)) {
        const message = pending.subarray(0, pending.readInt32LE(0))
        pending = pending.subarray(message.length)
        const opMsg = 2013
        client.write(isAway() && message.readInt32LE(12) === opMsg ? withError(message) : message)
      }
    })
    const end = (other: Socket) => () => other.destroy()
    client.on('close', end(upstream)).on('error', end(upstream))
    upstream.on('close', end(client)).on('error', end(client))
  })
  return new Promise((resolve) => server.listen(socket, () => resolve(server)))
}

describe('store: a write that the majority did not acknowledge', () => {
  let engine: Started
  let proxy: Server
  let store: Store
  let folder: string
  let isAway = false
  const email = (id: string) =>
    ({ _id: id, accountId: 'acc_1', createdAt: new Date(), recipients: [] }) as unknown as EmailDoc
  const fresh = () => email(`em_${randomBytes(8).toString('hex')}`)
  const insertEmails = (emails: readonly EmailDoc[]) =>
    writeAll(
      store,
      emails.map((each) => insertInto(store.emails, each)),
    )
  const failure = (work: Promise<unknown>) =>
    work.then(
      () => null,
      (error: unknown) => error,
    )

  before(async () => {
    engine = await startEngine()
    folder = await mkdtemp(path.join(tmpdir(), 'mailroom-concern-'))
    const socket = path.join(folder, 'proxy.sock')
    proxy = await startProxy(engine.socket, socket, () => isAway)
    store = await openStore({ url: url(socket), role: 'test' })
  })
  afterEach(() => {
    isAway = false
  })
  after(async () => {
    await store?.close()
    proxy?.close()
    await engine?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  it('is not taken for durable because another of its group was there already', async () => {
    const [before, after] = [fresh(), fresh()]
    await insertEmails([before])
    isAway = true
    const error = await failure(insertEmails([before, after]))
    expect(error).to.be.an('error')
    expect(isUnavailable(error)).to.equal(true)
    isAway = false
    expect(await insertEmails([before, after])).to.deep.equal([0])
  })

  it('fails a group without duplicates too', async () => {
    isAway = true
    expect(isUnavailable(await failure(insertEmails([fresh(), fresh()])))).to.equal(true)
  })

  it('fails a single update', async () => {
    const doc = fresh()
    await insertEmails([doc])
    isAway = true
    const update = store.emails.updateOne({ _id: doc._id }, { $set: { subject: 'x' } })
    expect(isUnavailable(await failure(update))).to.equal(true)
  })

  it('leaves duplicates alone what they are', async () => {
    const doc = fresh()
    await insertEmails([doc])
    expect(await insertEmails([doc, fresh()])).to.deep.equal([0])
  })
})
