import { expect } from 'chai'
import { clientOf } from '../../store/connection.ts'
import { UnderWay } from '../../store/under-way.ts'
import { openDatabase } from '../start/engine.ts'

type Noted = { readonly activeCursors: UnderWay<object>; readonly activeSessions: UnderWay<object> }

describe('store: what the driver notes of cursors and sessions', () => {
  let database: Awaited<ReturnType<typeof openDatabase>>
  before(async () => {
    database = await openDatabase()
  })
  after(() => database.drop())

  it('stands in arrays while they are under way, and no longer', async () => {
    const client = clientOf(database.url, {})
    const { activeCursors, activeSessions } = Reflect.get(client, 's') as Noted
    expect(activeCursors).to.be.instanceof(UnderWay)
    expect(activeSessions).to.be.instanceof(UnderWay)
    const reads = Array.from({ length: 40 }, (_, n) => client.db().collection('state').find({ n }).toArray())
    expect(activeCursors).to.have.property('size', reads.length)
    expect(await Promise.all(reads)).to.deep.equal(reads.map(() => []))
    expect(activeCursors).to.have.property('size', 0)
    expect(activeSessions).to.have.property('size', 0)
    await client.close()
  })

  it('is closed with the client', async () => {
    const client = clientOf(database.url, {})
    const documents = client.db().collection('many')
    await documents.insertMany([{}, {}, {}])
    const cursors = [documents.find({}, { batchSize: 1 }), documents.find({}, { batchSize: 1 })]
    for (const cursor of cursors) await cursor.next()
    await client.close()
    expect(cursors.map(({ closed }) => closed)).to.deep.equal([true, true])
  })

  it('is there once, and out of order after one went', () => {
    const [a, b, c] = [{ a: 1 }, { b: 1 }, { c: 1 }]
    const noted = new UnderWay<object>()
    for (const entry of [a, b, c, a]) noted.add(entry)
    noted.delete(a)
    noted.delete(a)
    expect([...noted]).to.have.members([b, c])
    for (const entry of noted) noted.delete(entry)
    expect(noted.size).to.equal(0)
    noted.add(b)
    noted.clear()
    expect([...noted]).to.deep.equal([])
  })
})
