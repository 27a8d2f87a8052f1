import { expect } from 'chai'
import { openStore, type Store } from '../../store/open.ts'
import { insertInto, updateIn, type Write, writeAll } from '../../store/writes.ts'
import { openDatabase } from '../start/engine.ts'

describe('store: writes together', () => {
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

  const fresh = () => `name ${++names}`
  /** Any collection serves. */
  const insert = (_id: string, value: unknown = null): Write => insertInto(store.state, { _id, value })
  const set = (_id: string, value: unknown): Write => updateIn(store.state, { _id }, { $set: { value } })
  const stored = async (_id: string) => (await store.state.findOne({ _id }))?.value

  it('are made in their order, in several collections', async () => {
    const [a, b] = [fresh(), fresh()]
    const template = updateIn(store.templates, { _id: a }, { $set: { subject: 's' } }, { upsert: true })
    expect(await store.writeTogether([insert(a, 1), template, set(a, 2), insert(b), set(a, 3)])).to.equal(null)
    expect(await stored(a)).to.equal(3)
    expect(await stored(b)).to.equal(null)
    expect((await store.templates.findOne({ _id: a }))?.subject).to.equal('s')
  })

  it('end at the one that a unique key refuses', async () => {
    const [a, b, c] = [fresh(), fresh(), fresh()]
    await store.writeTogether([insert(a)])
    expect(await store.writeTogether([insert(b), insert(a), insert(c)])).to.equal(1)
    expect(await stored(b)).to.equal(null)
    expect(await stored(c)).to.equal(undefined)
  })

  it('end at the one that fails, and say why', async () => {
    const [a, b, c] = [fresh(), fresh(), fresh()]
    await store.writeTogether([insert(a, 'text')])
    const sum = updateIn(store.state, { _id: a }, { $inc: { value: 1 as never } })
    const error = await store.writeTogether([insert(b), sum, insert(c)]).catch((failed: unknown) => failed)
    expect(error).to.have.property('code', 14)
    expect(await stored(b)).to.equal(null)
    expect(await stored(c)).to.equal(undefined)
  })

  it('of many callers do not fail for one another', async () => {
    const taken = fresh()
    await store.writeTogether([insert(taken)])
    const lists = Array.from({ length: 60 }, (_, n) => {
      const [first, last] = [fresh(), fresh()]
      return { first, last, isRefused: n % 7 === 3, fails: n % 11 === 5 }
    })
    const outcomes = await Promise.allSettled(
      lists.map(({ first, last, isRefused, fails }) =>
        store.writeTogether([
          insert(first, 'text'),
          ...(isRefused ? [insert(taken)] : []),
          ...(fails ? [updateIn(store.state, { _id: first }, { $inc: { value: 1 as never } })] : []),
          insert(last),
        ]),
      ),
    )
    for (const [n, { first, last, isRefused, fails }] of lists.entries()) {
      const outcome = outcomes[n]
      if (isRefused) expect(outcome).to.include({ status: 'fulfilled', value: 1 })
      else if (fails) expect(outcome).to.have.nested.property('reason.code', 14)
      else expect(outcome).to.include({ status: 'fulfilled', value: null })
      expect(await stored(first)).to.equal('text')
      expect(await stored(last)).to.equal(isRefused || fails ? undefined : null)
    }
  })

  it('of a repeated list: all but those that are there', async () => {
    const all = Array.from({ length: 8 }, fresh)
    await store.writeTogether([insert(all[1]!), insert(all[4]!), insert(all[7]!)])
    expect(
      await writeAll(
        store,
        all.map((name) => insert(name)),
      ),
    ).to.deep.equal([1, 4, 7])
    expect(await store.state.countDocuments({ _id: { $in: all } })).to.equal(8)
  })

  it('none are done at once', async () => {
    expect(await store.writeTogether([])).to.equal(null)
  })
})
