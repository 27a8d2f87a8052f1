/**
 * The random cases of `npm run check -- differential` put to the engine itself: without indexes and with them, where nothing may
 * differ, and with a fault planted, which must be found and made small.
 */
import { expect } from 'chai'
import fc from 'fast-check'
import { type Document, MongoClient } from 'mongodb'
import { type Database, openDatabase } from '../start/engine.ts'
import { answersOf, type Server, serverOf } from './differential/answers.ts'
import { anyCase } from './differential/cases.ts'
import { caseOf, compareCase } from './differential/compare.ts'
import { shrink } from './differential/shrink.ts'

describe('engine: random cases', () => {
  const opened: { readonly database: Database; readonly client: MongoClient }[] = []
  const servers: Server[] = []
  before(async () => {
    for (let i = 0; i < 2; i++) {
      const database = await openDatabase()
      const client = await new MongoClient(database.url).connect()
      opened.push({ database, client })
      servers.push(serverOf(client.db()))
    }
  })
  after(async () => {
    for (const { database, client } of opened) {
      await client.close()
      await database.drop()
    }
  })

  it('changes and results are the same with indexes as without', async () => {
    const [plain, indexed] = servers as [Server, Server]
    const key = fc.constantFrom<Document>({ a: 1 }, { b: -1 }, { c: 1 }, { 'a.x': 1 }, { 'a.z': -1 })
    const indexes = fc.uniqueArray(key, { minLength: 1, maxLength: 3, selector: (one) => JSON.stringify(one) })
    // A unique index refuses documents, and nothing is said here about those.
    const cases = anyCase.map(({ docs, steps }) => ({
      docs,
      indexes: [],
      steps: steps.filter((step) => step.createIndexes === undefined && step.dropIndexes === undefined),
    }))
    await fc.assert(
      fc.asyncProperty(cases, indexes, async (some, keys) => {
        const specs = keys.map((one) => ({ key: one, name: JSON.stringify(one) }))
        const before = await answersOf(plain, some)
        const after = await answersOf(indexed, { ...some, indexes: specs })
        const first = Math.min(some.docs.length, 1)
        expect([...after.slice(0, first), ...after.slice(first + specs.length)]).to.deep.equal(before)
      }),
      { numRuns: 60 },
    )
  })

  const faults: readonly (readonly [name: string, kind: string, fault: (command: Document) => Document])[] = [
    ['a filter that is ignored', 'find', (command) => ('find' in command ? { ...command, filter: {} } : command)],
    ['an update that is not made', 'update', (command) => ('update' in command ? { count: 'c' } : command)],
  ]
  for (const [name, kind, fault] of faults) {
    it(`finds ${name}, and a small case of it`, async () => {
      const [right, other] = servers as [Server, Server]
      const wrong: Server = { run: (command) => other.run(fault(command)) }
      let seed = 1
      let found = await compareCase([right, wrong], caseOf(seed))
      while (found === undefined) found = await compareCase([right, wrong], caseOf(++seed))
      expect(Object.keys(found.command)[0]).to.equal(kind)
      expect(found.smallest.docs.length).to.be.at.most(1)
      expect(found.smallest.steps.filter((step) => kind in step)).to.have.length(1)
      expect(found.answers[0]).not.to.equal(found.answers[1])
      expect(caseOf(seed)).to.deep.equal(caseOf(seed))
      expect(await compareCase([right, other], found.smallest)).to.equal(undefined)
    })
  }

  const shrinks: readonly (readonly [
    name: string,
    whole: Document,
    needed: (text: string) => boolean,
    smallest: Document,
  ])[] = [
    [
      'steps',
      { docs: [], steps: [{ a: 1 }, { b: 2 }, { c: 3 }] },
      (text) => text.includes('"b"'),
      { docs: [], steps: [{ b: 2 }] },
    ],
    [
      'documents',
      { docs: [{ a: 1 }, { b: 1 }], steps: [] },
      (text) => text.includes('"a"'),
      { docs: [{ a: 1 }], steps: [] },
    ],
    [
      'fields within',
      { steps: [{ q: { x: { y: 1, z: 2 } } }] },
      (text) => text.includes('"z"'),
      { steps: [{ q: { x: { z: 2 } } }] },
    ],
    ['elements', { steps: [{ list: [1, 2, 3] }] }, (text) => text.includes('2'), { steps: [{ list: [2] }] }],
    ['nothing that is needed', { steps: [{ a: 1, b: 2 }] }, (text) => /a.*b/.test(text), { steps: [{ a: 1, b: 2 }] }],
    ['not the _id', { docs: [{ _id: 1, a: 2 }] }, (text) => text.includes('_id'), { docs: [{ _id: 1 }] }],
    [
      'not the sort',
      { steps: [{ find: 'c', sort: { a: 1, _id: 1 } }] },
      (text) => text.includes('sort'),
      { steps: [{ sort: { a: 1, _id: 1 } }] },
    ],
    [
      'not the $sort',
      { steps: [{ pipeline: [{ $sort: { a: 1 } }, { $limit: 1 }] }] },
      (text) => text.includes('pipeline'),
      { steps: [{ pipeline: [{ $sort: { a: 1 } }] }] },
    ],
    [
      'all, if nothing is needed',
      { docs: [{ a: 1 }], indexes: [{}], steps: [{ b: 1 }] },
      () => true,
      { docs: [], indexes: [], steps: [] },
    ],
  ]
  for (const [name, whole, needed, smallest] of shrinks) {
    it(`shrinks ${name}`, async () => {
      expect(await shrink(whole, async (less) => needed(JSON.stringify(less)), 1000)).to.deep.equal(smallest)
    })
  }

  it('shrinks no longer than it may', async () => {
    let tries = 0
    const whole = { list: Array.from({ length: 50 }, (_, i) => i) }
    const fails = async ({ list }: { readonly list?: readonly number[] }) => {
      tries++
      return list !== undefined
    }
    await shrink<{ readonly list?: readonly number[] }>(whole, fails, 10)
    expect(tries).to.equal(10)
  })
})
