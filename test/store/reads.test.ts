import { expect } from 'chai'
import { MongoServerError } from 'mongodb'
import { openStore, type Store } from '../../store/open.ts'
import { readMany, readOne } from '../../store/reads.ts'
import { type DatabaseProxy, type Fault, startDatabaseProxy } from '../peers/database-proxy.ts'
import { useStore } from '../start/store.ts'

describe('store: reads', () => {
  let store: Store
  let proxied: Store
  let proxy: DatabaseProxy
  const commands: string[] = []
  const { fresh, insert } = useStore((...[opened, url]) => {
    store = opened
    direct = url
  })
  let direct: string

  before(async () => {
    proxy = await startDatabaseProxy({ path: decodeURIComponent(new URL(direct).host) })
    proxied = await openStore({ url: direct.replace(/\/\/[^/]+/, `//${proxy.host}`), role: 'test' })
  })
  after(async () => {
    await proxied?.close()
    await proxy?.close()
  })
  beforeEach(() => {
    commands.length = 0
  })

  /** The first `find` that passes meets a fault. */
  const failOnce = (fault: Fault | null) =>
    proxy.follow((name) => {
      commands.push(name)
      return name === 'find' && commands.filter((each) => each === 'find').length === 1 ? fault : null
    })

  it('find the first in an order, or nothing', async () => {
    const names = [fresh(), fresh(), fresh()]
    await store.writeTogether(names.map((name, n) => insert(name, n)))
    const among = { _id: { $in: names } }
    expect(await readOne(store, 'state', among, { sort: { value: -1 } })).to.deep.equal({ _id: names[2], value: 2 })
    expect(await readOne(store, 'state', among, { sort: { value: 1 }, projection: { _id: 1 } })).to.deep.equal({
      _id: names[0],
    })
    expect(await readOne(store, 'state', { _id: fresh() })).to.equal(null)
  })

  it('are one command, which keeps no cursor', async () => {
    const names = [fresh(), fresh(), fresh()]
    await store.writeTogether(names.map((name, n) => insert(name, n)))
    failOnce(null)
    const found = await readMany(
      proxied,
      'state',
      { _id: { $in: names }, value: undefined },
      { sort: { value: -1 }, limit: 2 },
    )
    expect(found.map(({ value }) => value)).to.deep.equal([2, 1])
    expect(commands).to.deep.equal(['find'])
  })

  it('of more than one answer holds are whole', async () => {
    const many = 2_500
    await store.suppressions.insertMany(
      Array.from({ length: many }, (_, n) => ({ _id: `many ${n}`, accountId: 'many' }) as never),
    )
    failOnce(null)
    const found = await readMany(proxied, 'suppressions', { accountId: 'many' }, { projection: { _id: 1 } })
    expect(new Set(found.map(({ _id }) => _id))).to.have.property('size', many)
    expect(commands.slice(0, 3)).to.deep.equal(['find', 'killCursors', 'find'])
  })

  const faults: readonly (readonly [name: string, fault: Fault])[] = [
    ['the connection ends before the database reads', { kind: 'cut', done: false }],
    ['the connection ends before the answer is there', { kind: 'cut', done: true }],
    ['the primary steps down', { kind: 'refuse', code: 189, codeName: 'PrimarySteppedDown' }],
  ]
  for (const [name, fault] of faults)
    it(`are made again when ${name}`, async () => {
      const id = fresh()
      await store.writeTogether([insert(id, 1)])
      failOnce(fault)
      expect(await readOne(proxied, 'state', { _id: id })).to.deep.equal({ _id: id, value: 1 })
      expect(commands).to.deep.equal(['find', 'find'])
    })

  it('say what the database says against them', async () => {
    const error = await readOne(store, 'state', { $unknown: 1 } as never).catch((failed: unknown) => failed)
    expect(error).to.be.instanceof(MongoServerError).with.property('code', 2)
  })
})
