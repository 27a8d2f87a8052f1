/**
 * Intake: the configurations of watched mailboxes, and the records of the mail that arrived there. Invariants: A record is added to the
 * users of the message's blob before it is inserted. It is due until it is made and its event is recorded. Only the holder of its lease
 * writes what was made, so that it is written once.
 */
import type { Filter } from 'mongodb'
import { deriveId, timeOfId } from '../schemas/ids.ts'
import { blobUser, dropBlobUsers } from './blobs.ts'
import type { IntakeAnswer, IntakeBackfill, IntakeDoc, IntakeRecordDoc } from './documents/intake.ts'
import { type Due, dueBy } from './due.ts'
import { earliest } from './earliest.ts'
import { isDuplicate, type Store } from './open.ts'
import { readMany, readOne } from './reads.ts'
import { giveBack, type Take, takesTo } from './usage.ts'
import { insertInto, updateIn } from './writes.ts'

const intakeEvent = 'intake.message'

/** The id of the event of a record. */
export const intakeEventId = (recordId: string) => deriveId('evt', recordId, intakeEvent)

/** Inserts a configuration. Returns false when the mailbox has one, even one that has ended but is not removed yet. */
export async function insertIntake(store: Store, intake: IntakeDoc): Promise<boolean> {
  try {
    await store.intakes.insertOne(intake)
    return true
  } catch (error) {
    if (isDuplicate(error)) return false
    throw error
  }
}

/** Whether a mailbox has a configuration that has ended but is not removed yet. */
export async function hasEnded(store: Store, mailboxId: string): Promise<boolean> {
  return (
    (await readOne(store, 'intakes', { _id: mailboxId, endedAt: { $exists: true } }, { projection: { _id: 1 } })) !==
    null
  )
}

/** Writes a configuration in place of one that has ended. Returns false when there is none. */
export async function replaceEnded(store: Store, intake: IntakeDoc): Promise<boolean> {
  const { modifiedCount } = await store.intakes.replaceOne({ _id: intake._id, endedAt: { $exists: true } }, intake)
  return modifiedCount === 1
}

/** The configurations of the given mailboxes; mailboxes that are not watched have none. */
export function findIntakes(store: Store, mailboxIds: readonly string[]): Promise<IntakeDoc[]> {
  return readMany(store, 'intakes', { _id: { $in: [...mailboxIds] }, endedAt: { $exists: false } })
}

/** Configurations of an account, or of the mailboxes `only`: those with ids below `before`, newest mailbox first. */
export function listIntakes(
  store: Store,
  {
    accountId,
    only,
    before,
    limit,
  }: { accountId: string; only: readonly string[] | null; before: string | null; limit: number },
): Promise<IntakeDoc[]> {
  const ids = { ...(only !== null && { $in: [...only] }), ...(before !== null && { $lt: before }) }
  return readMany(
    store,
    'intakes',
    { accountId, endedAt: { $exists: false }, ...(Object.keys(ids).length > 0 && { _id: ids }) },
    { sort: { accountId: -1, _id: -1 }, limit },
  )
}

/** Changes a configuration. Returns it; null when there is none. */
export function changeIntake(
  store: Store,
  { accountId, mailboxId, change }: { accountId: string; mailboxId: string; change: Partial<IntakeDoc> },
): Promise<IntakeDoc | null> {
  return store.intakes.findOneAndUpdate(
    { _id: mailboxId, accountId, endedAt: { $exists: false } },
    { $set: change },
    { returnDocument: 'after' },
  )
}

/** Ends a configuration: no more records are made, and existing ones are due for deletion. Returns it as it was; null if there is none. */
export function endIntake(
  store: Store,
  { accountId, mailboxId, at }: { accountId: string; mailboxId: string; at: Date },
): Promise<IntakeDoc | null> {
  return store.intakes.findOneAndUpdate(
    { _id: mailboxId, accountId, endedAt: { $exists: false } },
    { $set: { endedAt: at, checkAt: at }, $unset: { backfill: '' } },
  )
}

/** Configurations whose backfill is due, the longest due first. */
export function findDueBackfills(store: Store, { due, limit }: { due: Due; limit: number }): Promise<IntakeDoc[]> {
  return readMany(store, 'intakes', dueBy<IntakeDoc>('backfill.dueAt', due), { sort: { 'backfill.dueAt': 1 }, limit })
}

/** When the next backfill of an account, or of any account, is due; null when there is none. */
export async function nextBackfill(store: Store, accountId?: string): Promise<Date | null> {
  const [first] = await readMany(
    store,
    'intakes',
    { 'backfill.dueAt': { $gt: new Date(0) }, ...(accountId !== undefined && { accountId }) },
    { sort: { 'backfill.dueAt': 1 }, limit: 1 },
  )
  return first?.backfill?.dueAt ?? null
}

/** Records the progress of a backfill, null when nothing is left. Returns false if another process changed it meanwhile. */
export async function moveBackfill(
  store: Store,
  { _id, backfill }: IntakeDoc,
  next: IntakeBackfill | null,
): Promise<boolean> {
  const { modifiedCount } = await store.intakes.updateOne(
    { _id, 'backfill.before': backfill?.before, 'backfill.dueAt': backfill?.dueAt },
    next === null ? { $unset: { backfill: '' } } : { $set: { backfill: next } },
  )
  return modifiedCount === 1
}

/** Removes a configuration that has ended, once its records are deleted. */
export async function removeIntake(store: Store, mailboxId: string): Promise<void> {
  await store.intakes.deleteOne({ _id: mailboxId, endedAt: { $exists: true } })
}

/** Configurations whose records are due to be checked, the longest due first; includes those that have ended. */
export function findIntakesToCheck(store: Store, { due, limit }: { due: Due; limit: number }): Promise<IntakeDoc[]> {
  return readMany(store, 'intakes', dueBy<IntakeDoc>('checkAt', due), { sort: { checkAt: 1 }, limit })
}

/** Sets when the records of a configuration are checked next, unless another process did so meanwhile or it has ended. */
export async function moveIntakeCheck(store: Store, { _id, checkAt }: IntakeDoc, next: Date): Promise<void> {
  await store.intakes.updateOne({ _id, checkAt, endedAt: { $exists: false } }, { $set: { checkAt: next } })
}

/**
 * Inserts a record, unless there is one. Returns whether it was inserted. A record whose blob is gone, because the message was
 * permanently deleted, is not inserted.
 */
export async function insertIntakeRecord(store: Store, record: IntakeRecordDoc): Promise<boolean> {
  const refused = await store.writeTogether([
    blobUser(store, record.blob.id, record._id),
    insertInto(store.intakeRecords, record),
  ])
  if (refused === 0)
    await store.intakeRecords.deleteOne({ mailboxId: record.mailboxId, _id: record._id, lease: record.lease })
  return refused === null
}

/** Those of the wanted ids under which a record exists or existed: the event of a deleted record remains. */
export async function findKnownRecordIds(
  store: Store,
  wanted: readonly Pick<IntakeRecordDoc, '_id' | 'accountId' | 'mailboxId'>[],
): Promise<ReadonlySet<string>> {
  const byEvent = new Map<string, string>(wanted.map(({ _id }) => [intakeEventId(_id), _id]))
  const ids = wanted.map(({ _id }) => _id)
  const mailboxIds = [...new Set(wanted.map(({ mailboxId }) => mailboxId))]
  const accountIds = [...new Set(wanted.map(({ accountId }) => accountId))]
  const only = { projection: { _id: 1 } } as const
  const [records, events] = await Promise.all([
    readMany(store, 'intakeRecords', { mailboxId: { $in: mailboxIds }, _id: { $in: ids } }, { ...only }),
    readMany(store, 'events', { accountId: { $in: accountIds }, _id: { $in: [...byEvent.keys()] } }, { ...only }),
  ])
  return new Set([...records.map(({ _id }) => _id), ...events.flatMap(({ _id }) => byEvent.get(_id) ?? [])])
}

/** Records that are due, the longest due first. */
export function findDueRecords(store: Store, { due, limit }: { due: Due; limit: number }): Promise<IntakeRecordDoc[]> {
  return readMany(store, 'intakeRecords', dueBy<IntakeRecordDoc>('dueAt', due), { sort: { dueAt: 1 }, limit })
}

/** When the next record of an account, or of any account, is due; null when there is none. */
export function nextDueRecord(store: Store, accountId?: string): Promise<Date | null> {
  return earliest(store.intakeRecords, 'dueAt', accountId)
}

/** Leases a due record under the token `lease` until `until`. Returns the record; null when another process took it. */
export function takeRecord(
  store: Store,
  { _id, mailboxId, dueAt }: IntakeRecordDoc,
  { lease, until }: { lease: string; until: Date },
): Promise<IntakeRecordDoc | null> {
  if (dueAt === undefined) return Promise.resolve(null)
  return store.intakeRecords.findOneAndUpdate(
    { mailboxId, _id, dueAt },
    { $set: { lease, dueAt: until }, $inc: { tries: 1 } },
    { returnDocument: 'after' },
  )
}

/** Extends the leases of records that are still being made. */
export async function renewLeases(
  store: Store,
  records: readonly Pick<IntakeRecordDoc, 'mailboxId' | '_id'>[],
  { lease, until }: { lease: string; until: Date },
): Promise<void> {
  const [mailboxIds, ids] = [records.map(({ mailboxId }) => mailboxId), records.map(({ _id }) => _id)]
  await store.intakeRecords.updateMany(
    { mailboxId: { $in: mailboxIds }, _id: { $in: ids }, lease },
    { $set: { dueAt: until } },
  )
}

/** Releases a record that was not tried: it is due again at `at`, and the try does not count. */
export async function releaseRecord(
  store: Store,
  { mailboxId, _id }: Pick<IntakeRecordDoc, 'mailboxId' | '_id'>,
  { lease, at }: { lease: string; at: Date },
): Promise<void> {
  await store.intakeRecords.updateOne({ mailboxId, _id, lease }, { $set: { dueAt: at }, $inc: { tries: -1 } })
}

/** What Intake made of a mail. */
export type MadeRecord = Pick<IntakeRecordDoc, 'attachments' | 'content' | 'lens'> & { readonly madeAt: Date }

/**
 * Writes what was made of a mail, if the lease still holds, and counts its cost. Returns whether it was written; if it was not, the
 * record is due again when the lease ends. With the embedded engine the two writes are one commit; on a MongoDB server, a crash in
 * between leaves the cost uncounted.
 */
export async function writeMadeRecord(
  store: Store,
  { _id, mailboxId, lease }: Pick<IntakeRecordDoc, '_id' | 'mailboxId' | 'lease'>,
  { made, take }: { made: MadeRecord; take: Take | null },
): Promise<boolean> {
  return writeAndTake(store, { filter: { mailboxId, _id, lease }, change: made, take, sizeBytes: charsOf(made) })
}

/** Changes a record and counts its cost, or does neither. Returns whether there was a record to change. */
async function writeAndTake(
  store: Store,
  {
    filter,
    change,
    take,
    sizeBytes,
  }: { filter: Filter<IntakeRecordDoc>; change: Partial<IntakeRecordDoc>; take: Take | null; sizeBytes: number },
): Promise<boolean> {
  const write = { ...updateIn(store.intakeRecords, filter, { $set: change }, { mustMatch: true }), sizeBytes }
  const isWritten = (await store.writeTogether([write, ...takesTo(store, take === null ? [] : [take])])) === null
  if (!isWritten && take !== null)
    for (const { counter, by } of take.counts) await giveBack(store, { id: take.id, counter, by })
  return isWritten
}

function charsOf({ content, attachments }: MadeRecord): number {
  const { text = '', html = '', reply = '' } = content ?? {}
  return attachments.reduce((sum, each) => sum + (each.text?.length ?? 0), text.length + html.length + reply.length)
}

/** Made records of a mailbox that Lens has not read for the current question (`version`). */
const unreadBy = (mailboxId: string, version: string): Filter<IntakeRecordDoc> => ({
  mailboxId,
  madeAt: { $exists: true },
  'lens.of': { $ne: version },
})

export function countUnread(
  store: Store,
  { mailboxId, version }: { mailboxId: string; version: string },
): Promise<number> {
  return store.intakeRecords.countDocuments(unreadBy(mailboxId, version))
}

/** The newest of these records with ids below `before`, newest first. */
export function findUnread(
  store: Store,
  { mailboxId, version, before, limit }: { mailboxId: string; version: string; before: string; limit: number },
): Promise<IntakeRecordDoc[]> {
  return readMany(
    store,
    'intakeRecords',
    { ...unreadBy(mailboxId, version), _id: { $lt: before } },
    { sort: { mailboxId: -1, _id: -1 }, limit },
  )
}

/** Writes the answer of Lens for one of these records and counts its cost, unless another process already did. */
export async function writeAnswer(
  store: Store,
  { _id, mailboxId }: Pick<IntakeRecordDoc, '_id' | 'mailboxId'>,
  { lens, take }: { lens: IntakeAnswer; take: Take | null },
): Promise<void> {
  const filter = { ...unreadBy(mailboxId, lens.of), _id }
  await writeAndTake(store, { filter, change: { lens }, take, sizeBytes: JSON.stringify(lens).length })
}

/** Records that the event of a record is recorded, so nothing is left to do. If the record was deleted meanwhile, empties the event. */
export async function finishRecord(
  store: Store,
  record: Pick<IntakeRecordDoc, '_id' | 'accountId' | 'mailboxId'>,
): Promise<void> {
  const { _id, mailboxId } = record
  const update = { $unset: { dueAt: '', lease: '', tries: '' } } as const
  const missed = await store.writeTogether([
    updateIn(store.intakeRecords, { mailboxId, _id }, update, { mustMatch: true }),
  ])
  if (
    missed !== null &&
    (await readOne(store, 'intakeRecords', { mailboxId, _id }, { projection: { _id: 1 } })) === null
  )
    await emptyEvents(store, [record])
}

/** Made records of an account, or of some of its mailboxes: those with ids below `before`, newest first, without their bodies. */
export function listIntakeRecords(
  store: Store,
  {
    accountId,
    mailboxIds,
    before,
    limit,
  }: { accountId: string; mailboxIds: readonly string[] | null; before: string | null; limit: number },
): Promise<IntakeRecordDoc[]> {
  return readMany(
    store,
    'intakeRecords',
    {
      accountId,
      ...(mailboxIds !== null && { mailboxId: { $in: [...mailboxIds] } }),
      ...(before !== null && { _id: { $lt: before } }),
      madeAt: { $exists: true },
    },
    {
      projection: { 'content.text': 0, 'content.html': 0, 'attachments.text': 0, 'attachments.hidden': 0 },
      sort: mailboxIds === null ? { accountId: -1, _id: -1 } : { _id: -1 },
      limit,
    },
  )
}

/** A made record of an account. */
export function findIntakeRecord(
  store: Store,
  { accountId, recordId }: { accountId: string; recordId: string },
): Promise<IntakeRecordDoc | null> {
  return readOne(store, 'intakeRecords', { _id: recordId, accountId, madeAt: { $exists: true } })
}

/** The record whose links have this key, in any account; null when it was deleted, or its links were invalidated. */
export function findLinkedRecord(
  store: Store,
  { recordId, linkKey }: { recordId: string; linkKey: string },
): Promise<IntakeRecordDoc | null> {
  return readOne(store, 'intakeRecords', { _id: recordId, linkKey })
}

/** Replaces the link key of a record, which invalidates all its existing links. Returns the record; null when there is none. */
export function changeLinkKey(
  store: Store,
  { mailboxId, _id }: Pick<IntakeRecordDoc, 'mailboxId' | '_id'>,
  linkKey: string,
): Promise<IntakeRecordDoc | null> {
  return store.intakeRecords.findOneAndUpdate({ mailboxId, _id }, { $set: { linkKey } }, { returnDocument: 'after' })
}

/** When the mail of the oldest record of a mailbox arrived; null when there is no record. */
export async function oldestRecordAt(store: Store, mailboxId: string): Promise<Date | null> {
  const found = await readOne(
    store,
    'intakeRecords',
    { mailboxId },
    { projection: { _id: 1 }, sort: { mailboxId: 1, _id: 1 } },
  )
  return found === null ? null : timeOfId(found._id)
}

/**
 * Deletes records with their copies of the mail, at most `limit`. Their events are emptied but remain, which keeps the records
 * from being made again; their entries in the delivery log are deleted. Safe to repeat. Returns how many records there were.
 */
export async function removeIntakeRecords(
  store: Store,
  filter: Filter<IntakeRecordDoc>,
  limit: number,
): Promise<number> {
  const found = await readMany(store, 'intakeRecords', filter, {
    projection: { accountId: 1, mailboxId: 1, blob: 1 },
    limit,
  })
  if (found.length === 0) return 0
  const ids = found.map(({ _id }) => _id)
  await emptyEvents(store, found)
  // The blobs are dropped first: after a crash in between, the records are found again.
  await dropBlobUsers(
    store,
    found.map(({ _id, blob }) => ({ blobId: blob.id, users: [_id] })),
  )
  const mailboxIds = [...new Set(found.map(({ mailboxId }) => mailboxId))]
  await store.intakeRecords.deleteMany({ mailboxId: { $in: mailboxIds }, _id: { $in: ids } })
  return found.length
}

/** Removes the content of the mail from the events of records, and deletes the deliveries of these events from the log. */
async function emptyEvents(
  store: Store,
  records: readonly Pick<IntakeRecordDoc, '_id' | 'accountId'>[],
): Promise<void> {
  const eventIds = records.map(({ _id }) => intakeEventId(_id))
  const accountId = { $in: [...new Set(records.map((record) => record.accountId))] }
  await store.events.updateMany(
    { accountId, _id: { $in: eventIds } },
    { $set: Object.fromEntries(Object.entries(emptied).map(([field, value]) => [`data.${field}`, value])) },
  )
  await store.deliveries.deleteMany({ accountId, type: intakeEvent, eventId: { $in: eventIds } })
}

/** What replaces the content of the mail in the data of an event. */
const emptied = {
  from: { name: '', address: '' },
  to: [],
  cc: [],
  reply_to: null,
  subject: '',
  reply: '',
  text: '',
  html: '',
  headers: {},
  attachments: [],
  lens: null,
  lens_evidence: null,
} as const
