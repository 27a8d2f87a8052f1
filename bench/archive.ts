/**
 * Mailboxes full of old mail, written through the store by the same steps as arrivals: blobs, numbers of their folder,
 * messages; then their threads and the index of search. What follows from news (events, contacts) is left out: the mail is
 * older than the watermarks of the sweeps.
 */

import type { Context } from '../core/context.ts'
import { jobs } from '../core/parsing-jobs.ts'
import { describe } from '../core/receive.ts'
import { indexMessages } from '../core/search-index.ts'
import { mergeSegments } from '../core/search-merge.ts'
import { deriveThreads } from '../core/threads.ts'
import { deriveId, idAt } from '../schemas/ids.ts'
import { packBlob } from '../store/blobs.ts'
import type { MailboxDoc } from '../store/documents/mail.ts'
import { standardFolderId } from '../store/folders.ts'

export type Archive = {
  /** Adds messages to each of the mailboxes in turn, until each has so many. */
  fill(mailboxes: readonly MailboxDoc[], each: number): Promise<void>
  /** Some word of the mail: of a hundred, the first are the commonest. */
  word(rank: number): string
}

/** Messages written, and indexed, at once. */
const batch = 100
const mailboxesAtOnce = 4
const bodyWords = 110
const vocabulary = 20_000
const sendersMax = 200
const messagesPerThread = 5
/** One message each so often, up to two days ago: the sweeps of a new service look at the last minute. */
const everyMs = 20
const endsBeforeMs = 2 * 86_400_000
const seenShare = 0.7

/** Makes archives; `total` is how many messages there will be at most, so that all of them are old. */
export function createArchive(ctx: Context, total: number): Archive {
  const random = createRandom(42)
  const words = Array.from({ length: vocabulary }, (_, n) => wordOf(n))
  const common = () => words[Math.floor(vocabulary ** random()) - 1]!
  let at = Date.now() - endsBeforeMs - total * everyMs
  const counts = new Map<string, number>()

  async function add(mailbox: MailboxDoc, count: number): Promise<void> {
    const { _id: mailboxId, accountId, address } = mailbox
    const before = counts.get(mailboxId) ?? 0
    counts.set(mailboxId, before + count)
    const arrivals = await Promise.all(
      Array.from({ length: count }, async (_, n) => {
        at += everyMs
        const number = before + n
        const when = new Date(at)
        const id = deriveId('msg', `${idAt('msg', when)}${mailboxId}`, String(number))
        const raw = letter({ number, address, when, common, random })
        const blobId = deriveId('blb', id, 'bench')
        const { ref, chunks } = await packBlob({ id: blobId, bytes: raw, users: [id], at: when })
        const message = {
          ...{ _id: id, accountId, mailboxId, mailbox: address, folderId: standardFolderId(mailboxId, 'INBOX') },
          threadId: deriveId('thr', mailboxId, String(Math.floor(number / messagesPerThread))),
          ...{ seen: random() < seenShare, flagged: random() < 0.02, answered: false, receivedAt: when },
          ...{ deliveredTo: address, trace: '', ...describe(jobs.arrival({ raw, prefix: '' }), ref) },
        }
        return { chunks, messages: [message] }
      }),
    )
    await Promise.all(arrivals.map((arrival) => ctx.arrivals.write(arrival)))
    const messages = arrivals.flatMap((arrival) => arrival.messages.map((each) => ({ ...each, uid: 0, modseq: 0 })))
    await Promise.all([indexMessages(ctx, messages), deriveThreads(ctx, messages)])
    await mergeSegments(ctx, mailboxId)
  }

  return {
    async fill(mailboxes, each) {
      for (let isDone = false; !isDone; ) {
        isDone = true
        for (let n = 0; n < mailboxes.length; n += mailboxesAtOnce) {
          const work = mailboxes.slice(n, n + mailboxesAtOnce).map((mailbox) => {
            const count = Math.min(batch, each - (counts.get(mailbox._id) ?? 0))
            if (count > 0) isDone = false
            return count > 0 ? add(mailbox, count) : Promise.resolve()
          })
          await Promise.all(work)
        }
      }
    },
    word: (rank) => words[rank]!,
  }
}

function letter({
  number,
  address,
  when,
  common,
  random,
}: {
  number: number
  address: string
  when: Date
  common: () => string
  random: () => number
}): Buffer {
  const sender = Math.floor(random() * sendersMax)
  const body = Array.from({ length: bodyWords }, common)
  const lines = Array.from({ length: Math.ceil(bodyWords / 12) }, (_, n) => body.slice(n * 12, n * 12 + 12).join(' '))
  return Buffer.from(
    [
      `From: ${common()} ${common()} <person${sender}@company${sender % 40}.example>`,
      `To: ${address}`,
      `Subject: ${Array.from({ length: 5 }, common).join(' ')} ORD-${number}`,
      `Date: ${when.toUTCString().replace('GMT', '+0000')}`,
      `Message-ID: <${number}.${when.getTime()}@bench.example>`,
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=utf-8',
      '',
      ...lines,
      '',
    ].join('\r\n'),
  )
}

/** A word of its own for each number, two to eight letters. */
function wordOf(number: number): string {
  const consonants = 'bdfgklmnprst'
  const vowels = 'aeiou'
  let word = ''
  for (let rest = number + 1; rest > 0; ) {
    word += consonants[rest % consonants.length]! + vowels[Math.floor(rest / consonants.length) % vowels.length]!
    rest = Math.floor(rest / (consonants.length * vowels.length))
  }
  return word
}

/** The same numbers in [0, 1) each time (xorshift32). */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}
