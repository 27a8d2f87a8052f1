/** What moves a database elsewhere while it is written: the journal of its writes, and their block. */
import { expect } from 'chai'
import type { Document } from 'mongodb'
import { type Started, startEngine, temporaryFolder } from '../start/engine.ts'
import { failure } from './failure.ts'

describe('engine: what moves a database', () => {
  const dir = temporaryFolder()
  let engine: Started
  before(async () => {
    engine = await startEngine({ dir })
  })
  after(() => engine?.stop())

  const journal = async () =>
    (await engine.db.collection('system.journal').find().sort({ _id: 1 }).toArray()) as unknown as readonly Document[]
  const keys = async () => (await journal()).map(({ collection, key }) => `${collection} ${JSON.stringify(key)}`)
  const block = (fields: Document) => engine.client.db('admin').command({ setUserWriteBlockMode: 1, ...fields })

  it('notes each write from the beginning of a journal to its end, in the order of the commits', async () => {
    const a = engine.db.collection<Document>('a')
    await a.insertOne({ _id: 'before' as never })
    await engine.db.createCollection('capped', { capped: true, size: 4096 })
    await engine.db.command({ embeddedJournal: true })
    await a.insertMany([{ _id: 1 }, { _id: { n: 2 } }] as never)
    await engine.db.collection('capped').insertOne({})
    await engine.client
      .db('other')
      .collection<Document>('a')
      .insertOne({ _id: 'elsewhere' as never })
    await a.updateMany({}, { $set: { x: 1 } })
    await a.updateMany({}, { $set: { x: 1 } })
    await a.findOneAndUpdate({ _id: 'new' as never }, { $set: { x: 1 } }, { upsert: true })
    await a.deleteOne({ _id: 1 as never })
    await failure(a.insertOne({ _id: 'new' as never }))
    // It is there: beginning it again changes nothing.
    await engine.db.command({ embeddedJournal: true })
    expect(await keys()).to.deep.equal(['a 1', 'a {"n":2}', 'a "before"', 'a 1', 'a {"n":2}', 'a "new"', 'a 1'])
    expect((await engine.db.command({ validate: 'system.journal' })).valid).to.equal(true)
  })

  it('keeps it over a kill, and never uses a number again', async () => {
    const last = (await journal()).at(-1)!._id
    await engine.db.command({ embeddedJournal: true, trimBefore: 1_000 })
    expect((await journal()).map(({ _id }) => _id)).to.deep.equal([last])
    await engine.kill()
    engine = await startEngine({ dir })
    await engine.db.collection<Document>('a').insertOne({ _id: 'after' as never })
    expect((await journal()).map(({ _id }) => _id)).to.deep.equal([last, last + 1])
    await engine.db.command({ embeddedJournal: false })
    await engine.db.collection<Document>('a').insertOne({ _id: 'unheard' as never })
    expect(await journal()).to.deep.equal([])
  })

  it('refuses to have the journal written by others', async () => {
    expect(await failure(engine.db.collection('system.journal').insertOne({}))).to.include({ code: 73 })
  })

  it('blocks all writes over a kill, for good or for a while, and reads go on', async () => {
    const a = engine.db.collection<Document>('a')
    const refused = [
      () => a.insertOne({}),
      () => a.updateOne({}, { $set: { x: 2 } }, { upsert: true }),
      () => a.deleteMany({}),
      () => a.findOneAndUpdate({}, { $set: { x: 2 } }),
      () => a.bulkWrite([{ deleteOne: { filter: {} } }]),
      () => a.createIndex({ x: 1 }),
      () => a.drop(),
      () => engine.db.createCollection('b'),
      () => engine.db.dropDatabase(),
    ]
    const before = await a.countDocuments()
    await block({ global: true })
    for (const write of refused) expect(await failure(write()), String(write)).to.include({ code: 371 })
    await engine.kill()
    engine = await startEngine({ dir })
    expect(await failure(engine.db.collection('a').insertOne({}))).to.include({ code: 371 })
    expect(await engine.db.collection('a').countDocuments()).to.equal(before)
    await block({ global: false })
    await engine.db.collection('a').insertOne({})
    await block({ global: true, embeddedForMs: 600_000 })
    expect(await failure(engine.db.collection('a').insertOne({}))).to.include({ code: 371 })
    await engine.kill()
    engine = await startEngine({ dir })
    await engine.db.collection('a').insertOne({})
  })

  const wrong: readonly (readonly [string, Document, number])[] = [
    ['no mode', {}, 40414],
    ['a mode that is none', { global: 'yes' }, 14],
    ['a time that is none', { global: true, embeddedForMs: 'long' }, 2],
  ]
  for (const [name, fields, code] of wrong)
    it(`the block: ${name} is refused`, async () => expect(await failure(block(fields))).to.include({ code }))

  it('the block is of all databases, by the name of admin alone', async () =>
    expect(await failure(engine.db.command({ setUserWriteBlockMode: 1, global: true }))).to.include({ code: 13 }))
})
