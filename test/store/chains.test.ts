import { expect } from 'chai'
import { newId } from '../../schemas/ids.ts'
import { createEventAppend } from '../../store/events.ts'
import { openStore, type Store } from '../../store/open.ts'
import { countOf, findUsage, takeCounts } from '../../store/usage.ts'
import { eventDoc } from '../documents.ts'
import { type Started, startEngine } from '../start/engine.ts'

const at = new Date('2026-11-20T12:00:00Z')
const expiresAt = new Date('2027-01-01T00:00:00Z')

/** Each store acts as a process of its own: the stores share no memory. */
describe('what several processes write to one account', () => {
  let engine: Started
  let stores: Store[]

  before(async () => {
    engine = await startEngine()
    const url = `mongodb://${encodeURIComponent(engine.socket)}/mailroom`
    stores = [await openStore({ url, role: 'one' }), await openStore({ url, role: 'two' })]
  })
  after(async () => {
    await Promise.all(stores.map((store) => store.close()))
    await engine?.stop()
  })

  const numbersOf = async (accountId: string) =>
    (await stores[0]!.events.find({ accountId }).sort({ accountId: 1, seq: 1 }).toArray()).map(({ seq }) => seq)

  it('events of several accounts are numbered without a gap', async () => {
    const accounts = ['a', 'b', 'c'].map(() => newId('acc', at))
    const appends = stores.map(createEventAppend)
    const rounds = Array.from({ length: 12 }, (_, n) =>
      appends[n % 2]!(accounts.flatMap((id) => [`${n} first`, `${n} second`].map((name) => eventDoc(id, name, at)))),
    )
    const appended = (await Promise.all(rounds)).flat()
    expect(appended).to.have.length(72)
    for (const id of accounts) expect(await numbersOf(id)).to.deep.equal(Array.from({ length: 24 }, (_, n) => n + 1))
  })

  it('an event that two record at once is there once, and one of them made it', async () => {
    const accountId = newId('acc', at)
    const same = ['x', 'y'].map((name) => eventDoc(accountId, name, at))
    const made = await Promise.all(stores.map((store) => createEventAppend(store)(same)))
    expect(made.flat().map(({ seq }) => seq)).to.have.members([1, 2])
    expect(await numbersOf(accountId)).to.deep.equal([1, 2])
  })

  it('a limit is passed by nobody, and used up', async () => {
    const id = newId('acc', at)
    const one = { id, expiresAt, counts: [{ counter: 'sent', by: 3, limit: 20 }] }
    const refused = await Promise.all(Array.from({ length: 10 }, (_, n) => takeCounts(stores[n % 2]!, [one, one])))
    const granted = 20 - refused.reduce((sum, { size }) => sum + size, 0)
    const [usage] = await findUsage(stores[0]!, [id])
    expect([granted, countOf(usage, 'sent')]).to.deep.equal([6, 18])
  })

  it('a take with one counter too many raises none of its counters', async () => {
    const id = newId('acc', at)
    const take = (by: number) => ({
      id,
      expiresAt,
      counts: [
        { counter: 'sent', by, limit: null },
        { counter: 'agentEmails', by, limit: 10 },
      ],
    })
    await takeCounts(stores[0]!, [{ id, expiresAt, counts: [{ counter: 'agentEmails', by: 4, limit: null }] }])
    const refused = await takeCounts(stores[0]!, [take(4), take(4), take(2), take(11)])
    const [usage] = await findUsage(stores[0]!, [id])
    expect([...refused]).to.have.members([1, 3])
    expect(usage?.counts).to.deep.equal({ sent: 6, agentEmails: 10 })
  })
})
