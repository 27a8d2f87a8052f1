import { expect } from 'chai'
import { createWriteCounted, oneByOne, type WriteCounted } from '../../store/counted-writes.ts'
import { openStore, type Store } from '../../store/open.ts'
import { insertInto, updateAllIn, updateIn, type Write } from '../../store/writes.ts'
import { openDatabase } from '../start/engine.ts'

describe('store: writes that are counted', () => {
  let database: Awaited<ReturnType<typeof openDatabase>>
  let store: Store
  let names = 0

  before(async () => {
    database = await openDatabase()
    store = await openStore({ url: database.url, role: 'test' })
  })
  after(async () => {
    await store?.close()
    await database?.drop()
  })

  const fresh = () => `counted ${++names}`
  const insert = (_id: string, value: unknown = null): Write => insertInto(store.state, { _id, value })
  const stored = async (_id: string) => (await store.state.findOne({ _id }))?.value

  const ways: readonly (readonly [name: string, make: () => Promise<WriteCounted>])[] = [
    ['in one command', () => createWriteCounted(store.db)],
    ['one by one, as before MongoDB 8.0', async () => (writes) => oneByOne(store.db, writes)],
  ]
  for (const [name, make] of ways) {
    describe(name, () => {
      it('tell how many documents each matched', async () => {
        const write = await make()
        const [a, b] = [fresh(), fresh()]
        const both = updateAllIn(store.state, { _id: { $in: [a, b] }, value: 1 }, { $set: { value: 2 } })
        const template = updateIn(store.templates, { _id: a }, { $set: { subject: 's' } })
        expect(await write([insert(a, 1), insert(b, 1), both, both, template])).to.deep.equal([1, 1, 2, 0, 0])
        expect([await stored(a), await stored(b)]).to.deep.equal([2, 2])
      })

      it('make none when a unique key refuses the first', async () => {
        const write = await make()
        const [there, later] = [fresh(), fresh()]
        await write([insert(there)])
        expect(await write([insert(there), insert(later)])).to.equal(null)
        expect(await stored(later)).to.equal(undefined)
      })

      it('fail with any other error', async () => {
        const write = await make()
        const [a, text] = [fresh(), fresh()]
        await write([insert(text, 'text')])
        const sum = updateIn(store.state, { _id: text }, { $inc: { value: 1 as never } })
        const error = await write([insert(a), sum]).catch((failed: unknown) => failed)
        expect(error).to.be.an.instanceOf(Error)
      })
    })
  }
})
