/** Which attempt starts next if more are waiting than may be in flight. */
import { expect } from 'chai'
import { attemptQueue, type Ended } from '../../../core/notify/attempt-queue.ts'
import type { ProcessContext } from '../../../core/process/per-process.ts'
import type { DeliveryDoc } from '../../../store/documents/events.ts'
import { eventually } from '../../eventually.ts'

const concurrency = 10
const now = new Date(0)
const failed = { at: now, status: 500, response: '', error: null, durationMs: 1 }

/** A queue, and the attempts started in it, which end on request. */
function openQueue() {
  const clock = { now: () => now }
  const process = { store: {}, settings: { webhooks: { concurrency } }, clock, machineClock: clock }
  const queue = attemptQueue(process as unknown as ProcessContext)
  const begun: { readonly webhookId: string; readonly isFirst: boolean; end(): void }[] = []
  const add = (webhookId: string, attempts: DeliveryDoc['attempts'] = []) => {
    const { promise, resolve } = Promise.withResolvers<Ended>()
    const delivery = { webhookId, mailboxId: null, attempts } as unknown as DeliveryDoc
    const end = () => resolve({ hasAnswered: true })
    void queue.add({
      delivery,
      beginBefore: new Date(1),
      run: () => {
        begun.push({ webhookId, isFirst: attempts.length === 0, end })
        return promise
      },
    })
  }
  const names = () => begun.map(({ webhookId }) => webhookId)
  return { add, begun, names, addAgain: (webhookId: string) => add(webhookId, [failed]) }
}

const times = (count: number, act: (n: number) => void) => Array.from({ length: count }, (_, n) => act(n))

describe('the queue of attempts', () => {
  it('reserves places for first attempts, however many have failed before', () => {
    const { add, addAgain, begun, names } = openQueue()
    times(100, (n) => addAgain(`old${n}`))
    expect(begun).to.have.length(8)
    add('new0')
    add('new1')
    expect(names().slice(8)).to.deep.equal(['new0', 'new1'])
    add('new2')
    expect(begun).to.have.length(concurrency)
  })

  it('reserves places for retries, however many first attempts there are', async () => {
    const { add, addAgain, begun } = openQueue()
    times(100, (n) => add(`new${n}`))
    expect(begun).to.have.length(concurrency)
    times(100, (n) => addAgain(`old${n}`))
    times(3, (n) => begun[n]!.end())
    await eventually('three others begin', () => begun.length === concurrency + 3)
    expect(begun.filter(({ isFirst }) => !isFirst)).to.have.length(2)
  })

  it('gives first attempts all places while no retry waits', () => {
    const { add, begun } = openQueue()
    times(100, (n) => add(`new${n}`))
    expect(begun).to.have.length(concurrency)
  })

  it('makes first attempts of an endpoint before others, and all of them in the end', async () => {
    const { add, addAgain, begun } = openQueue()
    times(30, () => addAgain('one'))
    times(30, () => add('one'))
    const before = 8
    expect(begun.filter(({ isFirst }) => !isFirst)).to.have.length(before)
    for (let n = 0; n < 60; n++) {
      await eventually(`attempt ${n} begins`, () => begun.length > n)
      begun[n]!.end()
    }
    const order = begun.map(({ isFirst }) => isFirst)
    expect(order.slice(before, before + 30)).to.not.include(false)
    expect(order).to.have.length(60)
  })

  it('lets endpoints take turns', async () => {
    const { add, begun, names } = openQueue()
    times(30, () => add('busy'))
    add('rare')
    times(2, (n) => begun[n]!.end())
    await eventually('two others begin', () => begun.length === concurrency + 2)
    expect(names()).to.include('rare')
  })
})
