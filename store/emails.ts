/** Accepted sends, the recipients still to be delivered, and the lanes by which accounts take turns. */
import type { Filter, UpdateFilter } from 'mongodb'
import type { DeliveryStatus, EmailDoc, EmailRecipient, LaneDoc, OutboxDoc } from './documents/sending.ts'
import { isDuplicate, onlyDuplicates, type Store } from './open.ts'

/** Commits a send. From here on it is accepted. False when it was committed before, under the same id. */
export async function insertEmail(store: Store, email: EmailDoc): Promise<boolean> {
  try {
    await store.emails.insertOne(email)
    return true
  } catch (error) {
    if (isDuplicate(error)) return false
    throw error
  }
}

export function findEmail(
  store: Store,
  { accountId, emailId }: { accountId: string; emailId: string },
): Promise<EmailDoc | null> {
  return store.emails.findOne({ accountId, _id: emailId })
}

/** The send a message in Sent is the copy of. */
export function findEmailByMessage(
  store: Store,
  { accountId, messageId }: { accountId: string; messageId: string },
): Promise<EmailDoc | null> {
  return store.emails.findOne({ accountId, messageId })
}

/** A send of any account, for who knows its id from a report. */
export function findEmailById(store: Store, emailId: string): Promise<EmailDoc | null> {
  return store.emails.findOne({ _id: emailId })
}

/** Sends with something derived still to be written. */
export function findUnsettled(store: Store, { due, limit }: { due: Date; limit: number }): Promise<EmailDoc[]> {
  return store.emails
    .find({ todoAt: { $lte: due } })
    .sort({ todoAt: 1 })
    .limit(limit)
    .toArray()
}

/** Notes what was derived, unless the send changed meanwhile. `todoAt` null: nothing is left to derive. */
export async function settleEmail(
  store: Store,
  email: EmailDoc,
  { recipients, todoAt }: { recipients: readonly EmailRecipient[]; todoAt: Date | null },
): Promise<boolean> {
  const { modifiedCount } = await store.emails.updateOne(
    { accountId: email.accountId, _id: email._id, rev: email.rev },
    todoAt === null
      ? { $set: { recipients, planned: true }, $unset: { todoAt: '' }, $inc: { rev: 1 } }
      : { $set: { recipients, planned: true, todoAt }, $inc: { rev: 1 } },
  )
  return modifiedCount === 1
}

/** Sends of an account, or of one of its keys, newest first, those before `before` (an id). */
export function listEmails(
  store: Store,
  {
    accountId,
    keyId,
    before,
    limit,
  }: { accountId: string; keyId: string | null; before: string | null; limit: number },
): Promise<EmailDoc[]> {
  return store.emails
    .find({ accountId, ...(keyId !== null && { keyId }), ...(before !== null && { _id: { $lt: before } }) })
    .sort(keyId === null ? { accountId: -1, _id: -1 } : { accountId: -1, keyId: -1, _id: -1 })
    .limit(limit)
    .toArray()
}

/** Scheduled sends of a mailbox, newest first, those before `before` (an id). */
export function listScheduled(
  store: Store,
  {
    accountId,
    mailboxId,
    before,
    limit,
  }: { accountId: string; mailboxId: string; before: string | null; limit: number },
): Promise<EmailDoc[]> {
  return store.emails
    .find({
      accountId,
      mailboxId,
      scheduledFor: { $exists: true },
      ...(before !== null && { _id: { $lt: before } }),
    })
    .sort({ accountId: -1, mailboxId: -1, _id: -1 })
    .limit(limit)
    .toArray()
}

/** Gives a scheduled send another time and the bytes made for it. Null when it is no longer as it was read. */
export function moveScheduled(
  store: Store,
  { accountId, _id, rev }: EmailDoc,
  { blob, sendAt }: { blob: EmailDoc['blob']; sendAt: Date },
): Promise<EmailDoc | null> {
  return store.emails.findOneAndUpdate(
    { accountId, _id, rev, scheduledFor: { $exists: true } },
    { $set: { blob, sendAt, scheduledFor: sendAt, todoAt: sendAt }, $inc: { rev: 1 } },
    { returnDocument: 'after' },
  )
}

/** A scheduled send waits no more: it is released, or cancelled. Null when it is no longer as it was read. */
export function endSchedule(
  store: Store,
  { accountId, _id, rev }: EmailDoc,
  { recipients, todoAt, keepsCopy }: { recipients: readonly EmailRecipient[]; todoAt: Date; keepsCopy: boolean },
): Promise<EmailDoc | null> {
  const copy = keepsCopy ? {} : { messageId: null, threadId: null }
  return store.emails.findOneAndUpdate(
    { accountId, _id, rev, scheduledFor: { $exists: true } },
    { $set: { recipients, todoAt, ...copy }, $unset: { scheduledFor: '' }, $inc: { rev: 1 } },
    { returnDocument: 'after' },
  )
}

/** A change of one recipient whose status is still one of `from`; it asks for a settling at `at`. */
export type RecipientChange = {
  readonly accountId: string
  readonly emailId: string
  readonly n: number
  readonly from: readonly DeliveryStatus[]
  readonly change: Partial<EmailRecipient>
  readonly at: Date
}

/** Makes a change. False when the recipient is not as it asks. */
export async function changeRecipient(store: Store, change: RecipientChange): Promise<boolean> {
  const { filter, update } = recipientUpdate(change)
  const { modifiedCount } = await store.emails.updateOne(filter, update)
  return modifiedCount === 1
}

/** Makes those of the changes that can be made, in order. */
export async function changeRecipients(store: Store, changes: readonly RecipientChange[]): Promise<void> {
  if (changes.length === 0) return
  await store.emails.bulkWrite(
    changes.map((change) => ({ updateOne: recipientUpdate(change) })),
    { ordered: true },
  )
}

function recipientUpdate({ accountId, emailId, n, from, change, at }: RecipientChange): {
  filter: Filter<EmailDoc>
  update: UpdateFilter<EmailDoc>
} {
  const set = Object.fromEntries(Object.entries(change).map(([field, value]) => [`recipients.${n}.${field}`, value]))
  const sentNow = change.status === undefined ? {} : { $min: { sentAt: at } }
  return {
    filter: { accountId, _id: emailId, [`recipients.${n}.status`]: { $in: [...from] } },
    update: { $set: { ...set, todoAt: at }, $inc: { rev: 1 }, ...sentNow },
  }
}

/** Queues recipients and lets their account take its turn. Safe to repeat. */
export async function insertOutbox(store: Store, rows: readonly OutboxDoc[]): Promise<void> {
  if (rows.length === 0) return
  try {
    await store.outbox.insertMany([...rows], { ordered: false })
  } catch (error) {
    if (!onlyDuplicates(error)) throw error
  }
  const dueAt = new Date(Math.min(...rows.map(({ notBefore, createdAt }) => (notBefore ?? createdAt).getTime())))
  await store.lanes.updateOne({ _id: rows[0]!.accountId }, { $min: { dueAt }, $inc: { rev: 1 } }, { upsert: true })
}

/** Takes the lane that waits longest for this moment, for `seconds`. Null when none is due. */
export function claimLane(store: Store, { now, until }: { now: Date; until: Date }): Promise<LaneDoc | null> {
  return store.lanes.findOneAndUpdate(
    { dueAt: { $lte: now } },
    { $set: { dueAt: until }, $inc: { rev: 1 } },
    { sort: { dueAt: 1 }, returnDocument: 'after' },
  )
}

/** Claims due rows of an account: until `until` they are `owner`'s, then they are due again. */
export async function claimRows(
  store: Store,
  {
    accountId,
    now,
    until,
    owner,
    token,
    max,
  }: { accountId: string; now: Date; until: Date; owner: string; token: string; max: number },
): Promise<OutboxDoc[]> {
  const due = await store.outbox
    .find({ accountId, notBefore: { $lte: now } }, { projection: { _id: 1 } })
    .sort({ accountId: 1, notBefore: 1 })
    .limit(max)
    .toArray()
  if (due.length === 0) return []
  const ids = due.map(({ _id }) => _id)
  await store.outbox.updateMany(
    { accountId, _id: { $in: ids }, notBefore: { $lte: now } },
    { $set: { notBefore: until, lease: { owner, token }, attempting: true }, $inc: { attempts: 1 } },
  )
  return store.outbox.find({ accountId, _id: { $in: ids }, 'lease.token': token }).toArray()
}

/**
 * Puts a claimed lane back for when its next row is due, unless a newer row put it forward meanwhile. With rows that are due
 * it stands behind all lanes that wait: a backlog has one turn at a time.
 */
export async function returnLane(store: Store, lane: LaneDoc, now: Date): Promise<void> {
  // Rows that are done with have no `notBefore`, and would sort first.
  const next = await store.outbox
    .find({ accountId: lane._id, notBefore: { $exists: true } }, { projection: { notBefore: 1 } })
    .sort({ accountId: 1, notBefore: 1 })
    .limit(1)
    .next()
  const same = { _id: lane._id, rev: lane.rev }
  if (next?.notBefore === undefined) await store.lanes.deleteOne(same)
  else await store.lanes.updateOne(same, { $set: { dueAt: next.notBefore > now ? next.notBefore : now } })
}

/** Gives rows more time. Only those still claimed under the token are touched. */
export async function extendLease(
  store: Store,
  { accountId, ids, token, until }: { accountId: string; ids: readonly string[]; token: string; until: Date },
): Promise<void> {
  await store.outbox.updateMany(
    { accountId, _id: { $in: [...ids] }, 'lease.token': token },
    { $set: { notBefore: until } },
  )
}

/** The tokens under which rows are claimed, by row. */
export async function findLeases(store: Store, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await store.outbox.find({ _id: { $in: [...ids] } }, { projection: { 'lease.token': 1 } }).toArray()
  return new Map(rows.flatMap(({ _id, lease }) => (lease === null ? [] : [[_id, lease.token] as const])))
}

/** The end of an attempt: its row is done with (`notBefore` null), or due again; one that was not tried has an attempt less. */
export type RowEnd = {
  readonly accountId: string
  readonly id: string
  readonly token: string
  readonly at: Date
  readonly notBefore: Date | null
  readonly untried: boolean
}

/** Ends attempts that still hold their rows, and lets the accounts of rows that are due again take their turns. */
export async function endRows(store: Store, ends: readonly RowEnd[]): Promise<void> {
  if (ends.length === 0) return
  await store.outbox.bulkWrite(
    ends.map(({ accountId, id, token, at, notBefore, untried }) => ({
      updateOne: {
        filter: { accountId, _id: id, 'lease.token': token },
        update:
          notBefore === null
            ? { $set: { doneAt: at, lease: null, attempting: false }, $unset: { notBefore: '' as const } }
            : { $set: { notBefore, lease: null, attempting: false }, ...(untried && { $inc: { attempts: -1 } }) },
      },
    })),
    { ordered: false },
  )
  const again = ends.flatMap(({ accountId, notBefore }) => (notBefore === null ? [] : [{ accountId, notBefore }]))
  if (again.length === 0) return
  await store.lanes.bulkWrite(
    again.map(({ accountId, notBefore }) => ({
      updateOne: {
        filter: { _id: accountId },
        update: { $min: { dueAt: notBefore }, $inc: { rev: 1 } },
        upsert: true,
      },
    })),
    { ordered: false },
  )
}

/** The sends of an account among the ids. */
export function findEmails(store: Store, accountId: string, ids: readonly string[]): Promise<EmailDoc[]> {
  return store.emails.find({ accountId, _id: { $in: [...ids] } }).toArray()
}

/** A recipient is done with. False when the row is no longer the token's. */
export async function finishRow(
  store: Store,
  { accountId, id, token, at }: { accountId: string; id: string; token: string; at: Date },
): Promise<boolean> {
  const { modifiedCount } = await store.outbox.updateOne(
    { accountId, _id: id, 'lease.token': token },
    { $set: { doneAt: at, lease: null, attempting: false }, $unset: { notBefore: '' } },
  )
  return modifiedCount === 1
}

/** How many accounts have mail waiting to go out. */
export function countLanes(store: Store): Promise<number> {
  return store.lanes.estimatedDocumentCount()
}
