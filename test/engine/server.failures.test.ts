import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { type Document, type Long, MongoClient } from 'mongodb'
import { openWriter } from '../../engine/store/database.ts'
import { eventually } from '../eventually.ts'
import { exit, type Started, startEngine, temporaryFolder, url } from '../start/engine.ts'
import { failure } from './failure.ts'

const KiB = 1024
const MiB = 1024 * KiB
const canBreakWrites = process.platform === 'linux'

describe('engine: failures and limits', () => {
  it('a commit waits for the disk', () => {
    const db = openWriter(temporaryFolder(), { fileBytesMax: 0 })
    expect(db.prepare('PRAGMA synchronous').get()).to.deep.include({ synchronous: 2 })
    expect(db.prepare('PRAGMA journal_mode').get()).to.deep.include({ journal_mode: 'wal' })
    db.close()
  })

  it('after an I/O error the whole group has failed, reads go on, and the process ends with 1', async function () {
    if (!canBreakWrites) this.skip()
    const dir = temporaryFolder()
    const engine = await startEngine({ dir, args: ['--sync-delay-ms', '5'] })
    const rows = engine.db.collection<{ _id: number; d?: Buffer }>('rows')
    // Drivers give up a whole pool on 11600.
    const reader = await new MongoClient(url(engine.socket)).connect()
    await rows.insertMany([{ _id: -1 }, { _id: -2 }])
    await reader.db('test').command({ ping: 1 })
    // No write beyond the first byte of a file succeeds any more: EFBIG, which is no full disk.
    execFileSync('prlimit', ['--pid', String(engine.process.pid), '--fsize=1'])
    const writes = Array.from({ length: 20 }, (_, _id) => rows.insertOne({ _id, d: Buffer.alloc(10 * KiB) }))
    const outcomes = Promise.allSettled(writes)
    const [first] = writes
    expect(await failure(first!)).to.include({ code: 11600 })
    expect(await reader.db('test').collection<{ _id: number }>('rows').findOne({ _id: -1 })).to.include({ _id: -1 })
    expect((await outcomes).map(({ status }) => status)).to.not.include('fulfilled')
    expect(await exit(engine.process)).to.equal(1)
    expect(engine.log().join('\n')).to.match(/cannot be written any more/)
    await Promise.all([engine.client.close(), reader.close()])
    const again = await startEngine({ dir })
    expect(await again.db.collection('rows').countDocuments()).to.equal(2)
    expect(await again.db.command({ validate: 'rows' })).to.include({ valid: true })
    await again.stop()
  })

  it('requests past the budget wait unread, and all are answered', async () => {
    const engine = await startEngine({
      args: ['--request-bytes-max', String(MiB), '--sync-delay-ms', '5'],
      client: { maxPoolSize: 50 },
    })
    const rows = engine.db.collection<{ _id: number; d: Buffer }>('rows')
    const writes = Array.from({ length: 60 }, (_, _id) => rows.insertOne({ _id, d: Buffer.alloc(400 * KiB) }))
    const held: number[] = []
    for (let i = 0; i < 20; i++) held.push((await engine.db.command({ serverStatus: 1 })).queue.requestBytes)
    await Promise.all(writes)
    expect(await rows.countDocuments()).to.equal(60)
    expect(Math.max(...held)).to.be.within(200 * KiB, 1.5 * MiB)
    await engine.stop()
  })

  describe('limits', () => {
    let engine: Started
    before(async () => {
      engine = await startEngine()
      await engine.db.collection('rows').insertMany([{ a: 1 }, { a: 2 }, { a: 3 }])
      await engine.db.collection('long').createIndex({ a: 1 })
      const fields = Array.from({ length: 63 }, (_, i) => ({ key: { [`f${i}`]: 1 }, name: `f${i}` }) as const)
      await engine.db.collection('many').createIndexes([...fields])
    })
    after(() => engine.stop())

    const fieldsOf = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, 1]))
    const nested = (levels: number): Document => (levels === 1 ? {} : { a: nested(levels - 1) })
    const insert = (document: Document, collection = 'limits') => ({ insert: collection, documents: [document] })
    const index = (key: Document) => ({ createIndexes: 'many', indexes: [{ key, name: 'one more' }] })

    const cases: readonly (readonly [string, () => Document, number | undefined])[] = [
      ['a document of 16 MiB', () => insert({ _id: 1, d: Buffer.alloc(16 * MiB - 35) }), undefined],
      ['a document of more', () => insert({ d: Buffer.alloc(16 * MiB) }), 10334],
      ['a hundred levels', () => insert(nested(100)), undefined],
      ['one level more', () => insert(nested(101)), 15],
      ['a key of 60 KiB', () => insert({ a: 'x'.repeat(60 * KiB) }, 'long'), undefined],
      ['a key of more than 64', () => insert({ a: 'x'.repeat(65 * KiB) }, 'long'), 17280],
      [
        '32 fields in an index',
        () => ({ createIndexes: 'wide', indexes: [{ key: fieldsOf(32), name: 'w' }] }),
        undefined,
      ],
      ['33 fields in an index', () => index(fieldsOf(33)), 67],
      ['a 65th index', () => index({ x: 1 }), 67],
      ['no operations', () => ({ insert: 'limits', documents: [] }), 16],
      ['a name of 256 bytes', () => insert({}, 'x'.repeat(255)), 73],
    ]
    for (const [name, command, code] of cases) {
      it(`${name}: ${code ?? 'fine'}`, async () => {
        const reply = await engine.db.command(command()).catch((error: unknown) => error as Document)
        expect(reply.writeErrors?.[0]?.code ?? reply.code, String(reply.message)).to.equal(code)
      })
    }

    it('a sort in memory ends at 100 MiB, and with a limit keeps only the best', async () => {
      const big = engine.db.collection<{ _id: number; key: string }>('big')
      for (let n = 0; n < 11; n++) {
        const key = (i: number) => `${String(i).padStart(4, '0')}${'x'.repeat(MiB)}`
        await big.insertMany(Array.from({ length: 10 }, (_, i) => ({ _id: n * 10 + i, key: key(n * 10 + i) })))
      }
      const sorted = { sort: { key: -1 }, projection: { _id: 1 } } as const
      expect(await failure(big.find({}, sorted).toArray())).to.include({ code: 292 })
      expect(await big.find({}, { ...sorted, limit: 2 }).toArray()).to.deep.equal([{ _id: 109 }, { _id: 108 }])
      const grouped = [{ $group: { _id: null, all: { $push: '$key' } } }]
      expect(await failure(big.aggregate(grouped).toArray())).to.include({ code: 146 })
      const inside = [{ $set: { n: 1 } }, { $sort: { key: -1 } }, { $project: { _id: 1 } }]
      expect(await failure(big.aggregate(inside).toArray())).to.include({ code: 292 })
      await big.drop()
    })

    it('a thousand cursors are open at once, and one more is refused', async () => {
      const open = () => engine.db.command({ find: 'rows', batchSize: 1 }, { promoteLongs: false })
      const opened = await Promise.all(Array.from({ length: 1_000 }, open))
      expect(opened.map(({ cursor }) => String((cursor.id as Long).isZero()))).to.not.include('true')
      expect(await failure(open())).to.include({ codeName: 'OperationFailed' })
      await engine.db.command({ killCursors: 'rows', cursors: [opened[0]?.cursor.id] })
      expect(await open()).to.include({ ok: 1 })
    })
  })

  it('a cursor that lies idle is gone', async () => {
    const engine = await startEngine({ args: ['--cursor-idle-ms', '200'] })
    await engine.db.collection('rows').insertMany([{ a: 1 }, { a: 2 }])
    // Whoever asks for a cursor uses it, so each try is one of its own.
    await eventually('one that is gone', async () => {
      const { cursor } = await engine.db.command({ find: 'rows', batchSize: 1 }, { promoteLongs: false })
      await sleep(500)
      const more = await failure(engine.db.command({ getMore: cursor.id, collection: 'rows' }))
      return (more as { readonly code?: number } | undefined)?.code === 43
    })
    await engine.stop()
  })
})
