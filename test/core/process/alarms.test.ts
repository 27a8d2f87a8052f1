import { expect } from 'chai'
import { type Alarm, noteDue, noteFailed, startAlarm } from '../../../core/process/alarms.ts'
import { after } from '../../../core/process/clock.ts'
import type { Context } from '../../../core/process/context.ts'
import { eventually } from '../../eventually.ts'

const dayMs = 24 * 60 * 60 * 1_000
const soon = (ms: number) => after(new Date(), ms)

describe('core: alarms', () => {
  let ctx: Context
  let errors: number
  let runs: number[]
  /** When the store says that the next run is due: after the next run, or after each. */
  let due: Date | null
  let repeats: boolean
  let work: () => Promise<unknown>
  let alarm: Alarm

  /** Starts an alarm that records the start of each run, and waits for the first. */
  async function start(): Promise<void> {
    alarm = startAlarm(ctx, {
      kind: 'sends',
      work() {
        runs.push(Date.now())
        return work()
      },
      async next() {
        const at = due
        due = repeats ? due : null
        return at
      },
    })
    await eventually('the first run', async () => runs.length === 1)
  }
  const runsAre = (count: number) => eventually(`${count} runs`, async () => runs.length >= count)

  beforeEach(() => {
    errors = 0
    runs = []
    due = null
    repeats = false
    work = async () => undefined
    const log = { error: () => errors++ }
    ctx = {
      store: {},
      clock: { now: () => new Date() },
      skew: { requireSound: () => undefined },
      log,
    } as unknown as Context
  })
  afterEach(() => alarm.stop())

  it('runs at the start, and again when the store says that something is due', async () => {
    const at = soon(1_500)
    due = at
    await start()
    await runsAre(2)
    expect(runs[1]).to.be.at.least(at.getTime())
  })

  it('runs when something announced becomes due, not before', async () => {
    await start()
    const at = soon(1_300)
    noteDue(ctx, 'sends', at)
    await runsAre(2)
    expect(runs[1]).to.be.at.least(at.getTime())
  })

  it('uses the earliest of several times, and does not run early for one far away', async () => {
    await start()
    // Further away than the maximum delay of a timer.
    noteDue(ctx, 'sends', soon(60 * dayMs))
    const at = soon(1_200)
    noteDue(ctx, 'sends', at)
    noteDue(ctx, 'sends', soon(dayMs))
    await runsAre(2)
    expect(runs[1]).to.be.at.least(at.getTime())
    expect(runs).to.have.length(2)
  })

  it('starts runs at least a second apart, however much is due', async () => {
    due = soon(-1)
    repeats = true
    await start()
    for (let n = 0; n < 20; n++) noteDue(ctx, 'sends', soon(0))
    await runsAre(3)
    // Timers of Node may be a millisecond early.
    for (const n of [1, 2]) expect(runs[n]! - runs[n - 1]!).to.be.at.least(990)
  })

  it('does not lose an announcement made during a run', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    work = () => promise
    await start()
    noteDue(ctx, 'sends', soon(0))
    work = async () => undefined
    resolve()
    await runsAre(2)
  })

  it('repeats a failed run', async () => {
    work = () => Promise.reject(new Error('away'))
    await start()
    await runsAre(2)
    expect(errors).to.be.at.least(1)
    work = async () => undefined
    await alarm.run()
    const before = runs.length
    noteFailed(ctx, 'sends')
    await runsAre(before + 1)
  })

  it('what fails after others may run is logged and tried again too', async () => {
    const { promise: late, reject } = Promise.withResolvers<void>()
    work = () => (runs.length === 1 ? late : Promise.resolve())
    await start()
    // Joins the run, which ends before its work does.
    await alarm.run()
    expect([runs.length, errors]).to.deep.equal([1, 0])
    reject(new Error('late'))
    await runsAre(2)
    expect(errors).to.equal(1)
  }).timeout(60_000)

  it('ignores announcements of other kinds, and all after its end', async () => {
    await start()
    noteDue(ctx, 'batches', soon(0))
    await alarm.stop()
    noteDue(ctx, 'sends', soon(0))
    await alarm.run()
    expect(runs).to.have.length(1)
  })
})
