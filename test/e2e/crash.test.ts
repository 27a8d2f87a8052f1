import { expect } from 'chai'
import { canFindProcesses, victims } from '../crash/parts.ts'
import { playRounds } from '../crash/rounds.ts'

/** A factor for the time limits, because the machine does other work meanwhile. */
const patience = 5

describe('a crash', () => {
  it('of any process loses nothing that was acknowledged, and doubles nothing', async function () {
    // The test takes one minute on an otherwise idle machine.
    this.timeout(15 * 60_000)
    if (!canFindProcesses) this.skip()
    const volume = { senders: 20, lettersEach: 2, clients: 4, sendsEach: 2 }
    const plan = { rounds: victims.length, seed: 66, victims, volume, untilCaughtUp: false, patience }
    const { rounds } = await playRounds(plan, () => undefined)
    for (const { victim, violations, letters, sends } of rounds) {
      expect(violations, victim).to.deep.equal([])
      expect({ letters, sends }, victim).to.deep.equal({ letters: 40, sends: 8 })
    }
  })
})
