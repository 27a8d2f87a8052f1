import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { type Binary, BSON, type Collection, MongoClient } from 'mongodb'
import { eventually } from '../eventually.ts'
import { exit, launch, type Started, startEngine, temporaryFolder, url } from '../start/engine.ts'
import { failure } from './failure.ts'

type Row = { _id: string; writer: number; n: number; tags: string[]; body: string }

describe('engine: the process', () => {
  it('says what it is, guards its socket, and stops with 0', async () => {
    const engine = await startEngine()
    expect(engine.log()[0]).to.match(
      /embedded single-node store: no replication, no failover; set MONGODB_URL for production/,
    )
    expect(statSync(engine.socket).mode & 0o777).to.equal(0o600)
    expect(await engine.db.command({ buildInfo: 1 })).to.include({ embedded: true, version: '8.0.0' })
    const hello = await engine.db.command({ hello: 1 })
    expect(hello).to.include({ isWritablePrimary: true, maxWireVersion: 25 })
    expect(hello).to.not.have.any.keys('setName', 'topologyVersion', 'msg')
    expect(await engine.stop()).to.equal(0)
    expect(engine.log().join('\n')).to.not.match(/Warning/)
  })

  it('a second process on the same folder ends with a clear message', async () => {
    const engine = await startEngine()
    const second = launch(engine.dir, join(engine.dir, 'second.sock'), [])
    let text = ''
    second.stderr?.on('data', (chunk) => {
      text += chunk
    })
    expect(await exit(second)).to.equal(1)
    expect(text).to.match(/in use by another process/)
    await engine.db.collection('c').insertOne({})
    await engine.stop()
  })

  it('says of a folder that nobody has and that cannot be locked what is wrong, and does not wait', async () => {
    const dir = temporaryFolder()
    writeFileSync(join(dir, 'engine.lock'), 'no database'.repeat(100))
    const said = await failure(startEngine({ dir, args: ['--lock-wait-ms', '600000'] }))
    expect(said)
      .to.match(/cannot be locked: file is not a database/)
      .and.not.match(/in use/)
  })

  it('ends when its supervisor goes away, and the next one starts over the stale socket', async () => {
    const dir = temporaryFolder()
    const first = await startEngine({ dir })
    await first.db.collection('c').insertOne({ _id: 1 as never })
    await first.client.close()
    first.process.disconnect()
    expect(await exit(first.process)).to.equal(0)
    const second = await startEngine({ dir })
    expect(await second.db.collection('c').countDocuments()).to.equal(1)
    await second.kill()
    const third = await startEngine({ dir })
    expect(await third.db.collection('c').countDocuments()).to.equal(1)
    expect(third.log().join('\n')).to.match(/last stop was not clean/)
    await third.stop()
  })

  it('refuses a folder of a newer format', async () => {
    const dir = temporaryFolder()
    await (await startEngine({ dir })).stop()
    const db = new DatabaseSync(join(dir, 'engine.db'))
    db.exec("UPDATE meta SET value = 99 WHERE name = 'format'")
    db.close()
    expect(await failure(startEngine({ dir }))).to.match(/format 99/)
  })

  it('leaves a file that is not a socket alone', async () => {
    const dir = temporaryFolder()
    writeFileSync(join(dir, 'engine.sock'), 'precious')
    expect(await failure(startEngine({ dir }))).to.match(/not a socket/)
  })

  it('a full disk refuses writes with 14031, reads go on, and writes come back when there is room', async () => {
    const engine = await startEngine({ args: ['--file-bytes-max', String(4 * 1024 * 1024)] })
    const collection = engine.db.collection<{ _id: number; d: Buffer }>('c')
    let written = 0
    const fill = async () => {
      for (; written < 100; written++) await collection.insertOne({ _id: written, d: Buffer.alloc(256 * 1024) })
    }
    expect(await failure(fill())).to.include({ code: 14031 })
    expect(written).to.be.greaterThan(5)
    expect(await collection.countDocuments()).to.equal(written)
    await collection.deleteMany({ _id: { $gte: 2 } })
    await collection.insertOne({ _id: 1000, d: Buffer.alloc(256 * 1024) })
    expect(await engine.db.command({ validate: 'c' })).to.include({ valid: true, nrecords: 3 })
    expect(await engine.stop()).to.equal(0)
  })

  const garbage: [name: string, bytes: Buffer][] = [
    ['a length beyond every limit', Buffer.from([0xff, 0xff, 0xff, 0x7f, ...new Array(12).fill(0)])],
    ['a length beyond every limit, and more', Buffer.from([0xff, 0xff, 0xff, 0x7f, ...new Array(200).fill(1)])],
    ['a negative length', Buffer.from([0xff, 0xff, 0xff, 0xff, ...new Array(12).fill(0)])],
    ['an opcode of long ago', message(2002, Buffer.alloc(16))],
    ['a body that passes the end', message(2013, Buffer.from([0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0]))],
    ['an unknown section', message(2013, Buffer.from([0, 0, 0, 0, 9, 5, 0, 0, 0, 0]))],
    ['an unknown required flag', message(2013, Buffer.from([64, 0, 0, 0, 0, 5, 0, 0, 0, 0]))],
    ['no body', message(2013, Buffer.from([0, 0, 0, 0, 1, 14, 0, 0, 0, 0x61, 0, 5, 0, 0, 0, 0]))],
  ]
  describe('garbage on the socket', () => {
    let engine: Started
    before(async () => {
      engine = await startEngine()
    })
    after(() => engine.stop())
    for (const [name, bytes] of garbage) {
      it(`${name} harms nobody else`, async () => {
        const socket = connect(engine.socket)
        socket.on('error', () => socket.destroy())
        socket.resume()
        socket.end(bytes)
        await new Promise((resolve) => socket.once('close', resolve))
        expect(await engine.db.command({ ping: 1 })).to.include({ ok: 1 })
      })
    }
  })

  it('a backup under load is a whole database of its own', async () => {
    const engine = await startEngine()
    const collection = engine.db.collection<Row>('rows')
    await collection.createIndexes([{ key: { writer: 1, n: 1 }, unique: true }, { key: { tags: 1, n: -1 } }])
    const acknowledged = new Map<string, number>()
    const killed = { now: false }
    const writers = Array.from({ length: 5 }, (_, writer) => write(collection, 0, writer, acknowledged, killed))
    await eventually('the load', () => acknowledged.size >= 200)
    const before = new Map(acknowledged)
    const dir = temporaryFolder()
    const path = join(dir, 'engine.db')
    const answer = new Promise((resolve) => engine.process.once('message', resolve))
    engine.process.send({ backup: path })
    expect(await answer).to.deep.equal({ backup: path, ok: true })
    killed.now = true
    await Promise.all(writers)
    await engine.stop()
    const copy = await startEngine({ dir })
    await expectAll(copy.db.collection<Row>('rows'), before)
    await copy.stop()
  })

  it('a client that asks and does not read costs no memory, and gets all its answers when it does', async function () {
    if (process.platform !== 'linux') this.skip()
    const engine = await startEngine()
    const rows = engine.db.collection<{ _id: number; d: Buffer }>('rows')
    await rows.insertOne({ _id: 1, d: Buffer.alloc(2_000_000) })
    const asked = 200
    const find = message(2013, Buffer.concat([Buffer.alloc(5), BSON.serialize({ find: 'rows', $db: 'test' })]))
    const socket = connect(engine.socket).pause()
    await new Promise((resolve) => socket.write(Buffer.concat(Array.from({ length: asked }, () => find)), resolve))
    // Each of these is another turn for the one who does not read.
    for (let n = 0; n < asked; n++) await rows.findOne({ _id: 1 }, { projection: { _id: 1 } })
    const status = readFileSync(`/proc/${engine.process.pid}/status`, 'utf8')
    expect(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024).to.be.lessThan(300)
    expect(await engine.db.command({ ping: 1 })).to.include({ ok: 1 })
    let received = 0
    await new Promise<void>((resolve) => {
      socket.on('data', (chunk) => {
        received += chunk.length
        if (received >= asked * 2_000_000) resolve()
      })
      socket.resume()
    })
    socket.destroy()
    await engine.stop()
  })

  it('small and large writes of one connection keep their order, and come through a full queue', async () => {
    const engine = await startEngine({ args: ['--sync-delay-ms', '10'], client: { maxPoolSize: 40 } })
    const ordered = await new MongoClient(url(engine.socket), { maxPoolSize: 1 }).connect()
    await ordered.db('test').command({ ping: 1 })
    const last = ordered.db('test').collection<{ _id: number; n: number; d: Buffer }>('c')
    const sizes = [10, 900_000, 20, 200_000, 300_000, 5, 255_000, 262_144, 4_000_000, 1]
    const writes = sizes.map((size, n) =>
      last.updateOne({ _id: 1 }, { $set: { n, d: Buffer.alloc(size, n) } }, { upsert: true }),
    )
    const others = Array.from({ length: 40 }, (_, n) =>
      engine.db
        .collection<{ _id: number; d: Buffer }>('o')
        .insertOne({ _id: n, d: Buffer.alloc(100_000 + n * 10_000) }),
    )
    await Promise.all([...writes, ...others])
    const found = await last.findOne({ _id: 1 })
    expect(found?.n).to.equal(sizes.length - 1)
    expect(await engine.db.collection('o').countDocuments()).to.equal(others.length)
    const large = await engine.db
      .collection<{ _id: number; d: Binary }>('o')
      .findOneAndUpdate({ _id: 39 }, { $set: { e: 1 } }, { returnDocument: 'after' })
    expect(large!.d.length()).to.equal(490_000)
    await ordered.close()
    await engine.stop()
  })

  it('what is queued is written before a stop', async () => {
    const dir = temporaryFolder()
    const engine = await startEngine({ dir, args: ['--sync-delay-ms', '20'] })
    // What comes after the stop fails soon.
    const client = await new MongoClient(url(engine.socket), { serverSelectionTimeoutMS: 1_000 }).connect()
    const collection = client.db('test').collection<{ _id: number }>('c')
    // Each of the writes has a connection, so that none is kept back by the driver.
    await Promise.all(Array.from({ length: 50 }, () => client.db('test').command({ ping: 1 })))
    const writes = Array.from({ length: 50 }, (_, _id) => collection.insertOne({ _id }))
    await writes[0]
    const results = Promise.allSettled(writes)
    engine.process.send({ stop: true })
    expect(await exit(engine.process)).to.equal(0)
    const kept = (await results).filter(({ status }) => status === 'fulfilled').length
    expect(kept).to.be.greaterThan(0)
    await client.close()
    await engine.client.close()
    const next = await startEngine({ dir })
    expect(await next.db.collection('c').countDocuments()).to.be.at.least(kept)
    await next.stop()
  })
})

/** Inserts and updates until the engine is gone, noting what was acknowledged. */
async function write(
  collection: Collection<Row>,
  round: number,
  writer: number,
  acknowledged: Map<string, number>,
  killed: { readonly now: boolean },
): Promise<void> {
  for (let i = 0; !killed.now; i++) {
    const _id = `${round}-${writer}-${i}`
    const row = {
      _id,
      writer,
      n: round * 1_000_000 + i * 10,
      tags: ['all', `w${writer}`],
      body: 'x'.repeat(500 + (i % 7) * 3000),
    }
    try {
      await collection.insertOne(row)
      acknowledged.set(_id, row.n)
      if (i % 3 !== 0) continue
      const changed = await collection.findOneAndUpdate(
        { writer, n: row.n },
        { $inc: { n: 1 } },
        { returnDocument: 'after' },
      )
      acknowledged.set(_id, changed!.n)
    } catch (error) {
      if (!killed.now) throw error
      return
    }
  }
}

async function expectAll(collection: Collection<Row>, acknowledged: ReadonlyMap<string, number>): Promise<void> {
  const stored = new Map<string, number>()
  for await (const row of collection.find({}, { projection: { n: 1 } })) stored.set(row._id, row.n)
  // An update that was not acknowledged may have happened: then n is one higher.
  const lost = [...acknowledged].filter(([id, n]) => stored.get(id) !== n && stored.get(id) !== n + 1)
  expect(lost).to.deep.equal([])
  const { valid, errors } = await collection.db.command({ validate: collection.collectionName })
  expect(valid, String(errors)).to.equal(true)
}

function message(opcode: number, body: Buffer): Buffer {
  const header = Buffer.alloc(16)
  header.writeInt32LE(16 + body.length, 0)
  header.writeInt32LE(opcode, 12)
  return Buffer.concat([header, body])
}
