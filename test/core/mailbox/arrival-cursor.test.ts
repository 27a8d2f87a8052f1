import { expect } from 'chai'
import {
  encodeMoment,
  isAfter,
  type Moment,
  momentAt,
  momentOfPage,
  passing,
  readMoment,
  showing,
} from '../../../core/mailbox/arrival-cursor.ts'
import { newId } from '../../../schemas/ids.ts'

const at = (ms: number) => new Date(Date.UTC(2026, 10, 21) + ms)
const ids = Array.from({ length: 300 }, (_, n) => newId('msg', at(n * 10)))
const start = momentAt(at(0))

describe('moments', () => {
  it('a time has everything from then on after it', () => {
    const moment = momentAt(at(1_000))
    expect(ids.filter((id) => isAfter(moment, id))).to.deep.equal(ids.slice(100))
  })

  it('a message passed is before it, and no other', () => {
    const moment = passing(start, ids[7] ?? '')
    expect(ids.filter((id) => !isAfter(moment, id))).to.deep.equal([ids[7]])
  })

  it('a cursor says the same as its moment, and is short enough for any query', () => {
    const moment = showing(start, ids.slice(0, 100))
    const cursor = encodeMoment(moment)
    expect(readMoment(cursor)).to.deep.equal(moment)
    expect(cursor.length).to.be.lessThan(1_000)
  })

  it('passing more than it remembers brings none of them back', () => {
    let moment: Moment = start
    for (const [n, id] of ids.entries()) {
      moment = passing(moment, id)
      expect(ids.slice(0, n + 1).filter((each) => isAfter(moment, each))).to.deep.equal([])
      expect(readMoment(encodeMoment(moment))).to.deep.equal(moment)
    }
    expect(isAfter(moment, newId('msg', at(4_000)))).to.equal(true)
  })

  describe('of a page', () => {
    const newest = [...ids].reverse()
    const cases: readonly (readonly [what: string, edge: number, page: number, isWhole: boolean, known: boolean])[] = [
      ['that reaches back to the edge', 290, 50, false, true],
      ['that ends before the edge', 100, 50, false, false],
      ['that ends at the edge', 250, 50, false, false],
      ['that ends before the edge, and has all there is', 100, 50, true, true],
      ['with more than are told apart', 100, 250, false, true],
      ['without messages', 0, 0, true, true],
    ]
    for (const [what, edge, count, isWhole, known] of cases) {
      it(what, () => {
        const page = newest.slice(0, count)
        const moment = momentOfPage(ids[edge]!, { newest: page, isWhole })
        expect(moment !== null).to.equal(known)
        expect(page.filter((id) => moment !== null && isAfter(moment, id))).to.deep.equal([])
        expect(moment === null || isAfter(moment, newId('msg', at(4_000)))).to.equal(true)
      })
    }

    it('a message that is not on it, and not before its edge, is after it', () => {
      const page = newest.slice(0, 50).filter((_, n) => n !== 20)
      const moment = momentOfPage(ids[260]!, { newest: page, isWhole: false })!
      expect(newest.filter((id) => isAfter(moment, id))).to.deep.equal([newest[20]])
    })
  })

  it('what was committed late, with an older id, is after a moment that did not see it', () => {
    const seen = ids.slice(0, 50).filter((_, n) => n !== 20)
    const moment = showing(start, [...seen].reverse())
    expect(ids.slice(0, 50).filter((id) => isAfter(moment, id))).to.deep.equal([ids[20]])
  })
})
