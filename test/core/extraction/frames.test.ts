import { expect } from 'chai'
import { answerIn } from '../../../core/extraction/frames.ts'

describe('core/extraction/frames', () => {
  it('an incomplete answer is not accepted', () => {
    expect(answerIn('{"ready":true}')).to.deep.equal({ ready: true })
    for (const line of ['', '{"extracted":{"text":"wor', 'words']) expect(answerIn(line)).to.equal(null)
  })
})
