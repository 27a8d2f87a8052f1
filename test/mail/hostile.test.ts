import { expect } from 'chai'
import { type Jobs, jobs } from '../../core/parsing/jobs.ts'
import { limits } from '../../mail/limits.ts'
import { cpuMs } from './fixtures.ts'
import { hostile } from './hostile.ts'

const arrivalMsMax = 4_000
const readingMsMax = 8_000

/** Processor time; measured were at most 650 ms to arrive and 1,400 ms to be read whole. */
describe('mail: hostile messages', () => {
  for (const [name, make] of hostile) {
    it(name, function () {
      this.timeout(30_000)
      const raw = make()
      const started = cpuMs()
      const { parsed, snippet } = jobs.arrival({ raw, prefix: '' })
      expect(cpuMs() - started, 'arrival').to.be.below(arrivalMsMax)
      expect(parsed.headers.length).to.be.at.most(limits.headerCountMax)
      expect(parsed.to.length).to.be.at.most(limits.addressesMax)
      expect(parsed.attachments.length).to.be.at.most(limits.attachmentsMax)
      expect([...snippet].length).to.be.at.most(limits.snippetCharsMax)
      const before = cpuMs()
      const reading = read(raw)
      expect(cpuMs() - before, 'reading').to.be.below(readingMsMax)
      expect(reading?.text?.length).to.be.at.most(limits.bodyBytesMax)
      expect(reading?.reply?.length).to.be.at.most(limits.replyCharsMax)
      // An escaped character is at most six.
      expect(reading?.html?.length ?? 0).to.be.at.most(limits.htmlCharsMax * 6)
    })
  }
})

function read(raw: Buffer): ReturnType<Jobs['reading']> {
  const messageId = 'msg_00000000000000000000000000'
  return jobs.reading({ raw, messageId, view: 'full', attachmentId: null, attachmentsUrl: 'http://x.example/' })
}
