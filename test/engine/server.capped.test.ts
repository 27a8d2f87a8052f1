import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { type ClientSession, type Collection, type Document, type Long, MongoClient } from 'mongodb'
import { exit, type Started, startEngine, temporaryFolder, url } from '../start/engine.ts'
import { failure } from './failure.ts'

type Row = { _id: number; text?: string; group?: string }

/** Longer than anything here waits for news. */
const patienceMs = 20_000

describe('engine: capped collections', () => {
  let engine: Started
  before(async () => {
    engine = await startEngine()
  })
  after(() => engine.stop())

  const create = (options: Document) => engine.db.createCollection<Row>(`capped-${randomUUID()}`, options)
  const ids = async (collection: Collection<Row>) => (await collection.find().toArray()).map(({ _id }) => _id)
  const rows = (...wanted: readonly number[]) => wanted.map((_id) => ({ _id }))

  const refused: readonly (readonly [name: string, options: Document, code: number, message: string])[] = [
    ['capped needs a size', { capped: true }, 72, "the 'size' field is required when 'capped' is true"],
    ['max alone is no size', { capped: true, max: 3 }, 72, "the 'size' field is required when 'capped' is true"],
    [
      'a size is at least one byte',
      { capped: true, size: 0 },
      2,
      "BSON field 'size' value must be >= 1, actual value '0'",
    ],
    ['a size is a number', { capped: true, size: 'large' }, 14, "BSON field 'size' is the wrong type 'string'"],
    ['a size is at most 1 PB', { capped: true, size: 2 ** 51 }, 2, 'size cannot exceed 1 PB'],
    ['max is below 2^31', { capped: true, size: 1, max: 2 ** 31 }, 2, 'max in a capped collection has to be < 2^31'],
    ['a size needs capped', { size: 4096 }, 72, "the 'capped' field needs to be true"],
    ['max needs capped', { max: 3 }, 72, "the 'capped' field needs to be true"],
  ]
  for (const [name, options, code, message] of refused) {
    it(`create is refused: ${name}`, async () => {
      const refusal = await failure(engine.db.command({ create: 'refused', ...options }))
      expect(refusal).to.include({ code })
      expect(refusal).to.have.property('message').that.includes(message)
    })
  }

  it('listCollections and collStats show the bounds; a size is rounded up to 256 bytes', async () => {
    const collection = await create({ capped: true, size: 1000, max: 5 })
    expect(await collection.options()).to.deep.equal({ capped: true, size: 1024, max: 5 })
    expect(await collection.isCapped()).to.equal(true)
    const stats = await engine.db.command({ collStats: collection.collectionName })
    expect(stats).to.include({ capped: true, max: 5, maxSize: 1024 })
    const ordinary = await engine.db.command({ collStats: 'ordinary' })
    expect(ordinary).to.include({ capped: false }).and.not.have.property('maxSize')
  })

  it('above max the oldest documents go, in one insert as in many', async () => {
    const collection = await create({ capped: true, size: 100_000, max: 3 })
    for (const _id of [7, 3, 9, 1]) await collection.insertOne({ _id })
    expect(await ids(collection)).to.deep.equal([3, 9, 1])
    await collection.insertMany(rows(20, 21, 22, 23, 24))
    expect(await ids(collection)).to.deep.equal([22, 23, 24])
    expect(await collection.countDocuments()).to.equal(3)
  })

  it('above the size the oldest documents go, as many as are needed', async () => {
    const collection = await create({ capped: true, size: 1024 })
    await collection.insertMany([1, 2, 3, 4].map((_id) => ({ _id, text: 'x'.repeat(200) })))
    await collection.insertOne({ _id: 5, text: 'x'.repeat(600) })
    expect(await ids(collection)).to.deep.equal([4, 5])
    const { size } = await engine.db.command({ collStats: collection.collectionName })
    expect(size).to.be.at.most(1024)
  })

  it('what has gone is in no index', async () => {
    const collection = await create({ capped: true, size: 100_000, max: 2 })
    await collection.createIndex({ group: 1 })
    await collection.insertMany([1, 2, 3].map((_id) => ({ _id, group: 'a' })))
    expect(await collection.find({ group: 'a' }).hint({ group: 1 }).toArray()).to.have.length(2)
    expect(await collection.findOne({ _id: 1 })).to.equal(null)
    await collection.insertOne({ _id: 1, group: 'b' })
    const { valid } = await engine.db.command({ validate: collection.collectionName })
    expect(valid).to.equal(true)
  })

  it('a document above the size is refused and makes nobody go', async () => {
    const collection = await create({ capped: true, size: 512 })
    await collection.insertOne({ _id: 1 })
    const refusal = await failure(collection.insertOne({ _id: 2, text: 'x'.repeat(600) }))
    expect(refusal).to.include({ code: 2 })
    expect(refusal).to.have.property('message').that.includes('object to insert exceeds cappedMaxSize')
    expect(await ids(collection)).to.deep.equal([1])
  })

  it('a second document with a key that is still there is refused, and makes nobody go', async () => {
    const collection = await create({ capped: true, size: 100_000, max: 2 })
    await collection.insertMany(rows(1, 2))
    expect(await failure(collection.insertOne({ _id: 1 }))).to.include({ code: 11000 })
    expect(await ids(collection)).to.deep.equal([1, 2])
  })

  it('upserts, findAndModify and $merge insert within the bounds too', async () => {
    const collection = await create({ capped: true, size: 100_000, max: 2 })
    await collection.insertMany(rows(1, 2))
    await collection.updateOne({ _id: 3 }, { $set: { text: 'upserted' } }, { upsert: true })
    await collection.findOneAndUpdate({ _id: 4 }, { $set: { text: 'upserted' } }, { upsert: true })
    expect(await ids(collection)).to.deep.equal([3, 4])
    await engine.db.collection<Row>('source').insertOne({ _id: 5 })
    await engine.db
      .collection('source')
      .aggregate([{ $merge: collection.collectionName }])
      .toArray()
    expect(await ids(collection)).to.deep.equal([4, 5])
  })

  it('an update may change the size of a document, which keeps its place; the next insert makes room', async () => {
    const collection = await create({ capped: true, size: 512 })
    await collection.insertMany(rows(1, 2, 3))
    await collection.updateOne({ _id: 2 }, { $set: { text: 'x'.repeat(400) } })
    expect(await ids(collection)).to.deep.equal([1, 2, 3])
    await collection.updateOne({ _id: 3 }, { $set: { text: 'x'.repeat(200) } })
    expect(await ids(collection)).to.deep.equal([1, 2, 3])
    await collection.insertOne({ _id: 4 })
    expect(await ids(collection)).to.deep.equal([3, 4])
  })

  it('a delete makes room', async () => {
    const collection = await create({ capped: true, size: 100_000, max: 3 })
    await collection.insertMany(rows(1, 2, 3))
    expect((await collection.deleteOne({ _id: 2 })).deletedCount).to.equal(1)
    await collection.insertOne({ _id: 4 })
    expect(await ids(collection)).to.deep.equal([1, 3, 4])
    await collection.findOneAndDelete({ _id: 1 })
    await collection.insertMany(rows(5, 6))
    expect(await ids(collection)).to.deep.equal([4, 5, 6])
    await collection.deleteMany({})
    await collection.insertMany(rows(7, 8))
    expect(await ids(collection)).to.deep.equal([7, 8])
  })

  it('the natural order is that of the inserts, both ways', async () => {
    const collection = await create({ capped: true, size: 100_000 })
    await collection.insertMany(rows(5, 1, 4))
    const backwards = await collection.find().sort({ $natural: -1 }).toArray()
    expect(backwards.map(({ _id }) => _id)).to.deep.equal([4, 1, 5])
  })

  it('$out does not replace a capped collection', async () => {
    const collection = await create({ capped: true, size: 4096 })
    await engine.db.collection<Row>('source').updateOne({ _id: 5 }, { $set: {} }, { upsert: true })
    const written = engine.db
      .collection('source')
      .aggregate([{ $out: collection.collectionName }])
      .toArray()
    expect(await failure(written)).to.include({ code: 17152 })
  })

  it('bounds, contents and order are the same after a start', async () => {
    const first = await startEngine({ dir: temporaryFolder() })
    const made = await first.db.createCollection<Row>('kept', { capped: true, size: 4096, max: 3 })
    await made.insertMany(rows(3, 2, 1))
    await first.stop()
    const second = await startEngine({ dir: first.dir })
    const kept = second.db.collection<Row>('kept')
    await kept.insertOne({ _id: 0 })
    expect(await ids(kept)).to.deep.equal([2, 1, 0])
    expect(await kept.options()).to.deep.equal({ capped: true, size: 4096, max: 3 })
    await second.stop()
  })

  it('the first update after a start counts what it changed once', async () => {
    const first = await startEngine({ dir: temporaryFolder() })
    const made = await first.db.createCollection<Row>('kept', { capped: true, size: 4096 })
    await made.insertMany(rows(1, 2, 3))
    await first.stop()
    const second = await startEngine({ dir: first.dir })
    const kept = second.db.collection<Row>('kept')
    await kept.updateOne({ _id: 2 }, { $set: { text: 'x'.repeat(2_400) } })
    await kept.insertOne({ _id: 4 })
    expect(await ids(kept)).to.deep.equal([1, 2, 3, 4])
    await second.stop()
  })
})

describe('engine: tailable cursors', () => {
  let engine: Started
  let session: ClientSession
  before(async () => {
    engine = await startEngine()
    session = engine.client.startSession()
  })
  after(() => engine.stop())

  const create = (options: Document = {}) =>
    engine.db.createCollection<Row>(`capped-${randomUUID()}`, { capped: true, size: 100_000, ...options })
  const inSession = () => ({ promoteLongs: false, session })
  const find = (name: string, options: Document = {}) =>
    engine.db.command({ find: name, tailable: true, awaitData: true, ...options }, inSession())
  const getMore = (name: string, id: Long, options: Document = {}) =>
    engine.db.command({ getMore: id, collection: name, ...options }, inSession())
  const idsOf = (batch: readonly Row[]) => batch.map(({ _id }) => Number(_id))
  /** How many commands the engine has begun, by name. */
  const begun = async (command: string) => Number((await engine.db.admin().serverStatus()).opcounters[command] ?? 0)
  /** A getMore that the engine has begun to answer. */
  async function waiting(name: string, id: Long, options: Document = { maxTimeMS: patienceMs }) {
    const before = await begun('getMore')
    const answer = getMore(name, id, options)
    answer.catch(() => undefined)
    while ((await begun('getMore')) === before);
    return { answer }
  }
  /** A cursor at the end of a collection of one document. */
  async function atEnd(options: Document = {}, bounds: Document = {}) {
    const collection = await create(bounds)
    await collection.insertOne({ _id: 0 })
    const { cursor } = await find(collection.collectionName, options)
    return { collection, name: collection.collectionName, id: cursor.id as Long }
  }

  const refused: readonly (readonly [name: string, options: Document, code: number])[] = [
    ['awaitData without tailable', { tailable: false, awaitData: true }, 9],
    ['a sort', { sort: { _id: 1 } }, 2],
    ['the natural order backwards', { sort: { $natural: -1 } }, 2],
    ['a single batch', { singleBatch: true }, 2],
  ]
  for (const [name, options, code] of refused) {
    it(`find is refused: ${name}`, async () => {
      const collection = await create()
      expect(await failure(find(collection.collectionName, options))).to.include({ code })
    })
  }

  it('find is refused on a collection that is not capped', async () => {
    await engine.db.collection<Row>('ordinary').insertOne({ _id: 1 })
    const refusal = await failure(find('ordinary'))
    expect(refusal).to.include({ code: 2, codeName: 'BadValue' })
    expect(refusal).to.have.property('message').that.includes('tailable cursor requested on non capped collection')
  })

  it('nobody waits on a collection that is missing or empty: the cursor is dead from the start', async () => {
    const collection = await create()
    for (const name of ['missing', collection.collectionName]) {
      const { cursor } = await find(name)
      expect(String(cursor.id), name).to.equal('0')
      expect(cursor.firstBatch).to.deep.equal([])
    }
  })

  it('a cursor that awaits nothing answers at once with nothing, and lives on', async () => {
    const { collection, name, id } = await atEnd({ awaitData: false })
    const { cursor } = await getMore(name, id)
    expect(cursor.nextBatch).to.deep.equal([])
    expect(cursor.id.equals(id)).to.equal(true)
    await collection.insertOne({ _id: 1 })
    expect(idsOf((await getMore(name, id)).cursor.nextBatch)).to.deep.equal([1])
  })

  it('a time to wait is refused where nothing is awaited', async () => {
    const { name, id } = await atEnd({ awaitData: false })
    const refusal = await failure(getMore(name, id, { maxTimeMS: 10 }))
    expect(refusal).to.include({ code: 2 })
    expect(refusal)
      .to.have.property('message')
      .that.includes('cannot set maxTimeMS on getMore command for a non-awaitData cursor')
  })

  it('an awaiting cursor is pushed what a commit inserted', async () => {
    const { collection, name, id } = await atEnd()
    for (const _id of [1, 2, 3]) {
      const { answer } = await waiting(name, id)
      await collection.insertOne({ _id })
      expect(idsOf((await answer).cursor.nextBatch)).to.deep.equal([_id])
    }
  })

  it('what was inserted between two batches is not waited for', async () => {
    const { collection, name, id } = await atEnd()
    await collection.insertMany([{ _id: 1 }, { _id: 2 }])
    expect(idsOf((await getMore(name, id, { maxTimeMS: patienceMs })).cursor.nextBatch)).to.deep.equal([1, 2])
  })

  it('a batch that stays empty ends after maxTimeMS, and the cursor lives on', async () => {
    const { collection, name, id } = await atEnd()
    for (const maxTimeMS of [1, 50]) {
      const { cursor } = await getMore(name, id, { maxTimeMS })
      expect(cursor.nextBatch).to.deep.equal([])
      expect(cursor.id.equals(id)).to.equal(true)
    }
    await collection.insertOne({ _id: 1 })
    expect(idsOf((await getMore(name, id, { maxTimeMS: patienceMs })).cursor.nextBatch)).to.deep.equal([1])
  })

  it('documents the filter refuses end no wait', async () => {
    const { collection, name, id } = await atEnd({ filter: { group: 'wanted' }, projection: { _id: 1 } })
    const { answer } = await waiting(name, id)
    await collection.insertOne({ _id: 1, group: 'other' })
    await collection.insertOne({ _id: 2, group: 'wanted' })
    expect((await answer).cursor.nextBatch).to.deep.equal([{ _id: 2 }])
  })

  it('inserts into other collections end no wait', async () => {
    const { collection, name, id } = await atEnd()
    const other = await create()
    const { answer } = await waiting(name, id)
    await other.insertOne({ _id: 1 })
    await collection.insertOne({ _id: 2 })
    expect(idsOf((await answer).cursor.nextBatch)).to.deep.equal([2])
  })

  it('many wait for the same document, and all get it', async () => {
    const { collection, name } = await atEnd()
    const answers = []
    for (let n = 0; n < 20; n++) {
      const { cursor } = await find(name)
      answers.push((await waiting(name, cursor.id)).answer)
    }
    await collection.insertOne({ _id: 1 })
    for (const { cursor } of await Promise.all(answers)) expect(idsOf(cursor.nextBatch)).to.deep.equal([1])
  })

  it('batches have the size asked for; skip and limit count over all of them', async () => {
    const collection = await create()
    await collection.insertMany([0, 1, 2, 3, 4, 5].map((_id) => ({ _id })))
    const { cursor } = await find(collection.collectionName, { batchSize: 2, skip: 1, limit: 4 })
    expect(idsOf(cursor.firstBatch)).to.deep.equal([1, 2])
    const next = await getMore(collection.collectionName, cursor.id, { batchSize: 5, maxTimeMS: patienceMs })
    expect(idsOf(next.cursor.nextBatch)).to.deep.equal([3, 4])
  })

  it('a cursor of the driver is not closed by an empty batch', async () => {
    const collection = await create({ max: 3 })
    await collection.insertMany([{ _id: 1 }, { _id: 2 }])
    const command = { find: collection.collectionName, tailable: true, batchSize: 2 }
    const rows = engine.db.runCursorCommand(command, {})
    const seen = [await rows.tryNext(), await rows.tryNext(), await rows.tryNext(), await rows.tryNext()]
    expect(seen).to.deep.equal([{ _id: 1 }, { _id: 2 }, null, null])
    await collection.insertOne({ _id: 3 })
    expect(await rows.tryNext()).to.deep.equal({ _id: 3 })
    expect(rows.closed).to.equal(false)
    await rows.close()
  })

  it('the driver iterates for ever, in the order of the inserts', async () => {
    const collection = await create({ max: 1_000 })
    await collection.insertOne({ _id: 0 })
    const cursor = collection.find({}, { tailable: true, awaitData: true, maxAwaitTimeMS: patienceMs, batchSize: 7 })
    const writes = (async () => {
      for (let from = 1; from < 100; from += 3) await collection.insertMany([0, 1, 2].map((n) => ({ _id: from + n })))
    })()
    const seen: number[] = []
    for await (const { _id } of cursor) {
      seen.push(_id)
      if (_id === 99) break
    }
    await writes
    expect(seen).to.deep.equal(Array.from({ length: 100 }, (_, n) => n))
  })

  it('a cursor whose position was overwritten is lost: 136, and then unknown', async () => {
    const { collection, name, id } = await atEnd({}, { max: 2 })
    await collection.insertMany([{ _id: 1 }, { _id: 2 }])
    expect(await failure(getMore(name, id))).to.include({ code: 136, codeName: 'CappedPositionLost' })
    expect(await failure(getMore(name, id))).to.include({ code: 43 })
  })

  it('a cursor that waits while its position is overwritten is lost too', async () => {
    const { collection, name, id } = await atEnd({}, { max: 2 })
    const { answer } = await waiting(name, id)
    await collection.insertMany([{ _id: 1 }, { _id: 2 }])
    expect(await failure(answer)).to.include({ code: 136 })
  })

  it('a cursor whose position was deleted is lost', async () => {
    const { collection, name, id } = await atEnd()
    await collection.deleteOne({ _id: 0 })
    expect(await failure(getMore(name, id))).to.include({ code: 136 })
  })

  it('killing a cursor ends its wait at once', async () => {
    const { name, id } = await atEnd()
    const { answer } = await waiting(name, id)
    await engine.db.command({ killCursors: name, cursors: [id] })
    expect(await failure(answer)).to.include({ code: 237, codeName: 'CursorKilled' })
  })

  it('dropping the collection ends the wait at once', async () => {
    const { collection, name, id } = await atEnd()
    const { answer } = await waiting(name, id)
    await collection.drop()
    expect(await failure(answer)).to.include({ code: 175 })
  })

  it('a cursor that is waited for cannot be asked by another', async () => {
    const { collection, name, id } = await atEnd()
    const { answer } = await waiting(name, id)
    expect(await failure(getMore(name, id))).to.include({ code: 143 })
    await collection.insertOne({ _id: 1 })
    await answer
  })

  it('a connection that closes takes the cursor with it that waited there', async () => {
    const { name } = await atEnd()
    const open = async () => Number((await engine.db.admin().serverStatus()).metrics.cursor.open.total)
    const before = await open()
    const other = await new MongoClient(url(engine.socket)).connect()
    const rows = other
      .db('test')
      .collection(name)
      .find({}, { tailable: true, awaitData: true, maxAwaitTimeMS: patienceMs })
    await rows.next()
    const asked = await begun('getMore')
    const next = failure(rows.next())
    while ((await begun('getMore')) === asked);
    expect(await open()).to.equal(before + 1)
    await other.close()
    await next
    while ((await open()) > before);
  })

  it('a stopping engine ends all waits at once', async () => {
    const own = await startEngine()
    const collection = await own.db.createCollection<Row>('capped', { capped: true, size: 4096 })
    await collection.insertOne({ _id: 0 })
    const { cursor } = await own.db.command(
      { find: 'capped', tailable: true, awaitData: true },
      { promoteLongs: false },
    )
    const next = failure(own.db.command({ getMore: cursor.id, collection: 'capped', maxTimeMS: patienceMs }))
    while (Number((await own.db.admin().serverStatus()).opcounters.getMore ?? 0) === 0);
    own.process.send({ stop: true })
    expect(await next).to.include({ code: 11600 })
    expect(await exit(own.process)).to.equal(0)
    await own.client.close()
  })
})
