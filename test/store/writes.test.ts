import { expect } from 'chai'
import { openStore, type Store } from '../../store/open.ts'
import { isUnavailable } from '../../store/unwell.ts'
import {
  createWrites,
  deleteIn,
  fenceIn,
  fenceMs,
  knowsBulkWrite,
  updateIn,
  type Write,
  writeAll,
} from '../../store/writes.ts'
import { delayed, startDatabaseProxy } from '../peers/database-proxy.ts'
import { useStore } from '../start/store.ts'

describe('store: writes together', () => {
  let store: Store
  let url: string
  const { fresh, insert, stored } = useStore((...opened) => {
    ;[store, url] = opened
  })
  const set = (_id: string, value: unknown): Write => updateIn(store.state, { _id }, { $set: { value } })

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

  describe('that nobody waits for', () => {
    it('go with the next that somebody waits for, in one command', async () => {
      const commands: string[] = []
      const monitored = await openStore({ url, role: 'test', onCommand: (name) => commands.push(name) })
      const [a, b, c] = [fresh(), fresh(), fresh()]
      const template = updateIn(store.templates, { _id: a }, { $set: { alias: a } }, { upsert: true })
      commands.length = 0
      const outcomes = await Promise.all([
        monitored.writeSoon([insert(a), template]),
        monitored.writeSoon([insert(b)]),
        monitored.writeTogether([insert(c)]),
      ])
      await monitored.close()
      expect(outcomes).to.deep.equal([null, null, null])
      expect(commands.filter((name) => name !== 'other')).to.deep.equal(['bulkWrite'])
      expect([await stored(a), await stored(b), await stored(c)]).to.deep.equal([null, null, null])
    })

    it('are made when there are no others', async () => {
      const [a, b] = [fresh(), fresh()]
      expect(await store.writeSoon([insert(a, 1), insert(b, 2)])).to.equal(null)
      expect([await stored(a), await stored(b)]).to.deep.equal([1, 2])
    })

    it('are refused by themselves', async () => {
      const [a, b, c] = [fresh(), fresh(), fresh()]
      await store.writeTogether([insert(a)])
      const [soon, others] = await Promise.all([
        store.writeSoon([insert(b), insert(a), insert(fresh())]),
        store.writeTogether([insert(c)]),
      ])
      expect([soon, others]).to.deep.equal([1, null])
      expect([await stored(b), await stored(c)]).to.deep.equal([null, null])
    })
  })

  describe('with a fence', () => {
    const fence = (_id: string, value: unknown): Write =>
      fenceIn(store.state, { _id, value }, { value: 'made by a fence' })
    /** More than go with what others write. */
    const many = () => Array.from({ length: 60 }, fresh)
    const templatesOf = (ids: readonly string[]) =>
      ids.map((_id) => updateIn(store.templates, { _id }, { $set: { alias: _id } }, { upsert: true }))
    const made = (ids: readonly string[]) => store.templates.countDocuments({ _id: { $in: [...ids] } })

    it('are made where it holds, and not where it does not', async () => {
      const [held, ids] = [fresh(), many()]
      await store.writeTogether([insert(held, 1)])
      expect(await store.writeTogether([fence(held, 2), ...templatesOf(ids)])).to.equal(0)
      expect(await made(ids)).to.equal(0)
      expect(await store.writeTogether([fence(held, 1), ...templatesOf(ids)])).to.equal(null)
      expect(await made(ids)).to.equal(ids.length)
      expect(await stored(held)).to.equal(1)
    })

    it('are one command, however many', async () => {
      const commands: string[] = []
      const monitored = await openStore({ url, role: 'test', onCommand: (name) => commands.push(name) })
      const [held, ids] = [fresh(), many()]
      await store.writeTogether([insert(held, 1)])
      commands.length = 0
      await monitored.writeTogether([fence(held, 1), ...templatesOf(ids)])
      await monitored.close()
      expect(commands.filter((name) => name !== 'other')).to.deep.equal(['bulkWrite'])
    })

    it('are left on a server that takes several commands for them when the first took too long', async () => {
      const proxy = await startDatabaseProxy({ path: decodeURIComponent(new URL(url).host) })
      const slow = await openStore({ url: url.replace(/\/\/[^/]+/, `//${proxy.host}`), role: 'test' })
      // What a MongoDB before 8.0 says of itself.
      const older = Object.create(slow.db, {
        command: { value: async (body: object) => ({ ...(await slow.db.command(body)), maxWireVersion: 21 }) },
      })
      const [held, ids] = [fresh(), many()]
      await store.writeTogether([insert(held, 1)])
      const { writeTogether } = createWrites(older, await knowsBulkWrite(older))
      proxy.follow((name) => (name === 'update' ? delayed(fenceMs + 100) : null))
      const error = await writeTogether([fence(held, 1), ...templatesOf(ids)]).catch((failed: unknown) => failed)
      expect(isUnavailable(error), String(error)).to.equal(true)
      expect(await made(ids)).to.equal(0)
      proxy.follow(null)
      expect(await writeTogether([fence(held, 1), ...templatesOf(ids)])).to.equal(null)
      await slow.close()
      await proxy.close()
    })
  })

  it('tell which of those that must match did not', async () => {
    const [there, absent, other] = [fresh(), fresh(), fresh()]
    await store.writeTogether([insert(there), insert(other)])
    const must = (_id: string) => updateIn(store.state, { _id }, { $set: { value: 1 } }, { mustMatch: true })
    const elsewhere = updateIn(store.templates, { _id: there }, { $set: { alias: 'a' } }, { upsert: true })
    const apart = await store.writeEach([must(there), must(absent), elsewhere, must(absent), must(other)])
    expect(apart).to.deep.equal({ refused: null, unmatched: new Set([1, 3]), isExact: true })
    const refused = await store.writeEach([elsewhere, must(absent), insert(there), must(other)])
    expect(refused).to.deep.equal({ refused: 2, unmatched: new Set([1]), isExact: true })
    const alike = await store.writeEach([must(there), must(absent)])
    expect(alike).to.deep.equal({ refused: null, unmatched: new Set([0, 1]), isExact: false })
  })

  describe('that must match', () => {
    const must = (_id: string, value: unknown): Write =>
      updateIn(store.state, { _id }, { $set: { value } }, { mustMatch: true })
    const elsewhere = (_id: string): Write =>
      updateIn(store.templates, { _id }, { $set: { alias: _id } }, { upsert: true })
    const lists: readonly (readonly [string, (there: string, absent: string) => readonly Write[], number | null])[] = [
      ['an update that matches', (there) => [elsewhere(there), must(there, 1)], null],
      ['one that changes nothing', (there) => [elsewhere(there), must(there, null)], null],
      ['one that matches nothing', (there, absent) => [elsewhere(there), must(absent, 1)], 1],
      [
        'the first of several',
        (there, absent) => [must(there, 1), must(absent, 1), elsewhere(there), must(absent, 2)],
        1,
      ],
      ['one before a refusal', (there, absent) => [elsewhere(there), must(absent, 1), insert(there)], 1],
      ['one after a refusal', (there, absent) => [elsewhere(there), insert(there), must(absent, 1)], 1],
      ['one that need not', (there, absent) => [elsewhere(there), set(absent, 1)], null],
      ['a deletion', (there) => [elsewhere(there), deleteIn(store.state, { _id: there })], null],
      ['a deletion of nothing', (there, absent) => [elsewhere(there), deleteIn(store.state, { _id: absent })], 1],
      [
        'a deletion after another',
        (there) => [elsewhere(there), deleteIn(store.state, { _id: there }), must(there, 1)],
        2,
      ],
      ['in one collection, alone', (_, absent) => [must(absent, 1)], 0],
      ['in one collection, matching', (there) => [must(there, 1), set(there, 2)], null],
    ]
    for (const [what, writes, expected] of lists)
      it(`${what}: ${expected}`, async () => {
        const [there, absent] = [fresh(), fresh()]
        await store.writeTogether([insert(there)])
        expect(await store.writeTogether(writes(there, absent))).to.equal(expected)
        expect(await stored(absent)).to.equal(undefined)
      })

    it('each list is told of its own, and those after one that does not are made', async () => {
      const outcomes = await Promise.all(
        lists.flatMap(([what, writes, expected]) =>
          Array.from({ length: 5 }, async () => {
            const [there, absent, last] = [fresh(), fresh(), fresh()]
            // In another command, which the list below is not in.
            await store.writeTogether([insert(there)])
            const own = writes(there, absent)
            const refused = await store.writeTogether([...own, elsewhere(last), insert(last)])
            return { what, refused, expected, isMade: (await stored(last)) !== undefined }
          }),
        ),
      )
      for (const { what, refused, expected, isMade } of outcomes) {
        expect(refused, what).to.equal(expected)
        expect(isMade, what).to.equal(!what.includes('a refusal'))
      }
    })

    it('a long list is in doubt where its writes to a collection match less than they are', async () => {
      const there = Array.from({ length: 30 }, fresh)
      await writeAll(
        store,
        there.map((name) => insert(name)),
      )
      expect(await store.writeTogether(there.map((name) => must(name, 1)))).to.equal(null)
      expect(await store.writeTogether([...there, fresh()].map((name) => must(name, 1)))).to.equal(0)
    })
  })

  it('none are done at once', async () => {
    expect(await store.writeTogether([])).to.equal(null)
  })
})
