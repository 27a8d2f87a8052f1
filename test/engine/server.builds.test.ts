import { rmSync } from 'node:fs'
import { expect } from 'chai'
import type { Collection, Document } from 'mongodb'
import { type Started, startEngine, temporaryFolder } from '../start/engine.ts'
import { failure } from './failure.ts'

/** Enough for several chunks of a build. */
const rows = 6_000

describe('engine: building an index while others write', () => {
  let engine: Started
  let collection: Collection<Document>
  let round = 0
  before(async () => {
    engine = await startEngine()
  })
  after(() => engine.stop())
  beforeEach(async () => {
    collection = engine.db.collection(`b${round++}`)
    await fill(collection)
  })
  afterEach(async () => {
    const { valid, errors } = await engine.db.command({ validate: collection.collectionName })
    expect(valid, String(errors)).to.equal(true)
  })

  it('holds what was there, what came, what changed and what stayed away', async () => {
    const building = collection.createIndexes([
      { key: { n: 1 }, name: 'n' },
      { key: { tags: 1, n: -1 }, name: 'tags' },
    ])
    const seen: string[] = []
    for (let i = 0; i < 60; i++) {
      seen.push((await collection.indexes()).map(({ name }) => name).join())
      await collection.insertOne({ n: rows + i, tags: ['new', `t${i}`] })
      await collection.updateOne({ _id: (rows - i - 1) as never }, { $set: { n: -i - 1, tags: 'one' } })
      await collection.updateOne({ _id: i as never }, { $inc: { n: 100_000 } })
      await collection.deleteOne({ _id: (rows / 2 + i) as never })
    }
    await building
    expect(seen[0]).to.equal('_id_')
    for (const names of seen) expect(['_id_', '_id_,n,tags']).to.include(names)
    const hint = { hint: 'n' }
    expect(await collection.find({ n: { $lt: 0 } }, hint).toArray()).to.have.length(60)
    expect(await collection.find({ n: { $gte: 100_000 } }, hint).toArray()).to.have.length(60)
    expect(await collection.find({ tags: 'new' }, { hint: 'tags' }).toArray()).to.have.length(60)
    expect((await collection.indexes()).some((index) => 'building' in index)).to.equal(false)
  })

  it('a duplicate far behind ends it, and nothing is left', async () => {
    await collection.insertOne({ n: 3, tags: [] })
    expect(await failure(collection.createIndex({ n: 1 }, { unique: true }))).to.include({ code: 11000 })
    expect(await collection.indexes()).to.have.length(1)
  })

  it('two builds of the same index end as one', async () => {
    await Promise.all([collection.createIndex({ n: 1 }), collection.createIndex({ n: 1 })])
    expect(await collection.indexes()).to.have.length(2)
  })

  it('dropping all indexes ends it', async () => {
    const building = failure(collection.createIndex({ n: 1 }))
    await collection.insertOne({})
    await collection.dropIndexes()
    expect(await building).to.include({ code: 276 })
    expect(await collection.indexes()).to.have.length(1)
  })

  it('a block of writes ends it', async () => {
    const block = (global: boolean) => engine.client.db('admin').command({ setUserWriteBlockMode: 1, global })
    const builds = [failure(collection.createIndex({ n: 1 })), failure(collection.createIndex({ n: 1 }))]
    await engine.db.collection('other').insertOne({})
    await block(true)
    for (const refusal of await Promise.all(builds)) expect(refusal).to.include({ code: 371 })
    expect(await collection.indexes()).to.have.length(1)
    await block(false)
    await collection.createIndex({ n: 1 })
    expect(await collection.find().hint({ n: 1 }).toArray()).to.have.length(rows)
  })

  it('others wait for a chunk, not for the build', async () => {
    const building = collection.createIndex({ n: 1, tags: 1 })
    let writes = 0
    const until = building.then(() => true)
    while (!(await Promise.race([until, collection.insertOne({}).then(() => false)]))) writes++
    expect(writes).to.be.greaterThan(2)
  })

  it('a build that the process did not survive is gone after the next start', async () => {
    const dir = temporaryFolder()
    const first = await startEngine({ dir, args: ['--sync-delay-ms', '20'] })
    await fill(first.db.collection('c'))
    first.db
      .collection('c')
      .createIndex({ n: 1 })
      .catch(() => undefined)
    await first.db.collection('other').insertOne({})
    await first.kill()
    const second = await startEngine({ dir })
    expect(await second.db.collection('c').indexes()).to.have.length(1)
    expect(await second.db.command({ validate: 'c' })).to.include({ valid: true, nrecords: rows })
    await second.db.collection('c').createIndex({ n: 1 })
    await second.stop()
    rmSync(dir, { recursive: true, force: true })
  })

  it('a build for which the disk has no room leaves nothing, and is made when there is room', async () => {
    const full = await startEngine({ args: ['--file-bytes-max', String(8 * 1024 * 1024)] })
    const texts = full.db.collection<{ _id: number; text: string }>('texts')
    const document = (_id: number) => ({ _id, text: String(_id).padStart(1_000, 'x') })
    await texts.insertMany(Array.from({ length: 4_000 }, (_, n) => document(n)))
    const build = () => texts.createIndex({ text: 1 }, { unique: true })
    expect(await failure(build())).to.include({ code: 14031 })
    expect(await texts.indexes()).to.have.length(1)
    // The index that was not made refuses no duplicate.
    await texts.updateOne({ _id: 1 }, { $set: { text: document(0).text } })
    await texts.deleteMany({ _id: { $gte: 300 } })
    expect(await failure(build())).to.include({ code: 11000 })
    await texts.deleteOne({ _id: 1 })
    await build()
    expect(await texts.find().hint({ text: 1 }).toArray()).to.have.length(299)
    expect(await full.db.command({ validate: 'texts' })).to.include({ valid: true, nrecords: 299 })
    await full.stop()
  })
})

async function fill(collection: Collection<Document>): Promise<void> {
  const documents = Array.from({ length: rows }, (_, n) => ({ _id: n as never, n, tags: [`t${n % 7}`, 'all'] }))
  await collection.insertMany(documents)
}
