import { closeSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { Binary, Decimal128, Double, Int32, Long, MinKey, ObjectId, Timestamp } from 'bson'
import { expect } from 'chai'
import type { Db, Document } from 'mongodb'
import { runCommand } from '../../cli/command-line.ts'
import { enginePaths } from '../../cli/instance.ts'
import { isSound, verifyFile, verifyFolder } from '../../engine/admin/verify.ts'
import { type Started, startEngine, temporaryFolder, url } from '../start/engine.ts'
import { failure } from './failure.ts'

const cli = fileURLToPath(new URL('../../cli/main.ts', import.meta.url))

describe('engine: backup, verify, export, import', () => {
  const folders: string[] = []
  const folder = () => {
    const made = temporaryFolder()
    folders.push(made)
    return made
  }
  after(() => {
    for (const made of folders) rmSync(made, { recursive: true, force: true })
  })

  describe('a backup', () => {
    let engine: Started
    before(async () => {
      engine = await startEngine()
      await fill(engine.db)
    })
    after(() => engine.stop())

    it('is whole, its owner alone may read it, and nothing appears beside it', async () => {
      const file = join(folder(), 'copy.db')
      await engine.client.db('admin').command({ embeddedBackup: file })
      expect(statSync(file).mode & 0o777).to.equal(0o600)
      const before = readFileSync(file)
      const findings = verifyFile(file)
      expect(isSound(findings)).to.equal(true)
      expect(findings.collections).to.deep.include({ ns: 'test.rows', documents: 300, entries: 1200, errors: [] })
      expect(readFileSync(file).equals(before)).to.equal(true)
      expect(statSync(`${file}-wal`, { throwIfNoEntry: false })).to.equal(undefined)
    })

    const refusals: [name: string, path: () => string, database: string, code: number][] = [
      ['over a file that exists', () => join(engine.dir, 'engine.db'), 'admin', 96],
      ['into a folder that does not', () => join(folder(), 'none', 'copy.db'), 'admin', 96],
      ['to a relative path', () => 'copy.db', 'admin', 2],
      ['of one database', () => join(folder(), 'copy.db'), 'test', 13],
    ]
    it('says what to remove when a cut one has left its file', async () => {
      const file = join(folder(), 'copy.db')
      writeFileSync(`${file}.partial`, 'cut')
      const refused = await failure(engine.client.db('admin').command({ embeddedBackup: file }))
      expect(String(refused)).to.include(`${file}.partial exists: a backup to it is running, or one was interrupted`)
    })

    for (const [name, path, database, code] of refusals) {
      it(`${name} is refused`, async () => {
        const backup = engine.client.db(database).command({ embeddedBackup: path() })
        expect(await failure(backup)).to.include({ code })
      })
    }
  })

  describe('verify', () => {
    const harms: [name: string, harm: (db: DatabaseSync) => void, complaint: RegExp][] = [
      [
        'an index entry that is gone',
        (db) => db.exec(`DELETE FROM ${tableOf(db, 'tags_1')} WHERE r = 7`),
        /lacks an entry of record 7/,
      ],
      [
        'an index entry without its document',
        (db) => db.exec(`INSERT INTO ${tableOf(db, 'n_1')} SELECT k, r + 100000 FROM ${tableOf(db, 'n_1')} LIMIT 1`),
        /n_1 holds 301 entries, the documents make 300.*n_1 is unique but holds/s,
      ],
      [
        'a document that is gone',
        (db) => db.exec(`DELETE FROM ${recordsOf(db)} WHERE r = 5`),
        /_id_ holds 300 entries/,
      ],
      [
        'a document that is cut',
        (db) => db.exec(`UPDATE ${recordsOf(db)} SET d = substr(d, 1, 20) WHERE r = 5`),
        /record 5: /,
      ],
      [
        'a document that changed behind its index',
        (db) => db.exec(`UPDATE ${recordsOf(db)} SET d = (SELECT d FROM ${recordsOf(db)} WHERE r = 9) WHERE r = 8`),
        /lacks an entry of record 8/,
      ],
      [
        'an index that is gone',
        (db) => db.exec(`DROP TABLE ${tableOf(db, 'n_1')}`),
        /the table i_\d+ of the catalog is missing/,
      ],
      [
        'a collection nobody knows',
        (db) => db.exec('CREATE TABLE c_999(r INTEGER PRIMARY KEY, d BLOB)'),
        /c_999 is not in the catalog/,
      ],
      [
        'arrays the index does not know of',
        (db) => db.exec("UPDATE indexes SET multikey = '[false]'"),
        /not marked multikey/,
      ],
    ]
    for (const [name, harm, complaint] of harms) {
      it(`finds ${name}`, async () => {
        const dir = await filledFolder(folder())
        expect(isSound(verifyFolder(dir))).to.equal(true)
        const db = new DatabaseSync(join(dir, 'engine.db'))
        harm(db)
        db.close()
        const findings = verifyFolder(dir)
        expect(isSound(findings)).to.equal(false)
        expect([...findings.errors, ...findings.collections.flatMap(({ errors }) => errors)].join('\n')).to.match(
          complaint,
        )
      })
    }

    it('finds a page that was overwritten', async () => {
      const dir = await filledFolder(folder())
      const file = openSync(join(dir, 'engine.db'), 'r+')
      writeSync(file, Buffer.alloc(8192, 0xa5), 0, 8192, 8192 * 6)
      closeSync(file)
      expect(isSound(verifyFolder(dir))).to.equal(false)
    })

    it('refuses a folder that is in use, one without a database, and a file that is none', async () => {
      const engine = await startEngine()
      expect(() => verifyFolder(engine.dir)).to.throw(/in use by another process/)
      await engine.stop()
      expect(() => verifyFolder(folder())).to.throw(/there is no database/)
      expect(() => verifyFile(cli)).to.throw(/not a database of the embedded engine/)
    })
  })

  it('the command line backs up and exports while the service runs, imports into an empty folder, and verifies', async () => {
    const [data, empty] = [folder(), folder()]
    const { folder: dir, socket } = enginePaths(data)
    mkdirSync(dir, { recursive: true })
    const source = await startEngine({ dir })
    const target = await startEngine()
    expect(source.socket).to.equal(socket)
    await fill(source.client.db('mailroom'))
    const expected = await contents(source.client.db('mailroom'))
    const stop = { now: false }
    const busy = keepWriting(source.client.db('mailroom'), stop)

    const copy = join(data, 'copy.db')
    expect(await mailroom(data, 'backup', copy)).to.include({ status: 0 })
    expect(await mailroom(data, 'backup', copy)).to.include({ status: 1 })
    expect(await mailroom(data, 'verify', copy)).to.include({ status: 0 })
    expect((await mailroom(data, 'verify')).err).to.match(/Stop it, or verify a backup/)

    const there = `${url(target.socket)}/moved`
    const exported = await mailroom(data, 'export', there)
    expect(exported.err).to.match(/rows: 300 of 300/)
    expect(exported.lines.at(-1)).to.include({ copied: true })
    expect((await mailroom(data, 'export', there)).err).to.match(/"moved" is not empty/)
    stop.now = true
    await busy
    const moved = await contents(target.client.db('moved'))
    expect(moved.get('rows')).to.deep.equal(expected.get('rows'))
    expect(moved.get('types')).to.deep.equal(expected.get('types'))
    // One moment of the service: each note has the one before it.
    const notes = await target.client.db('moved').collection('notes').find().sort({ n: 1 }).toArray()
    expect(notes.map(({ n }) => n)).to.deep.equal(notes.map((_, at) => at))

    expect(await mailroom(empty, 'import', there)).to.include({ status: 0 })
    expect(await mailroom(empty, 'verify')).to.include({ status: 0 })
    expect((await mailroom(empty, 'import', there)).err).to.match(/"mailroom" is not empty/)
    const back = await startEngine({ dir: enginePaths(empty).folder })
    expect(await contents(back.client.db('mailroom'))).to.deep.equal(moved)
    for (const engine of [source, target, back]) await engine.stop()
  })
})

/** Every type, in documents and in indexes. */
async function fill(db: Db): Promise<void> {
  const rows = db.collection<Document>('rows')
  await rows.createIndexes([
    { key: { n: 1 }, unique: true },
    { key: { tags: 1 } },
    { key: { at: 1 }, expireAfterSeconds: 1e9 },
    { key: { n: -1, tags: 1 }, name: 'some', partialFilterExpression: { n: { $gte: 1_000_000 } } },
  ])
  const tags = (n: number) => (n % 3 === 0 ? ['a', `t${n}`] : n % 3 === 1 ? `t${n}` : null)
  await rows.insertMany(
    Array.from({ length: 300 }, (_, n) => ({
      _id: `row${n}` as never,
      n,
      tags: n % 3 === 0 ? [`t${n}`] : tags(n),
      body: 'x'.repeat(n * 7),
    })),
  )
  await db.collection<Document>('types').insertOne({
    _id: new ObjectId() as never,
    int: new Int32(5),
    long: Long.fromString('9007199254740993'),
    small: Long.fromNumber(5),
    double: new Double(5),
    decimal: Decimal128.fromString('1.10'),
    binary: new Binary(Buffer.from([1, 2, 3]), 5),
    date: new Date(0),
    timestamp: new Timestamp({ t: 1, i: 2 }),
    regex: /a/i,
    nested: { b: 1, a: [null, new MinKey(), { c: true }] },
  })
}

async function filledFolder(dir: string): Promise<string> {
  const engine = await startEngine({ dir })
  await fill(engine.db)
  await engine.stop()
  return dir
}

async function keepWriting(db: Db, stop: { readonly now: boolean }): Promise<void> {
  for (let n = 0; !stop.now; n++) await db.collection('notes').insertOne({ n })
}

/** Bytes of all documents, and all indexes, by collection. */
async function contents(db: Db): Promise<ReadonlyMap<string, { documents: string[]; indexes: Document[] }>> {
  const found = new Map<string, { documents: string[]; indexes: Document[] }>()
  for (const { name } of await db.listCollections().toArray()) {
    const raw = await db
      .collection(name)
      .find({}, { raw: true, sort: { _id: 1 } })
      .toArray()
    found.set(name, {
      documents: raw.map((bytes) => (bytes as unknown as Buffer).toString('base64')),
      indexes: await db.collection(name).listIndexes().toArray(),
    })
  }
  return found
}

function tableOf(db: DatabaseSync, name: string): string {
  const rows = db.prepare('SELECT id, spec FROM indexes').all()
  const found = rows.find(({ spec }) => Buffer.from(spec as Uint8Array).includes(`\0${name}\0`))
  return `i_${found!.id}`
}

function recordsOf(db: DatabaseSync): string {
  return `c_${db.prepare("SELECT id FROM catalog WHERE name = 'rows'").get()!.id}`
}

async function mailroom(data: string, ...args: string[]): Promise<{ status: number; lines: Document[]; err: string }> {
  const { MONGODB_URL: _other, ...own } = process.env
  const [out, err]: [string[], string[]] = [[], []]
  const status = await runCommand(['db', ...args], {
    env: { ...own, MAILROOM_DATA: data },
    out: (text) => void out.push(text),
    err: (text) => void err.push(text),
  })
  const lines = out.join('').split('\n').filter(Boolean)
  return { status, lines: lines.map((line) => JSON.parse(line) as Document), err: err.join('') }
}
