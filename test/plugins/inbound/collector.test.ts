import { expect } from 'chai'
import fc from 'fast-check'
import { ByteBudget, Collector } from '../../../plugins/inbound/collector.ts'

const MiB = 1024 * 1024
const limits = { messageBytes: 4 * MiB, headerBytes: 64 * 1024, headerCount: 200, hops: 100 }

const lineBytes = 65_536

/**
 * Feeds DATA as Haraka does: each chunk of the socket is joined to what was left over. Unless `isHarakaAlone`, the collector then takes
 * many lines at a time before Haraka cuts the rest after each LF.
 */
function feed(collector: Collector, wire: Buffer, chunkBytes: number, { isHarakaAlone = false } = {}): void {
  let rest = Buffer.alloc(0)
  for (let at = 0; at < wire.length; at += chunkBytes) {
    const chunk = Buffer.from(wire.subarray(at, at + chunkBytes))
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    if (!isHarakaAlone) rest = rest.subarray(collector.addLines(rest, lineBytes))
    for (let lf = rest.indexOf(10); lf !== -1; lf = rest.indexOf(10)) {
      collector.add(rest.subarray(0, lf + 1))
      rest = rest.subarray(lf + 1)
    }
  }
}

const stuffed = (raw: string) => Buffer.from(raw.replaceAll(/(^|\r\n)\./g, '$1..'), 'latin1')

function collect(raw: string, { chunkBytes = 65_536, budget = new ByteBudget(64 * MiB), isHarakaAlone = false } = {}) {
  const collector = new Collector(limits, budget)
  feed(collector, stuffed(raw), chunkBytes, { isHarakaAlone })
  return collector.finish()
}

describe('Collector', () => {
  it('gives every message back byte for byte, however it is cut into chunks', async () => {
    const line = fc.string({ unit: fc.constantFrom('.', 'a', ':', ' ', '\0', '\xe9', '\r', '\t'), maxLength: 90 })
    const message = fc.array(line, { maxLength: 120 }).map((lines) => lines.map((text) => `${text}\r\n`).join(''))
    await fc.assert(
      fc.asyncProperty(
        message,
        fc.integer({ min: 1, max: 300 }),
        fc.boolean(),
        async (raw, chunkBytes, isHarakaAlone) => {
          const collected = await collect(raw, { chunkBytes, isHarakaAlone })
          expect(collected).to.have.property('raw')
          if ('raw' in collected) expect(collected.raw.toString('latin1')).to.equal(raw)
        },
      ),
      { numRuns: 200 },
    )
  })

  const beginnings = [
    ['whole lines', 'a\r\n..b\r\n\r\n', 'a\r\n..b\r\n\r\n'],
    ['no part of a line', 'a\r\nb', 'a\r\n'],
    ['no line whose LF has not come', 'a\r\nb\r', 'a\r\n'],
    ['no end of DATA', 'a\r\n.\r\nRSET\r\n', 'a\r\n'],
    ['nothing of DATA without lines', '.\r\n', ''],
    ['no line with LF alone', 'a\r\nb\nc\r\n', 'a\r\n'],
    ['no end of DATA with LF alone', 'a\r\n.\nc\r\n', 'a\r\n'],
    ['no end of DATA behind LF alone', 'a\r\nb\n.\r\n', 'a\r\n'],
    ['no empty line with LF alone', 'a\r\n\nb\r\n', 'a\r\n'],
    ['nothing behind LF alone', '\nb\r\n', ''],
    ['bare CR', 'a\rb\r\r\n\r.\r\n', 'a\rb\r\r\n\r.\r\n'],
    ['a line as long as one may be', `${'x'.repeat(lineBytes - 2)}\r\n`, `${'x'.repeat(lineBytes - 2)}\r\n`],
    ['no longer one', `a\r\n${'x'.repeat(lineBytes - 1)}\r\nb\r\n`, 'a\r\n'],
  ] as const
  describe('takes, of what Haraka has not looked at,', () => {
    for (const [name, bytes, taken] of beginnings) {
      it(name, () => {
        const collector = new Collector(limits, new ByteBudget(MiB))
        expect(collector.addLines(Buffer.from(bytes), lineBytes)).to.equal(taken.length)
      })
    }
  })

  it('keeps a message of many blocks', async () => {
    const raw = `Subject: large\r\n\r\n${`${'x'.repeat(997)}\r\n.${'y'.repeat(30)}\r\n`.repeat(3_000)}`
    const collected = await collect(raw)
    expect('raw' in collected && collected.raw.equals(Buffer.from(raw, 'latin1'))).to.equal(true)
  })

  const cases = [
    ['a message of the largest size is kept', `\r\n${'x'.repeat(4 * MiB - 4)}`, null],
    ['one byte more is refused', `\r\n${'x'.repeat(4 * MiB - 3)}`, '552 5.3.4 Message too large'],
    ['as many header fields as allowed are kept', 'A: b\r\n'.repeat(199).concat('A: b'), null],
    ['one more is refused', 'A: b\r\n'.repeat(200).concat('A: b'), '552 5.3.4 Too many header fields'],
    ['folded lines are not fields', `A: b\r\n${' c\r\n'.repeat(500)}`, null],
    ['lines after the blank one are not fields', `A: b\r\n\r\n${'A: b\r\n'.repeat(500)}`, null],
    ['a header of many bytes is refused', `A: ${'b'.repeat(65_536)}`, '552 5.3.4 Message header too large'],
    ['100 hops are no loop', 'Received: x\r\n'.repeat(100), null],
    [
      '101 hops are a loop, in whatever case',
      'rECEIVED: x\r\n'.repeat(101),
      '554 5.4.6 Too many hops, this is a mail loop',
    ],
  ] as const
  for (const [name, raw, refusal] of cases) {
    it(name, async () => {
      const collected = await collect(`${raw}\r\n`)
      if ('raw' in collected) expect(refusal).to.equal(null)
      else expect(Object.values(collected.refusal).join(' ')).to.equal(refusal)
    })
  }

  it('answers 452 when all collectors together hold too much, and gives the memory back', async () => {
    const budget = new ByteBudget(150_000)
    const eighty = `\r\n${'x'.repeat(78).concat('\r\n').repeat(1_000)}`
    const first = new Collector(limits, budget)
    feed(first, Buffer.from(eighty), 4_096)
    const second = await collect(eighty, { budget })
    expect(second).to.deep.include({
      refusal: { code: 452, enhanced: '4.3.1', text: 'Too much mail at once, try again later' },
    })
    first.release()
    expect(await collect(eighty, { budget })).to.have.property('raw')
  })

  it('takes the room of large messages that have stalled, and of no others', async () => {
    let nowMs = 0
    const budget = new ByteBudget(2 * MiB, () => nowMs)
    const part = Buffer.from(`\r\n${'x'.repeat(78).concat('\r\n').repeat(10_000)}`)
    const large = () => new Collector(limits, budget)
    const [stalled, whole, coming] = [large(), large(), large()]
    const refusal = { code: 452, enhanced: '4.3.1', text: 'Too much mail at once, try again later' }
    for (const each of [stalled, whole]) feed(each, part, 4_096)
    expect(await whole.finish()).to.have.property('raw')
    nowMs = 59_000
    expect(await collect(String(part), { budget })).to.deep.include({ refusal })
    nowMs = 61_000
    feed(coming, part, 4_096)
    expect(await coming.finish()).to.have.property('raw')
    feed(stalled, part, 4_096)
    expect(await stalled.finish()).to.deep.equal({ refusal })
    // A complete message keeps its room, however long it is processed.
    nowMs = 600_000
    expect(budget.hasRoom(MiB)).to.equal(false)
    for (const each of [whole, coming]) each.release()
    expect(budget.hasRoom(2 * MiB)).to.equal(true)
  })

  it('holds no more than the bytes of the message if they arrive in tiny pieces', async () => {
    const budget = new ByteBudget(32 * 1024)
    const collected = await collect(`\r\n${'ab\r\n'.repeat(8_000)}`, { chunkBytes: 3, budget })
    expect(collected).to.have.property('raw')
  })
})
