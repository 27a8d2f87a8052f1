/**
 * Receives mail. The insert of the message document is the commit point: `receive` resolves after the database
 * confirmed that it is on disk, and everything else (event, contact, webhook) is derived from that document, here or by
 * the sweep.
 */
import { Failure } from '../../schemas/failures.ts'
import { newId } from '../../schemas/ids.ts'
import type { ArrivalResult, WriteArrival } from '../../store/arrivals.ts'
import { insertBlob, packBlob } from '../../store/blobs.ts'
import { answerMs } from '../../store/connection.ts'
import type { ReadArrival } from '../parsing/jobs.ts'
import { inTimeOf } from '../process/account-time.ts'
import type { Context } from '../process/context.ts'
import { foldersFor } from './folder-choice.ts'
import { documentOf } from './message-document.ts'
import { spendStorage, takeStorage } from './recipient-cache.ts'
import type { Recipient, RecipientMailbox } from './recipients.ts'
import { processReports } from './reports.ts'
import type { Verdict } from './sender-verdict.ts'
import type { Peer } from './trace-headers.ts'
import { claimFirstContact } from './trust.ts'

export type Delivery = {
  readonly raw: Buffer
  /** Reverse-path of the envelope; '' is the null sender. */
  readonly reversePath: string
  readonly recipients: readonly Recipient[]
  readonly peer: Peer
  readonly transactionId: string
  /** Id of the send, for mail that this service sent: each of its recipients has its own reverse-path and its own delivery. */
  readonly emailId?: string
  /** The result of verifying the sender; absent when it was not verified. */
  readonly verdict?: Verdict
  /** Whether this service wrote the mail, about mail of the mailbox. */
  readonly isOurs?: boolean
}

/** How long a write may take: less than the age at which sweeps look. A later commit is recognised when the sender repeats the mail. */
const giveUpMs = answerMs

/**
 * Stores a message for its recipients. Returns its id in each mailbox, once all of it is on disk. A repeat of the same
 * bytes from the same reverse-path, or of the same send, returns the ids of the first message, unless no header field
 * would tell the mail from another one (`isDistinct`). A report is processed and gets no id when it came to the return
 * path of the mail it is about, or to the report address of one of our domains. Fails with `unavailable` (451),
 * `payload_too_large` (552, MIME parts nested too deep), `unprocessable` (452, a mailbox has become full meanwhile) and
 * `forbidden` (550, no mailbox accepts mail from this sender).
 */
export async function receive(ctx: Context, delivery: Delivery): Promise<{ messageIds: readonly string[] }> {
  ctx.skew.requireSound()
  const at = ctx.clock.now()
  const { raw, reversePath, recipients, verdict, isOurs = false } = delivery
  const arrival = await ctx.tracing.span('parse', {}, () => read(ctx, delivery))
  const { parsed } = arrival
  const addressees = distinctMailboxes(
    await processReports(ctx, { raw, parsed, recipients, peer: delivery.peer, verdict }),
  )
  if (addressees.length === 0) return { messageIds: [] }
  const mailboxes = addressees.map(({ mailbox }) => mailbox)
  const authors = parsed.authors.map(({ address }) => address)
  const folderIds = foldersFor(mailboxes, { reversePath, authors, verdict, isOurs })
  const contexts = mailboxes.map(({ accountId }) => inTimeOf(ctx, accountId))
  const times = contexts.map(({ clock }) => clock.now())
  const ids = times.map((time) => newId('msg', time))
  const author = parsed.from?.address ?? null
  const [{ ref, chunks }, firstContacts] = await Promise.all([
    packBlob(ctx.store, { id: newId('blb', at), bytes: raw, users: ids, at }),
    Promise.all(mailboxes.map(({ mailboxId }) => claimFirstContact(ctx, mailboxId, author))),
  ])
  const write = async () => {
    const returnStorage = takeStorage(ctx, mailboxes, raw.length)
    try {
      const accepted = { ...delivery, arrival, blob: ref }
      const placements = addressees.map((addressee, n) => ({
        ...addressee,
        id: ids[n]!,
        at: times[n]!,
        folderId: folderIds[n]!,
        firstContact: firstContacts[n]!.first,
      }))
      const messages = await Promise.all(
        placements.map((placement, n) => documentOf(contexts[n]!, accepted, placement)),
      )
      return await commit(ctx, { chunks, messages })
    } finally {
      returnStorage()
    }
  }
  const messageIds = await ctx.tracing.span('commit', {}, write).catch((error: unknown) => {
    for (const { undo } of firstContacts) undo()
    throw error
  })
  return { messageIds }
}

async function read(ctx: Context, { raw, reversePath, emailId, transactionId }: Delivery): Promise<ReadArrival> {
  const arrival = await ctx.parsing.run('arrival', { raw, prefix: emailId ?? reversePath, transactionId })
  const { mimeDepth } = ctx.settings.limits.smtp
  if (arrival.parsed.depth > mimeDepth) {
    throw new Failure(
      'payload_too_large',
      `The MIME parts of the message are nested in more than ${mimeDepth} levels.`,
      {
        fix: 'Attach the nested parts as files.',
      },
    )
  }
  return arrival
}

/** Writes the messages and publishes a change note. Returns their ids; for a repeat those of the first message. */
async function commit(ctx: Context, arrival: WriteArrival): Promise<readonly string[]> {
  const written = await withinTime(ctx, writeArrival(ctx, arrival))
  const created = arrival.messages.filter((_, n) => written[n]?.repeated === false)
  for (const { mailboxId, sizeBytes } of created) spendStorage(ctx, mailboxId, sizeBytes)
  // Repeats are published too: a first try may have been written late, after the sweep had passed and with no change note.
  publishArrivals(ctx, arrival, written)
  ctx.metrics.count('mailroom_messages_stored_total', {}, created.length)
  return written.map(({ id }) => id)
}

/**
 * Writes an arrival. A blob of several chunks is written first by itself, so that the other messages of the group do
 * not wait for it.
 */
async function writeArrival(ctx: Context, { chunks, messages }: WriteArrival): Promise<readonly ArrivalResult[]> {
  if (chunks.length === 1) return ctx.arrivals.write({ chunks, messages })
  await insertBlob(ctx.store, chunks)
  return ctx.arrivals.write({ chunks: [], messages })
}

function publishArrivals(ctx: Context, { messages }: WriteArrival, written: readonly ArrivalResult[]): void {
  const ids = written.map(({ id }) => id)
  ctx.changes.publish({ kind: 'messages', ids, mailboxIds: messages.map(({ mailboxId }) => mailboxId) })
}

type Addressee = { readonly mailbox: RecipientMailbox; readonly deliveredTo: string }

/** The mailboxes of all recipients, each once even when several recipients lead to it. */
function distinctMailboxes(recipients: readonly Recipient[]): Addressee[] {
  const byId = new Map<string, Addressee>()
  for (const { address, mailboxes } of recipients) {
    for (const mailbox of mailboxes)
      if (!byId.has(mailbox.mailboxId)) byId.set(mailbox.mailboxId, { mailbox, deliveredTo: address })
  }
  return [...byId.values()]
}

async function withinTime<T>(ctx: Context, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer from the database within ${giveUpMs} ms.`)), giveUpMs)
  })
  try {
    return await Promise.race([work, late])
  } catch (error) {
    ctx.log.error({ err: error }, 'mail could not be stored')
    throw new Failure('unavailable', 'The message could not be stored; please try again later.', { cause: error })
  } finally {
    clearTimeout(timer)
  }
}
