/** A worker thread that writes the old mail of some mailboxes; see archive.ts. */
import { parentPort, workerData } from 'node:worker_threads'
import { deriveThreads } from '../core/mailbox/threading.ts'
import { jobs } from '../core/parsing/jobs.ts'
import { type Context, closeContext } from '../core/process/context.ts'
import { describe } from '../core/receive/message-document.ts'
import { indexMessages } from '../core/search/indexing.ts'
import { mergeSegments } from '../core/search/merge.ts'
import { deriveId, idAt } from '../schemas/ids.ts'
import type { WriteArrival } from '../store/arrivals.ts'
import { packBlob } from '../store/blobs.ts'
import { standardFolderId } from '../store/folders.ts'
import { contextOf } from '../test/start/service.ts'
import type { Box, Share } from './archive.ts'
import { createWriter, type Writer } from './synthetic-mail.ts'

/** Messages that are written and indexed together. */
const batch = 100
const mailboxesAtOnce = 4
const messagesPerThread = 5
const seenShare = 0.7
const flaggedShare = 0.02

await fill(workerData as Share)

async function fill({ data, boxes, each, seed, startsAt, everyMs }: Share): Promise<void> {
  const ctx = await contextOf({ data })
  const writer = createWriter(seed)
  let at = startsAt
  const nextTime = () => {
    at += everyMs
    return new Date(at)
  }
  for (let from = Math.min(...boxes.map(({ has }) => has)); from < each; from += batch) {
    for (let n = 0; n < boxes.length; n += mailboxesAtOnce) {
      const due = boxes.slice(n, n + mailboxesAtOnce).flatMap((box) => {
        const first = Math.max(from, box.has)
        const count = Math.min(from + batch, each) - first
        const times = Array.from({ length: Math.max(0, count) }, nextTime)
        return count > 0 ? [{ box, first, times }] : []
      })
      await Promise.all(due.map(({ box, first, times }) => add(ctx, writer, { box, first, times })))
      parentPort?.postMessage(due.reduce((sum, { times }) => sum + times.length, 0))
    }
  }
  await closeContext(ctx)
}

/** Adds messages to a mailbox, one for each time, numbered from `first` on. */
async function add(
  ctx: Context,
  writer: Writer,
  { box, first, times }: { box: Box; first: number; times: readonly Date[] },
): Promise<void> {
  const arrivals = await Promise.all(times.map((when, n) => arrivalOf(ctx, writer, { box, number: first + n, when })))
  await Promise.all(arrivals.map((arrival) => ctx.arrivals.write(arrival)))
  const messages = arrivals.flatMap((arrival) => arrival.messages.map((each) => ({ ...each, uid: 0, modseq: 0 })))
  await Promise.all([indexMessages(ctx, messages), deriveThreads(ctx, messages)])
  await mergeSegments(ctx, box._id)
}

async function arrivalOf(
  ctx: Context,
  { message: compose, random }: Writer,
  { box: { _id: mailboxId, accountId, address }, number, when }: { box: Box; number: number; when: Date },
): Promise<WriteArrival> {
  const id = deriveId('msg', `${idAt('msg', when)}${mailboxId}`, String(number))
  const raw = compose({ number, address, when })
  const { ref, chunks } = await packBlob(ctx.store, {
    id: deriveId('blb', id, 'bench'),
    bytes: raw,
    users: [id],
    at: when,
  })
  const message = {
    _id: id,
    accountId,
    mailboxId,
    mailbox: address,
    folderId: standardFolderId(mailboxId, 'INBOX'),
    threadId: deriveId('thr', mailboxId, String(Math.floor(number / messagesPerThread))),
    seen: random() < seenShare,
    flagged: random() < flaggedShare,
    answered: false,
    receivedAt: when,
    deliveredTo: address,
    trace: '',
    ...describe(jobs.arrival({ raw, prefix: '', transactionId: '' }), ref),
  }
  return { chunks, messages: [message] }
}
