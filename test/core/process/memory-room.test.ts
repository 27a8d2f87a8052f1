import { expect } from 'chai'
import { createMemoryRoom } from '../../../core/process/memory-room.ts'

describe('room for large data in memory', () => {
  const turn = () => new Promise((resolve) => setImmediate(resolve))

  /** Jobs of these sizes that all start at once and end on request. */
  function works(sizes: readonly number[], limits: { bytesMax: number; waitingMax: number }) {
    const room = createMemoryRoom(limits)
    const underWay = new Map<number, (failed?: Error) => void>()
    const done = sizes.map((bytes, n) =>
      room(
        bytes,
        () =>
          new Promise<void>((resolve, reject) => underWay.set(n, (failed) => (failed ? reject(failed) : resolve()))),
      ).then(
        () => 'done',
        (error: Error & { code?: string }) => error.code ?? error.message,
      ),
    )
    const end = async (n: number, failed?: Error) => {
      underWay.get(n)?.(failed)
      underWay.delete(n)
      await done[n]
      await turn()
      return [...underWay.keys()]
    }
    return { done, end, begun: () => [...underWay.keys()] }
  }

  it('admits what fits, and the others in order, also after a failure', async () => {
    const { begun, end } = works([40, 40, 40, 10], { bytesMax: 100, waitingMax: 10 })
    expect(begun()).to.deep.equal([0, 1])
    expect(await end(1, new Error('no'))).to.deep.equal([0, 2, 3])
    expect(await end(0)).to.deep.equal([2, 3])
  })

  it('admits a job larger than the whole room if no other is running', async () => {
    const { begun, end } = works([10, 500, 10], { bytesMax: 100, waitingMax: 10 })
    expect(begun()).to.deep.equal([0])
    expect(await end(0)).to.deep.equal([1])
    expect(await end(1)).to.deep.equal([2])
  })

  it('refuses a job if too many are waiting before it', async () => {
    const { done } = works([100, 1, 1, 1], { bytesMax: 100, waitingMax: 2 })
    expect(await done[3]).to.equal('unavailable')
  })
})
