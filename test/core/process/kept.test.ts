import { expect } from 'chai'
import { createKept, type KeptOptions } from '../../../core/process/kept.ts'
import { expectLinear } from '../../mail/cost.ts'

describe('a cache with lifetimes', () => {
  let nowMs = 0
  const clock = { now: () => new Date(nowMs) }
  const make = (options: Partial<KeptOptions<string>> = {}) =>
    createKept<string>(clock, { max: 3, ttlMs: 1_000, ...options })
  beforeEach(() => {
    nowMs = 0
  })

  it('drops an entry at the end of its lifetime, counted from the last set', () => {
    const kept = make()
    kept.set('a', 'first')
    nowMs = 900
    kept.set('a', 'second')
    nowMs = 1_899
    expect(kept.get('a')).to.equal('second')
    nowMs = 1_900
    expect(kept.get('a')).to.equal(undefined)
  })

  it('can end an entry sooner, but not later', () => {
    const kept = make()
    kept.set('short', 'x', 10)
    kept.set('long', 'x', 10_000)
    nowMs = 10
    expect([kept.get('short'), kept.get('long')]).to.deep.equal([undefined, 'x'])
    nowMs = 1_000
    expect(kept.get('long')).to.equal(undefined)
  })

  it('drops the oldest entry if there are too many', () => {
    const kept = make()
    for (const key of ['a', 'b', 'c']) kept.set(key, key)
    kept.get('a')
    kept.set('b', 'again')
    kept.set('d', 'd')
    expect([...kept.keys()]).to.deep.equal(['c', 'b', 'd'])
  })

  it('drops the least recently used entry if use renews entries', () => {
    const kept = make({ renewOnUse: true })
    for (const key of ['a', 'b', 'c']) kept.set(key, key)
    nowMs = 900
    kept.get('a')
    kept.set('d', 'd')
    expect([...kept.keys()]).to.deep.equal(['c', 'a', 'd'])
    nowMs = 1_800
    expect([kept.get('c'), kept.get('a')]).to.deep.equal([undefined, 'a'])
  })

  it('counts weights', () => {
    const kept = make({ max: 10, weigh: (value) => value.length })
    kept.set('a', 'x'.repeat(6))
    kept.set('b', 'x'.repeat(4))
    expect([...kept.keys()]).to.deep.equal(['a', 'b'])
    kept.set('b', 'x'.repeat(5))
    expect([...kept.keys()]).to.deep.equal(['b'])
    kept.set('c', 'x'.repeat(11))
    expect([...kept.keys()]).to.deep.equal([])
    kept.set('d', 'x'.repeat(10))
    expect([...kept.keys()]).to.deep.equal(['d'])
  })

  it('reports how much room it has without dropping valid entries', () => {
    const kept = make({ max: 10, weigh: (value) => value.length })
    kept.set('a', 'x'.repeat(6))
    nowMs = 500
    kept.set('b', 'x')
    expect(kept.room()).to.equal(3)
    nowMs = 1_000
    expect(kept.room()).to.equal(9)
  })

  it('frees all expired entries when the next one is set', () => {
    const kept = make({ max: 1_000 })
    for (let n = 0; n < 1_000; n++) kept.set(`key ${n}`, 'x')
    nowMs = 1_000
    kept.set('next', 'x')
    expect([...kept.keys()]).to.deep.equal(['next'])
  })

  it('takes no longer to set an entry if it is full of many', () => {
    expectLinear('many in as much room', Buffer.alloc(16_000), ({ length }) => {
      for (let times = 0; times < 20; times++) {
        const kept = make({ max: length / 2 })
        for (let n = 0; n < length; n++) kept.set(`key ${n}`, 'x')
      }
    })
  })
})
