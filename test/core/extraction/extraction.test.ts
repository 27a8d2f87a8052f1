import { expect } from 'chai'
import { type ExtractedText, extractText } from '../../../core/extraction/extract.ts'
import {
  createExtraction,
  type Extraction,
  type ExtractionLimits,
  extractionLimits,
} from '../../../core/extraction/extraction.ts'
import type { Cost } from '../../../core/extraction/frames.ts'
import { Failure } from '../../../schemas/failures.ts'

describe('core/extraction/extraction', () => {
  const opened: Extraction[] = []
  const errors: string[] = []
  const costs: Cost[] = []
  const open = (limits: Partial<ExtractionLimits> = {}): Extraction => {
    const extraction = createExtraction({
      limits: { ...extractionLimits, ...limits },
      onError: ({ message }) => errors.push(message),
      onAnswer: (cost) => costs.push(cost),
    })
    opened.push(extraction)
    return extraction
  }
  const shared = open({ workersMax: 1 })
  type Sent = { readonly name?: string; readonly contentType?: string; readonly accountId?: string }
  const read = (content: string | Buffer, sent: Sent = {}, extraction = shared): Promise<ExtractedText | null> =>
    extractText(
      { extraction },
      { name: '', contentType: 'text/plain', accountId: 'acc_1', ...sent, content: Buffer.from(content) },
    )
  const refused = async (work: Promise<unknown>) => {
    const error = await work.then(
      () => null,
      (reason: unknown) => reason,
    )
    expect(error).to.be.instanceOf(Failure).with.property('code', 'unavailable')
  }

  after(() => Promise.all(opened.map((extraction) => extraction.close())))

  it('a worker reads one file after the other, and the caller keeps its bytes', async () => {
    const content = Buffer.from('Grüße')
    const all = await Promise.all([content, 'two', content].map((each) => read(each)))
    expect(all.map((each) => each?.text)).to.deep.equal(['Grüße', 'two', 'Grüße'])
    expect(content.toString()).to.equal('Grüße')
    expect(costs).to.have.length(3)
  })

  it('accounts take turns', async () => {
    const order: string[] = []
    const ask = async (accountId: string, name: string) => {
      await read(name, { accountId })
      order.push(name)
    }
    const first = ['a0', 'a1', 'a2', 'a3'].map((name) => ask('acc_a', name))
    await Promise.all([...first, ask('acc_b', 'b0'), ask('acc_b', 'b1'), ask('acc_c', 'c0')])
    expect(order).to.deep.equal(['a0', 'a1', 'b0', 'c0', 'a2', 'b1', 'a3'])
  })

  it('who has too many waiting is refused, others are not', async () => {
    const extraction = open({ workersMax: 1, waitingPerAccountMax: 2, waitingMax: 3 })
    const ask = (accountId: string) => read('x', { accountId }, extraction)
    const taken = [ask('acc_a'), ask('acc_a'), ask('acc_a')]
    await refused(ask('acc_a'))
    taken.push(ask('acc_b'))
    await refused(ask('acc_c'))
    expect((await Promise.all(taken)).map((each) => each?.text)).to.deep.equal(['x', 'x', 'x', 'x'])
    await extraction.close()
    await refused(ask('acc_a'))
  })

  it('a file beyond the limits has no text, and the next one has a new worker', async () => {
    const slow = open({ workersMax: 1, cpuMsMax: 1 })
    const greedy = open({ workersMax: 1, memoryBytesMax: 1 })
    const heavy = `<p>x${'<i></i>'.repeat(70_000)}`
    for (const [extraction, limit] of [
      [slow, 'time'],
      [greedy, 'memory'],
    ] as const) {
      expect(await read(heavy, { contentType: 'text/html' }, extraction)).to.equal(null)
      expect(errors.pop()).to.contain(`limit of ${limit}`)
      expect(await read('', {}, extraction)).to.equal(null)
    }
  })

  it('closing fails what is under way', async () => {
    const extraction = open({ workersMax: 1 })
    const work = [refused(read('x', {}, extraction)), refused(read('y', {}, extraction))]
    await extraction.close()
    await Promise.all(work)
  })
})
