/**
 * Derives the records of mail that arrived in watched mailboxes. The id of a record is computed from the message's. The first step
 * inserts the record as due, under the lease of the process that makes it at once. Whatever happens then, it is made exactly once,
 * by this process or another.
 */
import { deriveId, newToken } from '../../schemas/ids.ts'
import type { IntakeDoc, IntakeRecordDoc } from '../../store/documents/intake.ts'
import type { MessageDoc } from '../../store/documents/mail.ts'
import { standardFolderId } from '../../store/folders.ts'
import * as store from '../../store/intake.ts'
import { dueNow, inTimeOf } from '../process/account-time.ts'
import { noteDue } from '../process/alarms.ts'
import type { Context } from '../process/context.ts'
import { isReceived } from '../receive/announce.ts'
import { getsRecord } from './making.ts'
import { leaseEnd, recordQueue } from './queue.ts'
import { isSetUpTest } from './set-up-test.ts'
import { watchedAmong } from './watched.ts'

const recordIdOf = (messageId: string) => deriveId('int', messageId, 'intake')

/** Begins the records of messages that were just committed. Resolves when they are inserted; they are made in the background. */
export async function deriveRecords(ctx: Context, messages: readonly MessageDoc[]): Promise<void> {
  const received = messages.filter(isReceived)
  const watched = await watchedAmong(
    ctx,
    received.map(({ mailboxId }) => mailboxId),
  )
  if (watched.size > 0) await begin(ctx, received, watched)
}

/** Begins the records that were not begun because of a crash. Returns how many there were. */
export async function deriveMissed(ctx: Context, messages: readonly MessageDoc[]): Promise<number> {
  const received = messages.filter(isReceived)
  const mailboxIds = [...new Set(received.map(({ mailboxId }) => mailboxId))]
  const intakes = mailboxIds.length === 0 ? [] : await store.findIntakes(ctx.store, mailboxIds)
  if (intakes.length === 0) return 0
  const watched = new Map(intakes.map((intake) => [intake._id, intake]))
  const wanted = received.filter(({ mailboxId }) => watched.has(mailboxId))
  const known = await store.findKnownRecordIds(
    ctx.store,
    wanted.map(({ _id, accountId, mailboxId }) => ({ _id: recordIdOf(_id), accountId, mailboxId })),
  )
  return begin(
    ctx,
    wanted.filter(({ _id }) => !known.has(recordIdOf(_id))),
    watched,
  )
}

/**
 * Makes records that are due, of an account or of all: those whose process died, whose making failed, or for which no process had
 * room. Resolves when each was tried. Returns how many there were.
 */
export async function makeDueRecords(ctx: Context, accountId?: string): Promise<number> {
  const queue = recordQueue(ctx)
  const limit = queue.room()
  const due = limit <= 0 ? [] : await store.findDueRecords(ctx.store, { due: dueNow(ctx, accountId), limit })
  const made = await Promise.all(
    due.map(async (record) => {
      const until = leaseEnd(inTimeOf(ctx, record.accountId))
      const taken = await store.takeRecord(ctx.store, record, { lease: queue.lease, until })
      if (taken !== null) await queue.add(ctx, taken)
      return taken
    }),
  )
  return made.filter((each) => each !== null).length
}

/** When a record is due next, of an account or of all; null when none is. */
export function nextRecord(ctx: Context, accountId?: string): Promise<Date | null> {
  return store.nextDueRecord(ctx.store, accountId)
}

async function begin(
  ctx: Context,
  messages: readonly MessageDoc[],
  watched: ReadonlyMap<string, IntakeDoc>,
): Promise<number> {
  const begun = await Promise.all(
    messages.map(async (message) => {
      const intake = watched.get(message.mailboxId)
      if (intake === undefined || message.receivedAt < intake.createdAt) return false
      const test = isSetUpTest(ctx, message)
      return (await getsRecord(ctx, message.accountId, { test })) && beginRecord(ctx, message, { test })
    }),
  )
  return begun.filter(Boolean).length
}

/** Inserts the record of a message and queues it. Returns false when the record exists already. */
async function beginRecord(ctx: Context, message: MessageDoc, { test }: { test: boolean }): Promise<boolean> {
  const queue = recordQueue(ctx)
  const own = inTimeOf(ctx, message.accountId)
  const hasRoom = queue.room() > 0
  const record: IntakeRecordDoc = {
    ...keptOf(message),
    test,
    linkKey: newToken(),
    lease: queue.lease,
    dueAt: hasRoom ? leaseEnd(own) : own.clock.now(),
    tries: 1,
  }
  if (!(await store.insertIntakeRecord(ctx.store, record))) return false
  if (hasRoom) void queue.add(ctx, record)
  else noteDue(own, 'intake', own.clock.now())
  return true
}

/** The fields that a record copies from the message document, which may be deleted before the record. */
function keptOf(message: MessageDoc) {
  const { _id, accountId, mailboxId, mailbox, threadId, receivedAt, from, authorName, to, cc, replyTo, subject } =
    message
  const { blob, trust, traceparent, attachments, folderId } = message
  return {
    _id: recordIdOf(_id),
    messageId: _id,
    accountId,
    mailboxId,
    mailbox,
    threadId,
    receivedAt,
    from,
    authorName,
    to,
    cc,
    replyTo,
    subject,
    blob,
    trust,
    traceparent,
    spam: folderId === standardFolderId(mailboxId, 'Spam'),
    attachments: attachments.map((attachment) => ({ ...attachment, text: null, hidden: [] })),
  }
}
