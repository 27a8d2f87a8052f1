import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { EmailDoc } from '../../store/documents/sending.ts'
import { openStore, type Store } from '../../store/open.ts'
import { isUnavailable } from '../../store/unwell.ts'
import { insertInto, writeAll } from '../../store/writes.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../peers/database-proxy.ts'
import { type Started, startEngine } from '../start/engine.ts'

/** What a server says when the majority did not acknowledge a write in time. */
const timedOut = { kind: 'writeConcern', code: 64, codeName: 'WriteConcernTimeout' } as const

describe('store: a write that the majority did not acknowledge', () => {
  let engine: Started
  let proxy: DatabaseProxy
  let store: Store
  const email = (id: string) =>
    ({ _id: id, accountId: 'acc_1', createdAt: new Date(), recipients: [] }) as unknown as EmailDoc
  const fresh = () => email(`em_${randomBytes(8).toString('hex')}`)
  const insertEmails = (emails: readonly EmailDoc[]) =>
    writeAll(
      store,
      emails.map((each) => insertInto(store.emails, each)),
    )
  const failure = (work: Promise<unknown>) =>
    work.then(
      () => null,
      (error: unknown) => error,
    )

  before(async () => {
    engine = await startEngine()
    proxy = await startDatabaseProxy({ path: engine.socket })
    store = await openStore({ url: `mongodb://${proxy.host}`, role: 'test' })
  })
  afterEach(() => {
    proxy.follow(null)
  })
  after(async () => {
    await store?.close()
    await proxy?.close()
    await engine?.stop()
  })

  it('is not taken for durable because another of its group was there already', async () => {
    const [before, after] = [fresh(), fresh()]
    await insertEmails([before])
    proxy.follow(() => timedOut)
    const error = await failure(insertEmails([before, after]))
    expect(error).to.be.an('error')
    expect(isUnavailable(error)).to.equal(true)
    proxy.follow(null)
    expect(await insertEmails([before, after])).to.deep.equal([0])
  })

  it('fails a group without duplicates too', async () => {
    proxy.follow(() => timedOut)
    expect(isUnavailable(await failure(insertEmails([fresh(), fresh()])))).to.equal(true)
  })

  it('fails a single update', async () => {
    const doc = fresh()
    await insertEmails([doc])
    proxy.follow(() => timedOut)
    const update = store.emails.updateOne({ _id: doc._id }, { $set: { subject: 'x' } })
    expect(isUnavailable(await failure(update))).to.equal(true)
  })

  it('leaves duplicates alone what they are', async () => {
    const doc = fresh()
    await insertEmails([doc])
    expect(await insertEmails([doc, fresh()])).to.deep.equal([0])
  })
})
