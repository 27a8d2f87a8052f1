import { expect } from 'chai'
import { loadOnce } from '../../../core/process/load-once.ts'

describe('loading a module with its first use', () => {
  it('happens once for simultaneous uses', async () => {
    let loads = 0
    const load = loadOnce(async () => ({ number: ++loads }))
    const [first, second] = await Promise.all([load(), load()])
    expect([first, second, await load()].map(({ number }) => number)).to.deep.equal([1, 1, 1])
  })

  it('is tried again after it failed', async () => {
    const tries = [new Error('too many open files'), null]
    const load = loadOnce(async () => {
      const error = tries.shift()
      if (error instanceof Error) throw error
      return 'loaded'
    })
    const failed = await load().catch((error: Error) => error.message)
    expect([failed, await load()]).to.deep.equal(['too many open files', 'loaded'])
  })
})
