/** Accepted sends (`emails` documents). */
import type { Filter, UpdateFilter } from 'mongodb'
import { idAt } from '../schemas/ids.ts'
import { settled } from './connection.ts'
import type { DeliveryStatus, EmailDoc, EmailRecipient } from './documents/sending.ts'
import { type Due, dueBy } from './due.ts'
import { earliest } from './earliest.ts'
import type { Store } from './open.ts'
import { readMany, readOne } from './reads.ts'
import { updateIn, type Write } from './writes.ts'

export function findEmail(
  store: Store,
  { accountId, emailId }: { accountId: string; emailId: string },
): Promise<EmailDoc | null> {
  // That a send exists is reported as a guarantee, so no change of primaries may roll back what is read.
  return readOne(store, 'emails', { accountId, _id: emailId }, settled)
}

/** The send whose Sent copy is this message, or would have been before the send was moved to another time. */
export async function findEmailByMessage(
  store: Store,
  { accountId, messageId }: { accountId: string; messageId: string },
): Promise<EmailDoc | null> {
  return (
    (await readOne(store, 'emails', { accountId, messageId })) ??
    (await readOne(store, 'emails', { accountId, formerMessageIds: { $exists: true, $eq: messageId } }))
  )
}

/**
 * The newest send since a time that has this Message-ID and keeps a Sent copy: whether the copy is written, or when it is due. Null when
 * there is none.
 */
export async function findSentCopy(
  store: Store,
  {
    accountId,
    mailboxId,
    messageIdHeader,
    since,
  }: {
    readonly accountId: string
    readonly mailboxId: string
    readonly messageIdHeader: string
    readonly since: Date
  },
): Promise<Pick<EmailDoc, '_id' | 'planned' | 'todoAt'> | null> {
  const isRecent = { accountId, _id: { $gte: idAt('em', since) } }
  const isKept = { mailboxId, messageIdHeader, messageId: { $ne: null }, scheduledFor: { $exists: false } }
  return readOne(
    store,
    'emails',
    { ...isRecent, ...isKept },
    { sort: { _id: -1 }, projection: { planned: 1, todoAt: 1 } },
  )
}

/** A send of any account; for delivery reports, which name the send but not the account. */
export function findEmailById(store: Store, emailId: string): Promise<EmailDoc | null> {
  return readOne(store, 'emails', { _id: emailId })
}

/** Sends whose derived documents are due to be written, the longest due first. */
export function findUnsettled(store: Store, { due, limit }: { due: Due; limit: number }): Promise<EmailDoc[]> {
  return readMany(store, 'emails', dueBy<EmailDoc>('todoAt', due), { sort: { todoAt: 1 }, limit })
}

/** When there is next something to derive for an account, or for any account; null when nothing is left. */
export function nextUnsettled(store: Store, accountId?: string): Promise<Date | null> {
  return earliest(store.emails, 'todoAt', accountId)
}

/** The result of settling a send. `todoAt` null: no derived document is left to write. */
export type SettleResult = {
  readonly email: EmailDoc
  readonly recipients: readonly EmailRecipient[]
  readonly todoAt: Date | null
}

/** Records the results of settling in those sends that did not change meanwhile. */
export async function settleEmails(store: Store, settled: readonly SettleResult[]): Promise<void> {
  await store.writeTogether(
    settled.map(({ email: { accountId, _id, rev }, recipients, todoAt }) =>
      updateIn(
        store.emails,
        { accountId, _id, rev },
        todoAt === null
          ? { $set: { recipients, planned: true }, $unset: { todoAt: '' as const }, $inc: { rev: 1 } }
          : { $set: { recipients, planned: true, todoAt }, $inc: { rev: 1 } },
      ),
    ),
  )
}

/** Records that the outbox rows and Sent copies of sends are written. Keeps all other fields, including `todoAt`. */
export async function markPlanned(store: Store, emails: readonly Pick<EmailDoc, 'accountId' | '_id'>[]): Promise<void> {
  await store.writeTogether(
    emails.map(({ accountId, _id }) => updateIn(store.emails, { accountId, _id }, { $set: { planned: true } })),
  )
}

/** Sends of an account, or of one of its keys, newest first, older than the one with the id `before`. */
export function listEmails(
  store: Store,
  {
    accountId,
    keyId,
    before,
    limit,
  }: { accountId: string; keyId: string | null; before: string | null; limit: number },
): Promise<EmailDoc[]> {
  return readMany(
    store,
    'emails',
    { accountId, ...(keyId !== null && { keyId }), ...(before !== null && { _id: { $lt: before } }) },
    { sort: keyId === null ? { accountId: -1, _id: -1 } : { accountId: -1, keyId: -1, _id: -1 }, limit },
  )
}

/** Scheduled sends of a mailbox, newest first, older than the one with the id `before`. */
export function listScheduled(
  store: Store,
  {
    accountId,
    mailboxId,
    before,
    limit,
  }: { accountId: string; mailboxId: string; before: string | null; limit: number },
): Promise<EmailDoc[]> {
  return readMany(
    store,
    'emails',
    {
      accountId,
      mailboxId,
      scheduledFor: { $exists: true },
      ...(before !== null && { _id: { $lt: before } }),
    },
    { sort: { accountId: -1, mailboxId: -1, _id: -1 }, limit },
  )
}

/** Most ids of a Sent copy that are kept when its send is moved again and again: the first ones. */
const formerIdsMax = 50

/**
 * Sets another time for a scheduled send, with the blob composed for it and the id of its Sent copy. Returns null when the send changed
 * meanwhile.
 */
export function moveScheduled(
  store: Store,
  { accountId, _id, rev, messageId: former }: EmailDoc,
  { blob, messageId, sendAt }: Pick<EmailDoc, 'blob' | 'messageId'> & { readonly sendAt: Date },
): Promise<EmailDoc | null> {
  const isOther = former !== null && former !== messageId
  return store.emails.findOneAndUpdate(
    { accountId, _id, rev, scheduledFor: { $exists: true } },
    {
      $set: { blob, messageId, sendAt, scheduledFor: sendAt, todoAt: sendAt },
      $inc: { rev: 1 },
      ...(isOther && { $push: { formerMessageIds: { $each: [former], $slice: formerIdsMax } } }),
    },
    { returnDocument: 'after' },
  )
}

/** Ends the waiting of a scheduled send, to release or cancel it. Returns null when the send changed meanwhile. */
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

/**
 * A change of the recipient with index `n`, made only while its status is one of `from`. The send is then due to settle at
 * `at`.
 */
export type RecipientChange = {
  readonly accountId: string
  readonly emailId: string
  readonly n: number
  readonly from: readonly DeliveryStatus[]
  readonly change: Partial<EmailRecipient>
  readonly at: Date
}

/** Makes one change. Returns false when the status of the recipient is not in `from`. */
export async function changeRecipient(store: Store, change: RecipientChange): Promise<boolean> {
  const { filter, update } = recipientUpdate(change)
  const { modifiedCount } = await store.emails.updateOne(filter, update)
  return modifiedCount === 1
}

/** The write that makes a change, unless the recipient has another status. */
export function changingRecipient(store: Store, change: RecipientChange): Write {
  const { filter, update } = recipientUpdate(change)
  return updateIn(store.emails, filter, update)
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

/** Those of the sends `ids` that belong to an account. */
export function findEmails(store: Store, accountId: string, ids: readonly string[]): Promise<EmailDoc[]> {
  return readMany(store, 'emails', { accountId, _id: { $in: [...ids] } })
}

/** Those of the sends `ids` that belong to one of the accounts. */
export function findEmailsIn(
  store: Store,
  { accountIds, ids }: { accountIds: readonly string[]; ids: readonly string[] },
): Promise<EmailDoc[]> {
  return readMany(store, 'emails', { accountId: { $in: [...accountIds] }, _id: { $in: [...ids] } })
}
