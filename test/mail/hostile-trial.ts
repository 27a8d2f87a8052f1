import { expect } from 'chai'
import { type Jobs, jobs } from '../../core/parsing/jobs.ts'
import { limits } from '../../mail/limits.ts'
import { expectLinear, leastMs } from './cost.ts'
import { mimeFixtures } from './fixtures.ts'
import type { Hostile } from './hostile.ts'

/**
 * What is tried is half of each message, and an eighth of that: how the cost grows shows as well, in half of the time. It costs at
 * most as much as all messages of test/fixtures/mime so many times; measured were 18 and 50.
 */
const tried = 0.5
const arrivalMax = 100
const readingMax = 250
/** The system tells a thread its processor time some milliseconds late; so often, ordinary messages take a hundred. */
const rounds = 10

/** Tests, for a `describe`, that each of the messages costs little, and the less the less of it there is. */
export function expectHarmless(messages: readonly Hostile[]): void {
  let ordinaryArrivalMs = 0
  let ordinaryReadingMs = 0

  before(() => {
    const ordinary = Array.from({ length: rounds }, () => mimeFixtures().map(({ raw }) => raw)).flat()
    ordinaryArrivalMs = leastMs(3, () => ordinary.map(arrive)) / rounds
    ordinaryReadingMs = leastMs(3, () => ordinary.map(read)) / rounds
  })

  for (const [name, make] of messages) {
    it(name, () => {
      const [whole, eighth] = [make(tried), make(tried / 8)]
      const arrival = expectLinear('arrival', whole, arrive, eighth)
      expect(arrival.ms / ordinaryArrivalMs, 'arrival').to.be.below(arrivalMax)
      const { parsed, snippet } = arrival.result
      expect(parsed.headers.length).to.be.at.most(limits.headerCountMax)
      expect(parsed.to.length).to.be.at.most(limits.addressesMax)
      expect(parsed.attachments.length).to.be.at.most(limits.attachmentsMax)
      expect([...snippet].length).to.be.at.most(limits.snippetCharsMax)
      const reading = expectLinear('reading', whole, read, eighth)
      expect(reading.ms / ordinaryReadingMs, 'reading').to.be.below(readingMax)
      expect(reading.result?.text?.length).to.be.at.most(limits.bodyBytesMax)
      expect(reading.result?.reply?.length).to.be.at.most(limits.replyCharsMax)
      // An escaped character is at most six.
      expect(reading.result?.html?.length ?? 0).to.be.at.most(limits.htmlCharsMax * 6)
    })
  }
}

function arrive(raw: Buffer): ReturnType<Jobs['arrival']> {
  return jobs.arrival({ raw, prefix: '', transactionId: '' })
}

function read(raw: Buffer): ReturnType<Jobs['reading']> {
  const messageId = 'msg_00000000000000000000000000'
  return jobs.reading({ raw, messageId, view: 'full', attachmentId: null, attachmentsUrl: 'http://x.example/' })
}
