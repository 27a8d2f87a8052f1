import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import { createBatchedLookup } from '../../../core/process/batched-lookup.ts'

describe('batched lookups', () => {
  /** Answers each key except `nobody` with its upper case form, and records the keys of each round. */
  function questions() {
    const rounds: (readonly string[])[] = []
    const ask = createBatchedLookup<string>()
    const load = async (keys: readonly string[]) => {
      rounds.push(keys)
      for (let turn = 0; turn < 5; turn++) await nextTurn()
      if (keys.includes('bad')) throw new Error('no answer')
      return new Map(keys.filter((key) => key !== 'nobody').map((key) => [key, key.toUpperCase()]))
    }
    return { rounds, ask: (key: string) => ask(key, load) }
  }

  it('look up all keys requested in the same turn together, each key once', async () => {
    const { rounds, ask } = questions()
    expect(await Promise.all(['a', 'b', 'a', 'nobody'].map(ask))).to.deep.equal(['A', 'B', 'A', undefined])
    expect(rounds).to.deep.equal([['a', 'b', 'nobody']])
  })

  it('look up later keys once the current round has ended', async () => {
    const { rounds, ask } = questions()
    const first = ask('a')
    await nextTurn()
    expect(await Promise.all([first, ask('a'), ask('b')])).to.deep.equal(['A', 'A', 'B'])
    expect(rounds).to.deep.equal([['a'], ['a', 'b']])
  })

  it('look up at most 100 keys in one round', async () => {
    const { rounds, ask } = questions()
    const keys = Array.from({ length: 150 }, (_, n) => `k${n}`)
    expect(await Promise.all(keys.map(ask))).to.deep.equal(keys.map((key) => key.toUpperCase()))
    expect(rounds.map(({ length }) => length)).to.deep.equal([100, 50])
  })

  it('fail all keys of a failed round, and continue', async () => {
    const { ask } = questions()
    const outcomes = await Promise.allSettled(['a', 'bad'].map(ask))
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected'])
    expect(await ask('a')).to.equal('A')
  })
})
