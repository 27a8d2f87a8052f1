import { expect } from 'chai'
import { Failure } from '../../../schemas/failures.ts'
import { type Extractor, openExtractor } from '../../start/extraction.ts'

describe('core/extraction/extraction', () => {
  const opened: Extractor[] = []
  const open: typeof openExtractor = (limits) => {
    const extractor = openExtractor(limits)
    opened.push(extractor)
    return extractor
  }
  const shared = open({ waitingPerAccountMax: 3, waitingMax: 7 })
  const refused = async (work: Promise<unknown>) => {
    const error = await work.then(
      () => null,
      (reason: unknown) => reason,
    )
    expect(error).to.be.instanceOf(Failure).with.property('code', 'unavailable')
  }

  after(() => Promise.all(opened.map((extractor) => extractor.close())))

  it('a worker reads one file after the other, and the caller keeps its bytes', async () => {
    const content = Buffer.from('Grüße')
    const all = await Promise.all([content, 'two', content].map((each) => shared.read(each)))
    expect(all.map((each) => each?.text)).to.deep.equal(['Grüße', 'two', 'Grüße'])
    expect(content.toString()).to.equal('Grüße')
    expect(shared.costs).to.have.length(3)
  })

  it('accounts take turns', async () => {
    const order: string[] = []
    const ask = async (accountId: string, name: string) => {
      await shared.read(name, { accountId })
      order.push(name)
    }
    const first = ['a0', 'a1', 'a2', 'a3'].map((name) => ask('acc_a', name))
    await Promise.all([...first, ask('acc_b', 'b0'), ask('acc_b', 'b1'), ask('acc_c', 'c0')])
    expect(order).to.deep.equal(['a0', 'a1', 'b0', 'c0', 'a2', 'b1', 'a3'])
  })

  it('an account with too many waiting files is refused, others only when too many wait in all', async () => {
    const ask = (accountId: string) => shared.read('x', { accountId })
    const taken = ['a', 'a', 'a', 'a'].map(ask)
    await refused(ask('a'))
    taken.push(...['b', 'b', 'b', 'c'].map(ask))
    await refused(ask('c'))
    expect((await Promise.all(taken)).map((each) => each?.text)).to.deep.equal(Array.from({ length: 8 }, () => 'x'))
  })

  it('a file beyond a limit has no text, and the next has a new worker', async () => {
    const slow = open({ cpuMsMax: 1 })
    const heavy = `<p>x${'<i></i>'.repeat(70_000)}`
    const asked = ['a', 'b'].map((accountId) => slow.read(heavy, { contentType: 'text/html', accountId }))
    expect(await Promise.all(asked)).to.deep.equal([null, null])
    expect(slow.errors).to.have.length(2)
    expect(slow.errors[0]).to.contain('limit of time')
    expect(slow.costs).to.have.length(2)
  })

  it('if no worker can start, a file is refused, because it may have text', async () => {
    const broken = open({ heapMb: Number.NaN })
    await refused(broken.read('x'))
    expect(broken.errors[0]).to.match(/ended with/)
  })

  it('closing fails running and later requests', async () => {
    const extractor = open()
    const work = [refused(extractor.read('x')), refused(extractor.read('y'))]
    await extractor.close()
    await Promise.all([...work, refused(extractor.read('z'))])
  })
})
