import { expect } from 'chai'
import {
  type ArrivalCursor,
  advancePast,
  cursorAfter,
  cursorAt,
  cursorOfPage,
  encodeArrivalCursor,
  isAfter,
  readArrivalCursor,
} from '../../../core/mailbox/arrival-cursor.ts'
import { newId } from '../../../schemas/ids.ts'

const at = (ms: number) => new Date(Date.UTC(2026, 10, 21) + ms)
const ids = Array.from({ length: 300 }, (_, n) => newId('msg', at(n * 10)))
const start = cursorAt(at(0))
/** A cursor moved past `passed` messages, in a mailbox that holds `there`. */
const past = (cursor: ArrivalCursor, passed: readonly string[], there = ids) =>
  passed.reduce((moved, id) => advancePast(moved, id, there), cursor)

describe('arrival cursors', () => {
  it('everything from a time on comes after its cursor', () => {
    const cursor = cursorAt(at(1_000))
    expect(ids.filter((id) => isAfter(cursor, id))).to.deep.equal(ids.slice(100))
  })

  it('only passed messages are before the cursor', () => {
    const cursor = past(start, ids.slice(7, 8))
    expect(ids.filter((id) => !isAfter(cursor, id))).to.deep.equal([ids[7]])
  })

  it('an encoded cursor decodes unchanged, and is short enough for any query', () => {
    const cursor = past(start, ids.slice(0, 100))
    const encoded = encodeArrivalCursor(cursor)
    expect(readArrivalCursor(encoded)).to.deep.equal(cursor)
    expect(encoded.length).to.be.lessThan(1_000)
  })

  it('passing more messages than the cursor remembers makes none of them new again', () => {
    let cursor: ArrivalCursor = start
    for (const [n, id] of ids.entries()) {
      cursor = past(cursor, [id])
      expect(ids.slice(0, n + 1).filter((each) => isAfter(cursor, each))).to.deep.equal([])
      expect(readArrivalCursor(encodeArrivalCursor(cursor))).to.deep.equal(cursor)
    }
    expect(isAfter(cursor, newId('msg', at(4_000)))).to.equal(true)
  })

  describe('of a page', () => {
    const newest = [...ids].reverse()
    const cases: readonly (readonly [what: string, edge: number, page: number, isWhole: boolean, known: boolean])[] = [
      ['that reaches back to the edge', 290, 50, false, true],
      ['that ends before the edge', 100, 50, false, false],
      ['that ends at the edge', 250, 50, false, false],
      ['that ends before the edge, and has all there is', 100, 50, true, true],
      ['with more than a cursor can distinguish', 100, 250, false, true],
      ['without messages', 0, 0, true, true],
    ]
    for (const [what, edge, count, isWhole, known] of cases) {
      it(what, () => {
        const page = newest.slice(0, count)
        const cursor = cursorOfPage(ids[edge]!, { newest: page, isWhole })
        expect(cursor !== null).to.equal(known)
        expect(page.filter((id) => cursor !== null && isAfter(cursor, id))).to.deep.equal([])
        expect(cursor === null || isAfter(cursor, newId('msg', at(4_000)))).to.equal(true)
      })
    }

    it('a message that is neither on the page nor before its edge is after it', () => {
      const page = newest.slice(0, 50).filter((_, n) => n !== 20)
      const cursor = cursorOfPage(ids[260]!, { newest: page, isWhole: false })!
      expect(newest.filter((id) => isAfter(cursor, id))).to.deep.equal([newest[20]])
    })
  })

  it('a message committed late, with an older id, is after a cursor that has not seen it', () => {
    const seen = ids.slice(0, 50).filter((_, n) => n !== 20)
    const cursor = past(start, seen)
    expect(ids.slice(0, 50).filter((id) => isAfter(cursor, id))).to.deep.equal([ids[20]])
  })

  it('it is also after a cursor that has passed more than it remembers, and is passed once', () => {
    const late = [150, 230, 295]
    const there = ids.filter((_, n) => !late.includes(n))
    const cursor = past(start, there, there)
    const missed = ids.filter((id) => isAfter(cursor, id))
    // Messages behind 90 newer ones are given up.
    expect(missed).to.deep.equal([ids[230], ids[295]])
    const whole = past(cursor, missed)
    expect(ids.filter((id) => isAfter(whole, id))).to.deep.equal([])
  })

  it('for the cursor of a full list, the listed messages are before it and late ones after it', () => {
    const newest = ids.filter((_, n) => n < 299 && n !== 250).reverse()
    const cursor = cursorAfter({ edge: ids[0]!, ids: newest.slice(0, 101) }, ids.slice(299))
    expect(ids.slice(200).filter((id) => isAfter(cursor, id))).to.deep.equal([ids[250]])
  })
})
