import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { answerMsMax } from '../../store/change-answers.ts'
import { type ChangeFeed, type ChangeNote, createChangeFeed } from '../../store/changes.ts'
import { noteKeyHolder } from '../../store/master-keys.ts'
import { openStore, type Store } from '../../store/open.ts'
import { eventually } from '../eventually.ts'
import { delayed, startDatabaseProxy } from '../peers/database-proxy.ts'
import { type Started, startEngine, temporaryFolder, url } from '../start/engine.ts'

const note = (name: string): ChangeNote => ({ kind: 'address', addresses: [name] })
const nameOf = (told: ChangeNote) => (told.kind === 'address' ? told.addresses.join() : told.kind)

/** A process with a feed of its own. */
type Reader = {
  readonly store: Store
  readonly feed: ChangeFeed
  readonly heard: string[]
  readonly errors: unknown[]
  close(): Promise<void>
}

describe('store: the change feed', () => {
  let engine: Started
  const readers: Reader[] = []

  async function open(process: string | null = null, at = url(engine.socket)): Promise<Reader> {
    const store = await openStore({ url: `${at}/mailroom`, role: 'test' })
    const errors: unknown[] = []
    const heard: string[] = []
    const feed = createChangeFeed(store, {
      process,
      now: () => new Date(),
      onError: (error) => errors.push(error),
    })
    const close = async () => {
      await feed.close()
      await store.close()
    }
    const reader = { store, feed, heard, errors, close }
    readers.push(reader)
    return reader
  }
  const hear = ({ feed, heard }: Reader) => feed.listen((told) => heard.push(nameOf(told)))
  /** A reader that hears what is published from now on. */
  async function listening(process: string | null = null, at?: string): Promise<Reader> {
    const reader = await open(process, at)
    const before = await openCursors(reader)
    hear(reader)
    await eventually('a cursor at the end of the notes', async () => (await openCursors(reader)) > before)
    return reader
  }
  const openCursors = async ({ store }: Reader): Promise<number> =>
    (await store.db.admin().serverStatus()).metrics.cursor.open.total
  /** A process that the database knows as one that runs. */
  async function holding(id: string, at?: string): Promise<Reader> {
    const reader = await listening(id, at)
    await noteHolder(reader, id, 'service')
    return reader
  }
  const noteHolder = ({ store }: Reader, _id: string, role: string) =>
    noteKeyHolder(store, {
      ...{ _id, role, host: 'test', keyIds: [], sealsWith: null, answered: null },
      ...{ seenAt: new Date(), expiresAt: new Date(Date.now() + 60_000) },
    })
  const names = (prefix: string, count: number) => Array.from({ length: count }, (_, n) => `${prefix}${n}`)

  beforeEach(async () => {
    engine = await startEngine({ dir: temporaryFolder() })
  })
  afterEach(async () => {
    for (const reader of readers.splice(0)) await reader.close()
    await engine.stop()
  })

  it('a note is heard by its own process and by others, in the order of one writer', async () => {
    const [one, two] = [await listening(), await listening()]
    for (const name of names('a', 50)) {
      one.feed.publish(note(name))
      if (name.endsWith('5')) await sleep(5)
    }
    for (const { heard } of [one, two]) {
      await eventually('all notes', async () => heard.length === 50)
      expect(heard).to.deep.equal(names('a', 50))
    }
  })

  it('two readers hear the notes of several writers in the same order', async () => {
    const all = [await listening(), await listening(), await listening()]
    await Promise.all(
      all.map(async ({ feed }, writer) => {
        for (const name of names(`${writer}-`, 40)) {
          feed.publish(note(name))
          await sleep(1)
        }
      }),
    )
    for (const { heard } of all) await eventually('all notes', async () => heard.length === 120)
    expect(all[1]?.heard).to.deep.equal(all[0]?.heard)
    expect(all[2]?.heard).to.deep.equal(all[0]?.heard)
  })

  it('who begins to listen hears nothing of the past', async () => {
    const one = await listening()
    one.feed.publish(note('past'))
    await eventually('the first note', async () => one.heard.length === 1)
    const two = await listening()
    one.feed.publish(note('now'))
    await eventually('the second note', async () => two.heard.length > 0)
    expect(two.heard).to.deep.equal(['now'])
  })

  it('a quiet listener asks nothing: each batch costs one question', async () => {
    const one = await listening()
    const two = await listening()
    const asked = async () => {
      const { opcounters } = await one.store.db.admin().serverStatus()
      return { getMore: opcounters.getMore, find: opcounters.find }
    }
    const before = await asked()
    for (const name of names('a', 5)) {
      one.feed.publish(note(name))
      await eventually(name, async () => two.heard.includes(name) && one.heard.includes(name))
    }
    const after = await asked()
    expect(after.find).to.equal(before.find)
    // Two listeners, five batches each.
    expect(after.getMore - before.getMore).to.be.within(8, 10)
  })

  it('after an outage it goes on where it was: nothing twice, nothing left out', async () => {
    const reader = await listening()
    reader.feed.publish(note('before'))
    await eventually('the first note', async () => reader.heard.length === 1)
    await engine.kill()
    engine = await startEngine({ dir: engine.dir })
    const writer = await open()
    for (const name of names('meanwhile', 3)) writer.feed.publish(note(name))
    await eventually('the notes', async () => reader.heard.length === 4)
    writer.feed.publish(note('after'))
    await eventually('the last note', async () => reader.heard.length === 5)
    expect(reader.heard).to.deep.equal(['before', ...names('meanwhile', 3), 'after'])
    expect(reader.errors).to.not.be.empty
  })

  it('a reader whose place was overwritten hears all that is still there, and goes on', async () => {
    const reader = await listening()
    const writer = await open()
    writer.feed.publish(note('first'))
    await eventually('the first note', async () => reader.heard.length === 1)
    const large = 'x'.repeat(16_000)
    const written = Array.from({ length: 400 }, (_, n) => ({
      _id: { w: 'flood', n: n + 1 },
      at: new Date(),
      note: note(`${n}${large}`),
    }))
    // More than the collection holds, in one commit.
    await writer.store.changes.insertMany(written)
    writer.feed.publish(note('last'))
    await eventually('the last note', async () => reader.heard.at(-1) === 'last')
    const kept = await writer.store.changes.find().toArray()
    expect(kept.length).to.be.below(400)
    expect(reader.heard.slice(1)).to.deep.equal(kept.map(({ note: each }) => nameOf(each)))
    expect(reader.errors.map((error) => (error as { code?: number }).code)).to.deep.equal([136])
  })

  it('a collection that somebody emptied is read anew', async () => {
    const reader = await listening()
    await reader.store.changes.deleteMany({})
    reader.feed.publish(note('anew'))
    await eventually('the note', async () => reader.heard.length === 1)
    expect(reader.heard).to.deep.equal(['anew'])
  })

  it('the notes of an older version are dropped', async () => {
    const old = await new MongoClient(url(engine.socket)).connect()
    const db = old.db('mailroom')
    await db.collection('changes').createIndex({ at: 1 }, { expireAfterSeconds: 600 })
    await db
      .collection<{ _id: string; value: object }>('state')
      .insertOne({ _id: 'schemaVersions', value: { changes: 1, state: 1 } })
    await open()
    expect(await db.listCollections({ name: 'changes' }).toArray()).to.deep.equal([])
    expect(await db.collection('changeNotes').isCapped()).to.equal(true)
    await old.close()
  })

  it('who tells a note hears when all others are through with it, and not before', async () => {
    const [teller, other] = [await holding('teller'), await holding('other')]
    await noteHolder(teller, 'command', 'admin')
    expect(await waitsFor(teller, other)).to.equal(true)
    // It hears its own answers too, sooner or later.
    expect(other.heard.filter((name) => name !== 'heard')).to.deep.equal(['slow', 'quick'])
  })

  it('who tells a note has then heard it, and all earlier ones', async () => {
    const teller = await holding('teller')
    for (const name of names('told', 20)) {
      teller.feed.publish(note(`before ${name}`))
      await teller.feed.tell(note(name))
      expect(teller.heard.slice(-2)).to.deep.equal([`before ${name}`, name])
    }
  })

  it('many who tell at once are all answered', async () => {
    const all = [await holding('one'), await holding('two'), await holding('three')]
    const told = names('told', 30)
    await Promise.all(told.map((name, n) => all[n % 3]!.feed.tell(note(name))))
    for (const { heard } of all) expect(heard.filter((name) => name !== 'heard')).to.have.members(told)
  })

  it('a process that died is waited for once, until it answers again', async () => {
    const teller = await holding('teller')
    await noteHolder(teller, 'other', 'service')
    const took = async (name: string) => {
      const began = performance.now()
      await teller.feed.tell(note(name))
      return performance.now() - began
    }
    const first = await took('first')
    // A timer may come a little early.
    expect(first).to.be.above(answerMsMax / 2)
    expect(await took('second')).to.be.below(first)
    const other = await listening('other')
    await teller.feed.tell(note('third'))
    await eventually('its answer', async () => teller.heard.includes('heard'))
    await teller.feed.tell(note('fourth'))
    expect(other.heard).to.include('fourth')
  })

  /** Whether `tell` of one waits for the other. */
  async function waitsFor(teller: Reader, other: Reader): Promise<boolean> {
    const through = Promise.withResolvers<void>()
    other.feed.listen((told) => (nameOf(told) === 'slow' ? through.promise : undefined))
    let isTold = false
    const telling = teller.feed.tell(note('slow')).then(() => {
      isTold = true
    })
    await eventually('the other hears it', async () => other.heard.includes('slow'))
    await teller.feed.tell(note('quick'))
    const waits = !isTold
    through.resolve()
    await telling
    return waits
  }

  it('a note for which there is no room is given up at once, and nobody is thought dead for it', async () => {
    const [teller, other] = [await holding('teller'), await holding('other')]
    const waiting = names('a', 10_000)
    for (const name of waiting) teller.feed.publish(note(name))
    await teller.feed.tell(note('dropped'))
    await eventually('all notes', async () => other.heard.length === waiting.length)
    expect(other.heard).to.deep.equal(waiting)
    expect(await waitsFor(teller, other)).to.equal(true)
  })

  it('others have their time to answer from when the note is there, however long the database took to take it', async () => {
    const proxy = await startDatabaseProxy({ path: engine.socket })
    try {
      const teller = await holding('teller', `mongodb://${proxy.host}`)
      const other = await holding('other')
      let inserts = 0
      proxy.follow((name) =>
        (name === 'insert' || name === 'bulkWrite') && inserts++ === 0 ? delayed(1.2 * answerMsMax) : null,
      )
      expect(await waitsFor(teller, other)).to.equal(true)
    } finally {
      await proxy.close()
    }
  })

  it('a note that cannot be told is given up', async () => {
    const teller = await holding('teller')
    await teller.feed.close()
    await teller.feed.tell(note('late'))
    expect(await teller.store.changes.countDocuments({ 'note.kind': 'address' })).to.equal(0)
  })

  it('closing while nobody writes ends at once, and closes the cursor', async () => {
    const one = await listening()
    const two = await listening()
    await two.close()
    readers.splice(readers.indexOf(two), 1)
    await eventually('one open cursor', async () => (await openCursors(one)) === 1)
  })
})
