import { expect } from 'chai'
import { Binary, type Document, Long, type MongoClientBulkWriteError } from 'mongodb'
import { encode } from '../../engine/bson/encode.ts'
import { limits } from '../../engine/limits.ts'
import { openWriter } from '../../engine/store/database.ts'
import { Store } from '../../engine/store/store.ts'
import { replyMessage } from '../../engine/wire/reply.ts'
import { newWriteContext } from '../../engine/writer/context.ts'
import { type Answer, Groups } from '../../engine/writer/groups.ts'
import { statementFor } from '../../engine/writer/statements.ts'
import { eventually } from '../eventually.ts'
import { type Started, startEngine, temporaryFolder } from '../start/engine.ts'
import { failure } from './failure.ts'

const nsInfo = [{ ns: 'bulk.a' }, { ns: 'bulk.b' }, { ns: 'other.c' }, { ns: 'bulk.system.x' }, { ns: 'bulk.x$y' }]
const good = { insert: 0, document: { _id: 'good' } }
const set = { $set: { n: 1 } }

type Row = { _id: number; n?: number } & Document

describe('engine: bulkWrite', () => {
  let engine: Started
  const send = (command: Document) =>
    engine.client.db('admin').command({ bulkWrite: 1, nsInfo, ...command }, { ignoreUndefined: true })
  const all = async (database: string, name: string) =>
    engine.client.db(database).collection(name).find().sort({ _id: 1 }).toArray()
  before(async () => {
    engine = await startEngine()
  })
  after(() => engine.stop())
  beforeEach(async () => {
    await Promise.all(['bulk', 'other'].map((name) => engine.client.db(name).dropDatabase()))
    await engine.client.db('bulk').collection('a').createIndex({ unique: 1 }, { unique: true, sparse: true })
    await engine.client
      .db('bulk')
      .collection<Row>('a')
      .insertMany([
        { _id: 1, n: 1, unique: 'one', list: [1, 5, 9] },
        { _id: 2, n: 2, unique: 'two' },
        { _id: 3, n: 2 },
      ])
  })

  describe('a malformed request is refused before any of it is done', () => {
    const operation = (bad: Document) => ({ ops: [good, bad] })
    const update = (fields: Document) => operation({ update: 0, filter: {}, updateMods: set, ...fields })
    const removal = (fields: Document) => operation({ delete: 0, filter: {}, ...fields })
    const refused: readonly (readonly [name: string, command: Document, code: number])[] = [
      ['without operations', {}, 40414],
      ['with no operation', { ops: [] }, 16],
      ['with more operations than one may have', { ops: Array(limits.writeBatch + 1).fill({}) }, 16],
      ['without namespaces', { ops: [good], nsInfo: undefined }, 40414],
      ['with no namespace', { ops: [good], nsInfo: [] }, 2],
      ['operations that are no array', { ops: 'test' }, 14],
      ['operations that are no documents', { ops: ['test'] }, 14],
      ['namespaces that are no array', { ops: [good], nsInfo: 'test' }, 14],
      ['namespaces that are no documents', { ops: [good], nsInfo: ['test.c'] }, 14],
      ['a namespace without a name', { ops: [good], nsInfo: [{}] }, 40414],
      ['a namespace whose name is no text', { ops: [good], nsInfo: [{ ns: 1 }] }, 14],
      ['a namespace with another field', { ops: [good], nsInfo: [{ ns: 'bulk.a', frob: 1 }] }, 40415],
      ['a namespace that expects a collection', { ops: [good], nsInfo: [{ ns: 'bulk.a', collectionUUID: 1 }] }, 40415],
      ['a namespace without a dot, though unused', { ops: [good], nsInfo: [nsInfo[0], { ns: 'nodot' }] }, 73],
      ['a namespace without a database', { ops: [good], nsInfo: [nsInfo[0], { ns: '.a' }] }, 73],
      ['a namespace without a collection', { ops: [good], nsInfo: [nsInfo[0], { ns: 'bulk.' }] }, 73],
      ['a namespace with two dots', { ops: [good], nsInfo: [nsInfo[0], { ns: 'bulk..a' }] }, 73],
      ['a namespace with a zero', { ops: [good], nsInfo: [nsInfo[0], { ns: 'bulk.a\0' }] }, 73],
      ['a database that none may be called', { ops: [good], nsInfo: [nsInfo[0], { ns: 'b$lk.a' }] }, 73],
      ['a namespace of 256 bytes', { ops: [good], nsInfo: [nsInfo[0], { ns: `bulk.${'x'.repeat(251)}` }] }, 73],
      ['another field', { ops: [good], frob: 1 }, 40415],
      ['a statement number', { ops: [good], stmtId: 1 }, 40415],
      ['another field of the cursor', { ops: [good], cursor: { batchSize: 1, frob: 1 } }, 40415],
      ['a negative batch', { ops: [good], cursor: { batchSize: -1 } }, 2],
      ['a cursor that is none', { ops: [good], cursor: 5 }, 14],
      ['ordered by text', { ops: [good], ordered: 'yes' }, 14],
      ['errorsOnly by text', { ops: [good], errorsOnly: 'yes' }, 14],
      ['variables that are no document', { ops: [good], let: 5 }, 14],
      ['two acknowledgements', { ops: [good], writeConcern: { w: 2 } }, 2],
      [
        'a transaction number, and with it retries of many documents',
        { ...update({ multi: true }), txnNumber: Long.ONE, lsid: { id: new Binary(Buffer.alloc(16), 4) } },
        20,
      ],
      ['an index past the namespaces', operation({ insert: 5, document: {} }), 2],
      ['an index below', operation({ insert: -1, document: {} }), 2],
      ['an index that is text', operation({ insert: 'a', document: {} }), 14],
      ['an index of null', operation({ insert: null, document: {} }), 2],
      ['an operation of no kind', operation({}), 40415],
      ['an operation of another kind', operation({ replace: 0, filter: {} }), 40415],
      ['an operation named as objects have it', operation({ constructor: 0 }), 40415],
      ['an operation whose kind is not its first field', operation({ document: {}, insert: 0 }), 40415],
      ['an insert without a document', operation({ insert: 0 }), 40414],
      ['an insert of text', operation({ insert: 0, document: 'test' }), 14],
      ['an insert of two', operation({ insert: 0, documents: [{}] }), 40415],
      ['an insert into a system collection', operation({ insert: 3, document: {} }), 73],
      ['an insert into a name with a dollar', operation({ insert: 4, document: {} }), 73],
      ['an update without a filter', operation({ update: 0, updateMods: set }), 40414],
      ['an update without a change', operation({ update: 0, filter: {} }), 40414],
      ['a filter that is none', update({ filter: 5 }), 14],
      ['a change that is none', update({ updateMods: 5 }), 9],
      ['the fields of the update command', operation({ update: 0, q: {}, u: set }), 40415],
      ['an update of many by number', update({ multi: 1 }), 14],
      ['an upsert by number', update({ upsert: 1 }), 14],
      ['array filters that are no array', update({ arrayFilters: {} }), 14],
      ['a hint that is none', update({ hint: 5 }), 9],
      ['a sort that is none', update({ sort: 1 }), 14],
      ['a collation that is none', update({ collation: 'de' }), 14],
      ['constants', update({ constants: { a: 1 } }), 40415],
      ['a field of updates that objects have', update({ toString: 1 }), 40415],
      ['a removal without a filter', operation({ delete: 0 }), 40414],
      ['a removal with a limit', removal({ limit: 1 }), 40415],
      ['a removal with a sort', removal({ sort: { n: 1 } }), 40415],
      ['a removal of many by number', removal({ multi: 1 }), 14],
      ['a removal with a hint that is none', removal({ hint: 5 }), 9],
    ]
    for (const [name, command, code] of refused) {
      it(`${name}: ${code}`, async () => {
        expect(await failure(send(command))).to.include({ code })
        expect(await all('bulk', 'a')).to.have.length(3)
      })
    }

    it('outside of the database admin', async () => {
      const elsewhere = engine.client.db('bulk').command({ bulkWrite: 1, nsInfo, ops: [good] })
      expect(await failure(elsewhere)).to.include({ code: 13 })
    })
  })

  describe('operations', () => {
    const insert = (document: Document, ns = 0) => ({ insert: ns, document })
    const update = (filter: Document, updateMods: Document | Document[], more: Document = {}) => ({
      update: 0,
      filter,
      updateMods,
      ...more,
    })
    const twice = insert({ _id: 1 })
    const counted = { nErrors: 0, nInserted: 0, nMatched: 0, nModified: 0, nUpserted: 0, nDeleted: 0 }
    type Case = readonly [
      name: string,
      command: Document,
      counts: Partial<typeof counted>,
      /** The operations that have a result, and the code of those that failed. */
      results: string,
      /** What collection a holds then: `_id:n` of each. */
      a: string,
    ]
    const cases: readonly Case[] = [
      ['an insert', { ops: [insert({ _id: 4 })] }, { nInserted: 1 }, '0', '1:1 2:2 3:2 4:'],
      [
        'an insert that names its namespace by a long',
        { ops: [{ insert: Long.ZERO, document: { _id: 4 } }] },
        { nInserted: 1 },
        '0',
        '1:1 2:2 3:2 4:',
      ],
      [
        'inserts into several collections',
        { ops: [insert({ _id: 4 }), insert({ _id: 4 }, 1), insert({ _id: 4 }, 2)] },
        { nInserted: 3 },
        '0 1 2',
        '1:1 2:2 3:2 4:',
      ],
      [
        'a namespace named twice',
        { nsInfo: [{ ns: 'bulk.a' }, { ns: 'bulk.a' }], ops: [insert({ _id: 4 }), insert({ _id: 5 }, 1)] },
        { nInserted: 2 },
        '0 1',
        '1:1 2:2 3:2 4: 5:',
      ],
      [
        'an update of one',
        { ops: [update({ n: 2 }, { $inc: { n: 5 } })] },
        { nMatched: 1, nModified: 1 },
        '0',
        '1:1 2:7 3:2',
      ],
      [
        'an update of the last by a sort',
        { ops: [update({ n: 2 }, { $inc: { n: 5 } }, { sort: { _id: -1 } })] },
        { nMatched: 1, nModified: 1 },
        '0',
        '1:1 2:2 3:7',
      ],
      [
        'an update of many',
        { ops: [update({ n: 2 }, { $inc: { n: 5 } }, { multi: true })] },
        { nMatched: 2, nModified: 2 },
        '0',
        '1:1 2:7 3:7',
      ],
      [
        'an update of many with a sort',
        { ops: [update({ n: 2 }, { $inc: { n: 5 } }, { multi: true, sort: { _id: 1 } })] },
        { nErrors: 1 },
        '0!9',
        '1:1 2:2 3:2',
      ],
      [
        'an update that changes nothing',
        { ops: [update({ n: 1 }, { $set: { n: 1 } })] },
        { nMatched: 1 },
        '0',
        '1:1 2:2 3:2',
      ],
      ['an update that finds nothing', { ops: [update({ n: 9 }, { $set: { n: 1 } })] }, {}, '0', '1:1 2:2 3:2'],
      [
        'an update of a collection that is missing',
        { ops: [{ ...update({}, set), update: 1 }] },
        {},
        '0',
        '1:1 2:2 3:2',
      ],
      ['a replacement', { ops: [update({ _id: 1 }, { n: 8 })] }, { nMatched: 1, nModified: 1 }, '0', '1:8 2:2 3:2'],
      [
        'a replacement of the last by a sort',
        { ops: [update({ n: 2 }, { n: 8 }, { sort: { _id: -1 } })] },
        { nMatched: 1, nModified: 1 },
        '0',
        '1:1 2:2 3:8',
      ],
      [
        'a replacement of many',
        { ops: [update({ n: 2 }, { n: 8 }, { multi: true })] },
        { nErrors: 1 },
        '0!9',
        '1:1 2:2 3:2',
      ],
      [
        'a pipeline with variables',
        { let: { by: 3 }, ops: [update({ $expr: { $eq: ['$n', 1] } }, [{ $set: { n: { $add: ['$n', '$$by'] } } }])] },
        { nMatched: 1, nModified: 1 },
        '0',
        '1:4 2:2 3:2',
      ],
      [
        'array filters',
        { ops: [update({ _id: 1 }, { $inc: { 'list.$[big]': 1, n: 1 } }, { arrayFilters: [{ big: { $gt: 4 } }] })] },
        { nMatched: 1, nModified: 1 },
        '0',
        '1:2 2:2 3:2',
      ],
      [
        'an upsert',
        { ops: [update({ _id: 4 }, { $set: { n: 4 } }, { upsert: true })] },
        { nUpserted: 1 },
        '0',
        '1:1 2:2 3:2 4:4',
      ],
      [
        'an upsert of many',
        { ops: [update({ _id: 4 }, { $set: { n: 4 } }, { upsert: true, multi: true })] },
        { nUpserted: 1 },
        '0',
        '1:1 2:2 3:2 4:4',
      ],
      [
        'an upsert that finds its document',
        { ops: [update({ _id: 2 }, { $set: { n: 4 } }, { upsert: true })] },
        { nMatched: 1, nModified: 1 },
        '0',
        '1:1 2:4 3:2',
      ],
      [
        'a hint',
        {
          ops: [
            update({ n: 1 }, { $inc: { n: 1 } }, { hint: '_id_' }),
            { delete: 0, filter: { n: 2 }, hint: { _id: 1 } },
          ],
        },
        { nMatched: 1, nModified: 1, nDeleted: 1 },
        '0 1',
        '2:2 3:2',
      ],
      [
        'a hint that names no index',
        { ops: [update({ n: 1 }, set, { hint: 'frob' })] },
        { nErrors: 1 },
        '0!2',
        '1:1 2:2 3:2',
      ],
      [
        'the simple collation',
        { ops: [update({ n: 1 }, { $inc: { n: 1 } }, { collation: { locale: 'simple' } })] },
        { nMatched: 1, nModified: 1 },
        '0',
        '1:2 2:2 3:2',
      ],
      [
        'another collation',
        { ops: [{ delete: 0, filter: {}, collation: { locale: 'de' } }] },
        { nErrors: 1 },
        '0!72',
        '1:1 2:2 3:2',
      ],
      ['a removal of one', { ops: [{ delete: 0, filter: { n: 2 } }] }, { nDeleted: 1 }, '0', '1:1 3:2'],
      ['a removal of many', { ops: [{ delete: 0, filter: { n: 2 }, multi: true }] }, { nDeleted: 2 }, '0', '1:1'],
      ['a removal that finds nothing', { ops: [{ delete: 0, filter: { n: 9 } }] }, {}, '0', '1:1 2:2 3:2'],
      [
        'each sees what those before it did',
        {
          ops: [
            insert({ _id: 4, n: 4 }),
            update({ _id: 4 }, { $inc: { n: 1 } }),
            update({ n: 5 }, { $inc: { n: 1 } }),
            { delete: 0, filter: { n: 1 } },
          ],
        },
        { nInserted: 1, nMatched: 2, nModified: 2, nDeleted: 1 },
        '0 1 2 3',
        '2:2 3:2 4:6',
      ],
      [
        'ordered, it ends with the first that fails',
        { ops: [insert({ _id: 4 }), twice, insert({ _id: 5 })] },
        { nInserted: 1, nErrors: 1 },
        '0 1!11000',
        '1:1 2:2 3:2 4:',
      ],
      [
        'unordered, it goes on',
        { ordered: false, ops: [insert({ _id: 4 }), twice, insert({ _id: 5 })] },
        { nInserted: 2, nErrors: 1 },
        '0 1!11000 2',
        '1:1 2:2 3:2 4: 5:',
      ],
      [
        'ordered, an update that fails ends it',
        { ops: [update({ _id: 2 }, { $set: { unique: 'one', n: 9 } }), { delete: 0, filter: {} }] },
        { nErrors: 1 },
        '0!11000',
        '1:1 2:2 3:2',
      ],
      [
        'unordered, updates and removals fail alone',
        {
          ordered: false,
          ops: [
            update({ _id: 2 }, { $set: { unique: 'one', n: 9 } }),
            update({ _id: 1 }, { $frob: {} }),
            { delete: 0, filter: { n: { $frob: 1 } } },
            update({ _id: 3 }, { $set: { n: 7 } }),
          ],
        },
        { nErrors: 3, nMatched: 1, nModified: 1 },
        '0!11000 1!9 2!2 3',
        '1:1 2:2 3:7',
      ],
      [
        'an upsert that fails',
        {
          ordered: false,
          ops: [update({ _id: 4 }, { $set: { unique: 'one' } }, { upsert: true }), { delete: 0, filter: { _id: 1 } }],
        },
        { nErrors: 1, nDeleted: 1 },
        '0!11000 1',
        '2:2 3:2',
      ],
      ['an _id that none may be', { ops: [insert({ _id: [1] })] }, { nErrors: 1 }, '0!53', '1:1 2:2 3:2'],
      [
        'an update of a system collection fails alone',
        { ordered: false, ops: [{ ...update({}, set), update: 3 }, { delete: 4, filter: {} }, insert({ _id: 4 })] },
        { nErrors: 2, nInserted: 1 },
        '0!73 1!73 2',
        '1:1 2:2 3:2 4:',
      ],
      [
        'of what is not ordered, only the errors',
        { ordered: false, errorsOnly: true, ops: [insert({ _id: 4 }), twice, insert({ _id: 5 })] },
        { nInserted: 2, nErrors: 1 },
        '1!11000',
        '1:1 2:2 3:2 4: 5:',
      ],
      [
        'only errors, and there are none',
        { errorsOnly: true, ops: [insert({ _id: 4 })] },
        { nInserted: 1 },
        '',
        '1:1 2:2 3:2 4:',
      ],
      [
        'what changes nothing about it',
        {
          ops: [insert({ _id: 4 })],
          comment: 'why',
          apiVersion: '1',
          apiStrict: true,
          bypassDocumentValidation: true,
          writeConcern: { w: 'majority', j: true },
          maxTimeMS: 60_000,
        },
        { nInserted: 1 },
        '0',
        '1:1 2:2 3:2 4:',
      ],
    ]
    for (const [name, command, counts, results, a] of cases) {
      it(name, async () => {
        const { cursor, ...reply } = await send(command)
        expect(reply).to.deep.equal({ ...counted, ...counts, ok: 1 })
        expect({ id: cursor.id, ns: cursor.ns }).to.deep.equal({ id: 0, ns: 'admin.$cmd.bulkWrite' })
        expect(cursor.firstBatch.map(shown).join(' ')).to.equal(results)
        expect((await all('bulk', 'a')).map(({ _id, n }) => `${_id}:${n ?? ''}`).join(' ')).to.equal(a)
      })
    }
    const shown = ({ ok, idx, code }: Document) => (ok === 1 ? idx : `${idx}!${code}`)

    it('each kind has its result', async () => {
      const { cursor } = await send({
        ordered: false,
        ops: [
          insert({ _id: 4 }),
          update({ n: 2 }, set, { multi: true }),
          update({ _id: 5 }, set, { upsert: true }),
          { delete: 0, filter: { _id: 4 } },
          twice,
          update({ _id: 2 }, { $set: { unique: 'one' } }),
        ],
      })
      const [inserted, updated, upserted, deleted, refused, unchanged] = cursor.firstBatch
      expect(inserted).to.deep.equal({ ok: 1, idx: 0, n: 1 })
      expect(updated).to.deep.equal({ ok: 1, idx: 1, n: 2, nModified: 2 })
      expect(upserted).to.deep.equal({ ok: 1, idx: 2, n: 1, nModified: 0, upserted: { _id: 5 } })
      expect(deleted).to.deep.equal({ ok: 1, idx: 3, n: 1 })
      expect(refused).to.deep.include({
        ok: 0,
        idx: 4,
        code: 11000,
        n: 0,
        keyPattern: { _id: 1 },
        keyValue: { _id: 1 },
      })
      expect(refused).to.not.have.property('nModified')
      expect(unchanged).to.deep.include({ ok: 0, idx: 5, n: 0, nModified: 0, keyPattern: { unique: 1 } })
    })
  })

  describe('the cursor over the results', () => {
    const ops = Array.from({ length: 5 }, (_, i) => ({ insert: 1, document: { _id: i } }))
    const batches: readonly (readonly [name: string, more: Document, first: number, open: boolean])[] = [
      ['no size', {}, 5, false],
      ['a size below', { cursor: { batchSize: 2 } }, 2, true],
      ['a size of none', { cursor: { batchSize: 0 } }, 0, true],
      ['a size that fits', { cursor: { batchSize: 5 } }, 5, false],
      ['a size above', { cursor: { batchSize: 9 } }, 5, false],
      ['no result to show', { cursor: { batchSize: 0 }, errorsOnly: true }, 0, false],
    ]
    for (const [name, more, first, open] of batches) {
      it(`${name}: ${first}, ${open ? 'and more' : 'and it is closed'}`, async () => {
        const { cursor, ...counts } = await send({ ops, ...more })
        expect(counts).to.include({ nInserted: 5, nErrors: 0, ok: 1 })
        expect(cursor.firstBatch).to.have.length(first)
        expect(Number(cursor.id) !== 0).to.equal(open)
        if (!open) return
        const getMore = { getMore: cursor.id, collection: '$cmd.bulkWrite' }
        const { cursor: next } = await engine.client.db('admin').command(getMore, { promoteLongs: false })
        expect(next.ns).to.equal('admin.$cmd.bulkWrite')
        const read = [...cursor.firstBatch, ...next.nextBatch]
        expect(read.map(({ idx }: Document) => Number(idx))).to.deep.equal([0, 1, 2, 3, 4])
        expect(String(next.id)).to.equal('0')
      })
    }

    it('it can be killed', async () => {
      const admin = engine.client.db('admin')
      const { cursor } = await send({ ops, cursor: { batchSize: 1 } })
      const { cursorsKilled } = await admin.command({ killCursors: '$cmd.bulkWrite', cursors: [cursor.id] })
      expect(cursorsKilled).to.have.length(1)
    })
  })

  describe('by the driver', () => {
    it('verbose results tell of each operation, over several collections', async () => {
      const result = await engine.client.bulkWrite(
        [
          { name: 'insertOne', namespace: 'bulk.b', document: { _id: 7 as never } },
          { name: 'updateOne', namespace: 'bulk.a', filter: { n: 2 }, update: { $set: { n: 5 } }, sort: { _id: -1 } },
          { name: 'updateMany', namespace: 'bulk.a', filter: {}, update: { $inc: { n: 1 } } },
          {
            name: 'replaceOne',
            namespace: 'other.c',
            filter: { _id: 9 as never },
            replacement: { n: 1 },
            upsert: true,
          },
          { name: 'deleteOne', namespace: 'bulk.b', filter: { _id: 7 as never } },
          { name: 'deleteMany', namespace: 'bulk.a', filter: { n: { $lt: 4 } } },
        ],
        { verboseResults: true },
      )
      expect(result).to.include({
        insertedCount: 1,
        matchedCount: 4,
        modifiedCount: 4,
        upsertedCount: 1,
        deletedCount: 3,
      })
      expect(result.insertResults?.get(0)).to.deep.equal({ insertedId: 7 })
      expect(result.updateResults?.get(3)).to.include({ didUpsert: true, upsertedId: 9 })
      expect(result.deleteResults?.get(5)).to.deep.equal({ deletedCount: 2 })
      expect(await all('bulk', 'a')).to.deep.equal([{ _id: 3, n: 6 }])
    })

    const models = [1, 4, 2, 5].map(
      (_id) => ({ name: 'insertOne', namespace: 'bulk.a', document: { _id: _id as never } }) as const,
    )
    for (const [ordered, errors, kept] of [
      [true, [0], 3],
      [false, [0, 2], 5],
    ] as const) {
      it(`${ordered ? 'ordered' : 'unordered'}, it tells which failed`, async () => {
        const refusal = (await failure(engine.client.bulkWrite(models, { ordered }))) as MongoClientBulkWriteError
        expect([...refusal.writeErrors.keys()]).to.deep.equal(errors)
        expect(refusal.writeErrors.get(0)).to.include({ code: 11000 })
        expect(await all('bulk', 'a')).to.have.length(kept)
      })
    }

    it('results beyond 16 MiB are read to their end, and those beyond their limit are not made', async () => {
      const b = engine.client.db('bulk').collection<Row>('b')
      await b.createIndex({ key: 1 }, { unique: true, sparse: true })
      const key = 'x'.repeat(60_000)
      await b.insertMany([
        { _id: 1, key },
        { _id: 2, from: key },
      ])
      const copy = [{ $set: { key: '$from' } }]
      const model = { name: 'updateOne', namespace: 'bulk.b', filter: { _id: 2 }, update: copy }
      const models = Array(400).fill(model)
      const refusal = await failure(engine.client.bulkWrite(models, { ordered: false }))
      const codes = [...(refusal as MongoClientBulkWriteError).writeErrors.values()].map(({ code }) => code)
      expect(codes.pop()).to.equal(146)
      expect(codes).to.deep.equal(Array(codes.length).fill(11000))
      // The key stands in each result twice: this is more than one batch.
      expect(codes.length * 2 * key.length).to.be.above(limits.batchBytes)
    })

    it('unacknowledged, it is done', async () => {
      const result = await engine.client.bulkWrite(models.slice(1, 2), { ordered: false, writeConcern: { w: 0 } })
      expect(result).to.include({ acknowledged: false })
      await eventually('it is made', async () => (await all('bulk', 'a')).length === 4)
    })
  })

  describe('is one commit', () => {
    const done = (ops: Document[], more: Document = {}): { readonly groups: number; readonly body: Document } => {
      const db = openWriter(temporaryFolder(), { fileBytesMax: Number.MAX_SAFE_INTEGER })
      const ctx = newWriteContext(new Store(db), false)
      const answers: Answer[] = []
      const groups = new Groups(ctx, {
        syncDelayMs: 0,
        answer: (more) => answers.push(...more),
        fail: (reason) => expect.fail(reason),
      })
      const command = {
        bulkWrite: 1,
        ops,
        nsInfo: [{ ns: 'x.a' }, { ns: 'y.b' }],
        ordered: false,
        ...more,
        $db: 'admin',
      }
      const message = new Uint8Array(replyMessage(encode(command as never), 0, 0, false))
      groups.add({ id: 1, bytes: 0, start: () => statementFor(ctx, { id: 1, kind: 'command', message }) })
      let count = 0
      for (; answers.length === 0; count++) groups.runOne()
      db.close()
      return { groups: count, body: answers[0]!.body }
    }
    const inserts = (count: number, bytes = 0) =>
      Array.from({ length: count }, (_, i) => ({ insert: i % 2, document: { _id: i, d: 'x'.repeat(bytes) } }))
    const mixed = Array.from({ length: 250 }, (_, i) => [
      { insert: 0, document: { _id: i } },
      { update: 1, filter: { _id: i }, updateMods: { $set: { i } }, upsert: true },
      { update: 0, filter: { _id: i }, updateMods: { $set: { i } } },
      { delete: 1, filter: { _id: i } },
    ]).flat()
    const groups: readonly (readonly [name: string, ops: Document[], groups: number])[] = [
      ['five', inserts(5), 1],
      ['a thousand of all kinds', mixed, 1],
      ['a thousand that find nothing', Array(1_000).fill({ delete: 0, filter: { a: 1 } }), 1],
      ['a thousand that fail', Array(1_000).fill({ insert: 0, document: { _id: [] } }), 1],
      ['8 MiB', inserts(8, 1024 * 1024 - 64), 1],
      ['more than a thousand rest once', inserts(1_001), 2],
      ['more than 8 MiB', inserts(10, 1024 * 1024), 2],
      ['many that find nothing', Array(2_001).fill({ delete: 0, filter: { a: 1 } }), 3],
    ]
    for (const [name, ops, count] of groups) {
      it(`${name}: ${count}`, () => {
        const { groups, body } = done(ops)
        expect(body, JSON.stringify(body).slice(0, 200)).to.include({ ok: 1 })
        expect(groups).to.equal(count)
      })
    }

    it('whose results nobody waits for has none', () => {
      const { cursor, ...counts } = done(inserts(5), { writeConcern: { w: 0 } }).body
      expect(cursor.firstBatch).to.have.length(0)
      expect(counts).to.include({ nInserted: 5, ok: 1 })
    })
  })
})
