import { setImmediate as later } from 'node:timers/promises'
import { expect } from 'chai'
import { createBackground } from '../../../core/process/background.ts'

describe('core: the background', () => {
  it('is done when what its work began is done too, whoever that is for', async () => {
    const background = createBackground()
    const ended: string[] = []
    const work = (name: string, next?: () => Promise<void>) => async () => {
      await later()
      await next?.()
      ended.push(name)
    }
    const settle = () => background.begin('acc_2', work('settle'))
    const notice = () => background.begin('acc_1', work('notice', settle))
    await background.begin('people', work('people', notice))
    await background.done()
    expect(ended).to.deep.equal(['people', 'notice', 'settle'])
  })
})
