import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import { createKnown } from '../../../core/process/known.ts'

/** The source of the cached values, and a record of the queries to it. */
function makeSource(values: Record<string, string>) {
  const questions: (readonly string[])[] = []
  const held: PromiseWithResolvers<void>[] = []
  let isHeld = false
  return {
    values,
    questions,
    hold: () => {
      isHeld = true
    },
    release: () => {
      isHeld = false
      for (const { resolve } of held.splice(0)) resolve()
    },
    async load(keys: readonly string[]): Promise<ReadonlyMap<string, string>> {
      questions.push(keys)
      const found = new Map(keys.flatMap((key) => (values[key] === undefined ? [] : [[key, values[key]] as const])))
      if (isHeld) {
        held.push(Promise.withResolvers<void>())
        await held.at(-1)!.promise
      }
      return found
    },
  }
}

describe('a cache of values that others may change', () => {
  let nowMs = 0
  const clock = { now: () => new Date(nowMs) }
  const make = () => createKnown<string>(clock, { staleMs: 1_000 })
  beforeEach(() => {
    nowMs = 0
  })

  it('refreshes values in use before they expire, all in one query, without callers waiting', async () => {
    const source = makeSource({ a: '1', b: '1', c: '1' })
    const known = make()
    for (const key of ['a', 'b', 'c']) await known.find(key, source.load)
    nowMs = 500
    await known.find('b', source.load)
    nowMs = 800
    source.values.a = '2'
    source.values.b = '2'
    source.hold()
    expect(await known.find('a', source.load)).to.equal('1')
    source.release()
    await nextTurn()
    expect(source.questions.slice(3), 'c was not asked for again').to.deep.equal([['a', 'b']])
    nowMs = 1_500
    expect([known.get('a'), known.get('b'), known.get('c')]).to.deep.equal(['2', '2', undefined])
  })

  it('queries again once an unused value has expired', async () => {
    const source = makeSource({ a: '1' })
    const known = make()
    await known.find('a', source.load)
    source.values.a = '2'
    nowMs = 999
    expect(known.get('a')).to.equal('1')
    nowMs = 1_000
    expect(await known.find('a', source.load)).to.equal('2')
    expect(source.questions).to.have.length(2)
  })

  it('drops a value that is gone when it is refreshed', async () => {
    const source = makeSource({ a: '1' })
    const known = make()
    await known.find('a', source.load)
    delete source.values.a
    nowMs = 900
    expect(await known.find('a', source.load)).to.equal('1')
    await nextTurn()
    expect(known.get('a')).to.equal(undefined)
  })

  it('does not keep a value whose refresh started before a change was announced', async () => {
    const source = makeSource({ a: '1' })
    const known = make()
    await known.find('a', source.load)
    nowMs = 900
    source.hold()
    await known.find('a', source.load)
    source.values.a = '2'
    known.forget((key) => key === 'a')
    source.release()
    await nextTurn()
    expect(known.get('a')).to.equal(undefined)
    expect(await known.find('a', source.load)).to.equal('2')
  })

  it('keeps a value that could not be refreshed until it expires', async () => {
    const source = makeSource({ a: '1' })
    const known = make()
    const fail = async () => {
      throw new Error('away')
    }
    await known.find('a', source.load)
    nowMs = 900
    expect(await known.find('a', fail)).to.equal('1')
    await nextTurn()
    expect(await known.find('a', source.load), 'it is tried again').to.equal('1')
    await nextTurn()
    nowMs = 1_800
    expect(known.get('a')).to.equal('1')
  })
})
