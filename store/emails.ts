/** Accepted sends, the recipients still to be delivered, and the lanes by which accounts take turns. */
import type { EmailDoc, EmailRecipient, LaneDoc, OutboxDoc } from './documents/sending.ts'
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

/** Changes one recipient whose status is still one of `from`, and asks for a settling now. False when it is not. */
export async function changeRecipient(
  store: Store,
  {
    accountId,
    emailId,
    n,
    from,
    change,
    at,
  }: {
    accountId: string
    emailId: string
    n: number
    from: readonly string[]
    change: Partial<EmailRecipient>
    at: Date
  },
): Promise<boolean> {
  const set = Object.fromEntries(Object.entries(change).map(([field, value]) => [`recipients.${n}.${field}`, value]))
  const sentNow = change.status === undefined ? {} : { $min: { sentAt: at } }
  const { modifiedCount } = await store.emails.updateOne(
    { accountId, _id: emailId, [`recipients.${n}.status`]: { $in: [...from] } },
    { $set: { ...set, todoAt: at }, $inc: { rev: 1 }, ...sentNow },
  )
  return modifiedCount === 1
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

/** Puts a claimed lane back for when its next row is due, unless a newer row put it forward meanwhile. */
export async function returnLane(store: Store, lane: LaneDoc): Promise<void> {
  // Rows that are done with have no `notBefore`, and would sort first.
  const next = await store.outbox
    .find({ accountId: lane._id, notBefore: { $exists: true } }, { projection: { notBefore: 1 } })
    .sort({ accountId: 1, notBefore: 1 })
    .limit(1)
    .next()
  const same = { _id: lane._id, rev: lane.rev }
  if (next?.notBefore === undefined) await store.lanes.deleteOne(same)
  else await store.lanes.updateOne(same, { $set: { dueAt: next.notBefore } })
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

/** Whether a row is still claimed under the token. */
export async function holdsLease(
  store: Store,
  { accountId, id, token }: { accountId: string; id: string; token: string },
): Promise<boolean> {
  const row = await store.outbox.findOne({ accountId, _id: id, 'lease.token': token }, { projection: { _id: 1 } })
  return row !== null
}

/** Lets a row be tried again later. */
export async function postponeRow(
  store: Store,
  { accountId, id, token, notBefore }: { accountId: string; id: string; token: string; notBefore: Date },
): Promise<void> {
  await store.outbox.updateOne(
    { accountId, _id: id, 'lease.token': token },
    { $set: { notBefore, lease: null, attempting: false } },
  )
  await store.lanes.updateOne({ _id: accountId }, { $min: { dueAt: notBefore }, $inc: { rev: 1 } }, { upsert: true })
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
