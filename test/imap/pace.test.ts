import { expect } from 'chai'
import type { SearchFields } from '../../core/imap/search-fields.ts'
import type { Pace } from '../../imap/pace.ts'
import { type Sortable, sorted } from '../../imap/search/sort.ts'
import { threadsOf } from '../../imap/search/threads.ts'
import type { Uid } from '../../imap/wire/numbers.ts'
import { meterWork } from '../processor-time.ts'

const messages = 20_000
/** Of the work as a whole at most this share is done without a question whether to rest. */
const shareMax = 0.25
/** What does not ask does so in no round; a garbage collection makes one stretch of a round longer. */
const rounds = 3

/** Mail of a few people about a few things, of which each answers the one before it. */
const mails: readonly Sortable[] = Array.from({ length: messages }, (_, n) => {
  const at = new Date(1_700_000_000_000 + ((n * 7_919) % messages) * 1_000)
  const fields = {
    uid: n + 1,
    from: { name: `Person ${n % 97}`, address: `p${n % 97}@remote.example` },
    authorName: null,
    to: [],
    cc: [],
    bcc: [],
    subject: `Re: matter ${n % 501}`,
    date: at,
    receivedAt: at,
    messageIdHeader: `${n}@remote.example`,
    references: n % 5 === 0 ? [] : [`${n - 1}@remote.example`],
    inReplyTo: null,
  } as unknown as SearchFields
  return { uid: (n + 1) as Uid, sizeBytes: n, receivedAt: at.getTime(), fields }
})

const works: readonly (readonly [what: string, work: (pace: Pace) => Promise<unknown>])[] = [
  [
    'SORT',
    (pace) =>
      sorted(
        mails,
        [
          { field: 'SUBJECT', isReverse: false },
          { field: 'FROM', isReverse: true },
        ],
        pace,
      ),
  ],
  ['THREAD REFERENCES', (pace) => threadsOf(mails, 'REFERENCES', pace)],
]

describe('IMAP: work on many messages', () => {
  for (const [what, work] of works)
    it(`${what} asks all the time whether to rest`, async () => {
      const shares: number[] = []
      for (let n = 0; n < rounds; n++) {
        const { longestShare, note } = meterWork()
        await work(note)
        shares.push(longestShare())
      }
      expect(Math.min(...shares)).to.be.below(shareMax)
    })
})
