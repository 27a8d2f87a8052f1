import { expect } from 'chai'
import { decode } from '../../engine/bson/decode.ts'
import type { documentOf } from '../../engine/bson/document.ts'
import { encode } from '../../engine/bson/encode.ts'
import { sortInSteps } from '../../engine/sort/steps.ts'
import { type Body, cursorBody, Outbox, replyMessage } from '../../engine/wire/reply.ts'

/** A socket that takes bytes at once, or keeps them until it is told. */
class Sink {
  readonly kept: Uint8Array[] = []
  readonly taken: Buffer[] = []
  slow = false

  get writableLength(): number {
    return this.kept.length
  }

  write(bytes: Uint8Array): void {
    if (this.slow) this.kept.push(bytes)
    else this.taken.push(Buffer.from(bytes))
  }
}

const stored = (n: number, bytes: number) => encode({ _id: n, d: 'x'.repeat(bytes) })

describe('engine: replies', () => {
  const bodies: [name: string, body: Body][] = [
    ['fields', { ok: 1, n: 3 }],
    ['bytes', encode({ ok: 1 })],
    ['an empty batch', cursorBody('firstBatch', [], 0n, 'db.c')],
    [
      'a batch',
      cursorBody(
        'nextBatch',
        Array.from({ length: 120 }, (_, n) => stored(n, n)),
        77n,
        'db.ünïcode',
      ),
    ],
    ['a batch beyond the shared memory', cursorBody('firstBatch', [stored(1, 90_000), stored(2, 5)], 1n, 'db.c')],
  ]
  for (const [name, body] of bodies) {
    it(`${name}: the same from the outbox as in memory of its own`, () => {
      const sink = new Sink()
      new Outbox().send(sink, body, 5, 9, false)
      expect(sink.taken).to.deep.equal([replyMessage(body, 5, 9, false)])
      const [message] = sink.taken
      expect(message?.readInt32LE(0)).to.equal(message?.length)
      expect(decode(message!.subarray(21))).to.have.property('ok')
    })
  }

  it('what a slow socket has not taken yet is not written over', () => {
    const outbox = new Outbox()
    const slow = new Sink()
    const quick = new Sink()
    slow.slow = true
    outbox.send(slow, { n: 1 }, 1, 1, false)
    const expected = slow.kept.map((bytes) => Buffer.from(bytes))
    for (let n = 0; n < 5; n++) outbox.send(quick, { n: 1000 + n, more: 'x'.repeat(100) }, 2, 2, false)
    expect(slow.kept.map((bytes) => Buffer.from(bytes))).to.deep.equal(expected)
  })

  it('a batch reads as a cursor', () => {
    const sink = new Sink()
    new Outbox().send(sink, cursorBody('firstBatch', [stored(1, 2), stored(2, 3)], 5n, 'db.c'), 1, 1, false)
    const { cursor } = decode(sink.taken[0]!.subarray(21))
    const { firstBatch, id, ns } = cursor as ReturnType<typeof documentOf>
    expect(firstBatch).to.deep.equal([decode(stored(1, 2)), decode(stored(2, 3))])
    expect([String(id), ns]).to.deep.equal(['5', 'db.c'])
  })
})

describe('engine: sorting in steps', () => {
  for (const count of [0, 1, 999, 1000, 1001, 5432]) {
    it(`${count} items, as a plain sort would, equal ones in the order in which they came`, () => {
      const items = Array.from({ length: count }, (_, n) => ({ key: (n * 7919) % 97, n }))
      const steps = sortInSteps(items, (a, b) => a.key - b.key)
      let rests = 0
      let next = steps.next()
      for (; next.done !== true; next = steps.next()) rests++
      expect(next.value).to.deep.equal(items.toSorted((a, b) => a.key - b.key))
      expect(rests > 0).to.equal(count > 1000)
    })
  }
})
