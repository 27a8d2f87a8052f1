/** Databases that move while they are written. */
import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import type { Document } from 'mongodb'
import { cancelMove, type MoveProgress, moveDatabase } from '../../store/database-move.ts'
import { openStore } from '../../store/open.ts'
import { playMove } from '../crash/move.ts'
import { createRandom } from '../crash/random.ts'
import { failure } from '../engine/failure.ts'
import { type Started, startEngine } from '../start/engine.ts'

const urlOf = ({ socket }: Started) => `mongodb://${encodeURIComponent(socket)}/mailroom`
const silent = { name: 'db.example/mailroom', onProgress: () => undefined, switchOver: async () => undefined }

describe('store: a move', () => {
  it('under load, killed wherever it is, loses nothing and doubles nothing', async () => {
    const { killed, lost, doubled, writes } = await playMove({
      kills: [
        { at: 'copying', times: 2 },
        { at: 'catching up', times: 1 },
        { at: 'comparing', times: 2 },
        { at: 'holding', times: 1 },
      ],
      documents: 600,
      writers: 2,
      random: createRandom(1),
    })
    expect({ killed, lost, doubled }).to.deep.equal({ killed: 4, lost: [], doubled: [] })
    expect(writes).to.be.greaterThan(100)
  })

  describe('of one engine to another', () => {
    let source: Started
    let target: Started
    before(async () => {
      ;[source, target] = await Promise.all([startEngine(), startEngine()])
    })
    after(() => Promise.all([source?.stop(), target?.stop()]))
    const here = () => source.client.db('mailroom')
    const there = () => target.client.db('mailroom')

    it('holds once more when a hold ended before it was over', async () => {
      const letters = here().collection<Document>('letters')
      await letters.insertMany(Array.from({ length: 300 }, (_, n) => ({ n })))
      const open = () => source.client.db('admin').command({ setUserWriteBlockMode: 1, global: false })
      let [holds, written] = [0, 0]
      let writing = Promise.resolve()
      const write = async () => {
        await open()
        while (holds === 1) {
          await letters.insertOne({ n: written }).then(
            () => (written += 1),
            (error: unknown) => expect(error).to.include({ code: 371 }),
          )
          await setTimeout(1)
        }
      }
      const onProgress = ({ step }: MoveProgress) => {
        // As it is when whoever holds hangs for longer than a hold lasts.
        if (step === 'holding' && ++holds === 1) writing = write()
      }
      const moved = await moveDatabase({ from: urlOf(source), to: urlOf(target), ...silent, onProgress })
      expect(holds).to.be.greaterThan(1)
      await writing
      expect(written).to.be.greaterThan(0)
      expect(moved.find(({ collection }) => collection === 'letters')?.documents).to.equal(300 + written)
      expect(await there().collection('letters').countDocuments()).to.equal(300 + written)
      await open()
      await cancelMove(urlOf(source))
      await Promise.all([here().dropDatabase(), there().dropDatabase()])
    })

    it('brings collections with their kind, indexes and lifetimes, and says of each how many and which', async () => {
      await here().createCollection('capped', { capped: true, size: 8192, max: 3 })
      await here()
        .collection('capped')
        .insertMany([{ n: 1 }, { n: 2 }, { n: 3 }])
      await here().collection('expiring').createIndex({ at: 1 }, { expireAfterSeconds: 60 })
      await here()
        .collection('partial')
        .createIndex({ a: 1 }, { unique: true, partialFilterExpression: { b: 1 } })
      await here()
        .collection<Document>('mixed')
        .insertMany([{ _id: 1 }, { _id: 'text' }, { _id: new Date(5) }, { _id: { a: 1 } }] as never)
      const holders = here().collection<Document>('keyHolders')
      await holders.createIndex({ expiresAt: 1 }, { expireAfterSeconds: 0 })
      await holders.insertOne({ _id: 'before the move' as never })
      await here().collection('agendaJobs').insertOne({ name: 'each minute', lockedAt: new Date() })
      let beat = Promise.resolve()
      const onProgress = ({ step }: MoveProgress) => {
        if (step === 'comparing') beat = beat.then(() => holders.insertOne({}).then(() => undefined))
      }
      const moved = await moveDatabase({ from: urlOf(source), to: urlOf(target), ...silent, onProgress })
      await beat
      expect(moved.map(({ collection, documents }) => [collection, documents])).to.deep.equal([
        ['agendaJobs', 0],
        ['capped', 3],
        ['expiring', 0],
        // Who runs on the source does not run on the copy.
        ['keyHolders', 0],
        ['mixed', 4],
        ['partial', 0],
        ['state', 1],
      ])
      expect(moved.find(({ collection }) => collection === 'mixed')?.checksum).to.match(/^[0-9a-f]{32}$/)
      const shape = async (db: ReturnType<typeof here>) => {
        const named = await db.listCollections({}, { nameOnly: false }).toArray()
        const own = named.filter(({ name }) => !name.startsWith('system.'))
        return Promise.all(
          own.map(async ({ name, options }) => ({
            name,
            options,
            indexes: await db.collection(name).listIndexes().toArray(),
          })),
        )
      }
      const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1)
      expect((await shape(there())).toSorted(byName)).to.deep.equal((await shape(here())).toSorted(byName))
      expect(await there().collection('capped').find().toArray()).to.deep.equal(
        await here().collection('capped').find().toArray(),
      )
      for (const name of ['state', 'keyHolders', 'agendaJobs'])
        expect(await there().collection(name).countDocuments()).to.equal(0)
    })

    it('refuses a target that holds documents, or parts of a cancelled move, and resumes a failed one', async () => {
      await cancelMove(urlOf(source))
      const { message } = (await failure(moveDatabase({ from: urlOf(source), to: urlOf(target), ...silent }))) as Error
      expect(message).to.match(/^The target "mailroom" is not empty: "[a-z]+" holds documents\.$/)
      await there().dropDatabase()
      const broken = {
        ...silent,
        onProgress: () => {
          throw new Error('cut')
        },
      }
      expect(
        ((await failure(moveDatabase({ from: urlOf(source), to: urlOf(target), ...broken }))) as Error).message,
      ).to.equal('cut')
      await here().collection('mixed').insertOne({})
      await cancelMove(urlOf(source))
      const left = (await failure(moveDatabase({ from: urlOf(source), to: urlOf(target), ...silent }))) as Error
      expect(left.message).to.match(/^The target "mailroom" holds parts of a cancelled move\./)
      await there().dropDatabase()
      await moveDatabase({ from: urlOf(source), to: urlOf(target), ...silent })
      expect(await there().collection('mixed').countDocuments()).to.equal(
        await here().collection('mixed').countDocuments(),
      )
    })

    it('leaves a source that takes no writes and refuses to start a service, until the move is cancelled', async () => {
      expect(await failure(here().collection('mixed').insertOne({}))).to.include({ code: 371 })
      const refused = (await failure(openStore({ url: urlOf(source), role: 'test' }))) as Error
      expect(refused.message).to.match(
        /^The database takes no writes: it was moved to db\.example\/mailroom, or is being moved there/,
      )
      await cancelMove(urlOf(source))
      await here().collection('mixed').insertOne({})
      const store = await openStore({ url: urlOf(source), role: 'test' })
      await store.close()
    })
  })
})
