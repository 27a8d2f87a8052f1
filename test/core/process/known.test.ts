import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import { createKnown } from '../../../core/process/known.ts'

/** What is kept elsewhere, and the questions that were asked there. */
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

describe('what a process knows of things that others may change', () => {
  let nowMs = 0
  const clock = { now: () => new Date(nowMs) }
  const make = () => createKnown<string>(clock, { staleMs: 1_000 })
  beforeEach(() => {
    nowMs = 0
  })

  it('reads what is in use anew before its time is over, all in one question, and nobody waits for it', async () => {
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

  it('asks again once the time of something is over that nobody asked for meanwhile', async () => {
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

  it('forgets what is gone when it is read anew', async () => {
    const source = makeSource({ a: '1' })
    const known = make()
    await known.find('a', source.load)
    delete source.values.a
    nowMs = 900
    expect(await known.find('a', source.load)).to.equal('1')
    await nextTurn()
    expect(known.get('a')).to.equal(undefined)
  })

  it('does not keep what was read anew before a change was heard', async () => {
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

  it('knows what could not be read anew until its time is over', async () => {
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
