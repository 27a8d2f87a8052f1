import { expect } from 'chai'
import fc from 'fast-check'
import { newRing, offer, take } from '../../engine/writer/ring.ts'

describe('engine: the ring between threads', () => {
  it('gives back what it was given, in order, or takes nothing', () => {
    const step = fc.oneof(
      fc.array(fc.uint8Array({ maxLength: 40 }), { minLength: 1, maxLength: 3 }),
      fc.constant('take' as const),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const ring = newRing(64)
        const inside: Buffer[] = []
        for (const parts of steps) {
          if (parts === 'take') {
            expect(take(ring)).to.deep.equal(inside.shift())
            continue
          }
          const whole = Buffer.concat(parts)
          const used = inside.reduce((sum, record) => sum + record.length + 4, 0)
          const fits = used + whole.length + 4 <= 64
          expect(offer(ring, ...parts)).to.equal(fits)
          if (fits) inside.push(whole)
        }
        while (inside.length > 0) expect(take(ring)).to.deep.equal(inside.shift())
        expect(take(ring)).to.equal(undefined)
      }),
    )
  })

  it('goes on when its counters pass the end of their range', () => {
    const ring = newRing(64)
    Atomics.store(ring.positions, 0, 2 ** 31 - 30)
    Atomics.store(ring.positions, 1, 2 ** 31 - 30)
    for (let n = 0; n < 100; n++) {
      const record = Buffer.alloc(n % 50, n)
      expect(offer(ring, record)).to.equal(true)
      expect(take(ring)).to.deep.equal(record)
    }
  })
})
