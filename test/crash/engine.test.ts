/** Runs a few rounds of `npm run crash -- engine` with the tests, so that every change passes some. */
import { expect } from 'chai'
import { killRounds, powerCuts } from './engine.ts'
import { tails } from './images.ts'
import { createRandom } from './random.ts'

describe('the engine after a crash', () => {
  it('kill -9 under 20 writers loses nothing that was acknowledged and tears no index', async () => {
    const outcomes = await killRounds({ rounds: 3, writers: 20, random: createRandom(1) })
    expect(outcomes.flatMap(({ violations }) => violations)).to.deep.equal([])
    expect(outcomes.at(-1)?.acknowledged).to.be.greaterThan(200)
  })

  it('a log that the power cut off in the middle of its frames opens as it was acknowledged', async () => {
    const outcomes = await powerCuts({ images: 4 * tails.length, writers: 20, random: createRandom(1) })
    expect(outcomes.flatMap(({ violations }) => violations)).to.deep.equal([])
    expect(outcomes.at(-1)?.acknowledged).to.be.greaterThan(200)
    expect(Math.min(...outcomes.map(({ underWayBytes }) => underWayBytes))).to.be.greaterThan(0)
  })
})
