/** Sends that wait for the approval of a person (`approvals` documents). */
import type { ApprovalStatus } from '../schemas/approvals.ts'
import { idAt } from '../schemas/ids.ts'
import type { ApprovalDecision, ApprovalDoc } from './documents/sending.ts'
import { type Due, dueBy } from './due.ts'
import { earliest } from './earliest.ts'
import { isDuplicate, type Store } from './open.ts'
import { readMany, readOne } from './reads.ts'

/** Identifies an approval in the state in which it was read. */
export type ReadApproval = Pick<ApprovalDoc, 'accountId' | '_id' | 'status' | 'hash'>

/** Stores a new approval, or replaces `earlier`. Returns false when another was stored or changed meanwhile. */
export async function keepApproval(
  store: Store,
  approval: ApprovalDoc,
  earlier: ReadApproval | null,
): Promise<boolean> {
  try {
    if (earlier === null) {
      await store.approvals.insertOne(approval)
      return true
    }
    const { modifiedCount } = await store.approvals.replaceOne(asRead(earlier), approval)
    return modifiedCount === 1
  } catch (error) {
    if (isDuplicate(error)) return false
    throw error
  }
}

export function findApproval(
  store: Store,
  { accountId, approvalId }: { accountId: string; approvalId: string },
): Promise<ApprovalDoc | null> {
  return readOne(store, 'approvals', { accountId, _id: approvalId })
}

/** The waiting approval whose draft is this message. */
export function findApprovalOfDraft(
  store: Store,
  { accountId, messageId }: { accountId: string; messageId: string },
): Promise<ApprovalDoc | null> {
  return readOne(store, 'approvals', { accountId, 'draft.messageId': messageId, status: 'waiting' })
}

/** Approvals of an account, newest first, older than the one with the id `before`; with `status` only those in that status. */
export function listApprovals(
  store: Store,
  {
    accountId,
    status,
    before,
    limit,
  }: { accountId: string; status?: ApprovalStatus | undefined; before: string | null; limit: number },
): Promise<ApprovalDoc[]> {
  return readMany(
    store,
    'approvals',
    { accountId, ...(status !== undefined && { status }), ...(before !== null && { _id: { $lt: before } }) },
    { sort: status === undefined ? { accountId: -1, _id: -1 } : { accountId: -1, status: -1, _id: -1 }, limit },
  )
}

/** Approvals of the sends of an account, or of one of its keys: those with send ids below `before`, the newest send first. */
export function listApprovalsOfSends(
  store: Store,
  {
    accountId,
    keyId,
    before,
    limit,
  }: { accountId: string; keyId: string | null; before: string | null; limit: number },
): Promise<ApprovalDoc[]> {
  return readMany(
    store,
    'approvals',
    { accountId, ...(keyId !== null && { keyId }), ...(before !== null && { emailId: { $lt: before } }) },
    { sort: { accountId: -1, emailId: -1 }, limit },
  )
}

/** How many sends of a key wait for approval, counted up to `limit`. */
export function countWaiting(
  store: Store,
  { accountId, keyId }: { accountId: string; keyId: string },
  limit: number,
): Promise<number> {
  return store.approvals.countDocuments({ accountId, status: 'waiting', keyId }, { limit })
}

/**
 * Changes the status of an approval, if it is still as it was read. `dueAt` is when there is next work to do for it; null for
 * never. Returns the approval; null when it was changed meanwhile.
 */
export function changeApproval(
  store: Store,
  approval: ReadApproval,
  { status, decision, dueAt }: { status: ApprovalStatus; decision: ApprovalDecision; dueAt: Date | null },
): Promise<ApprovalDoc | null> {
  return store.approvals.findOneAndUpdate(
    asRead(approval),
    {
      $set: { status, decision, ...(dueAt !== null && { dueAt }) },
      $unset: { untoldSince: '', ...(dueAt === null && { dueAt: '' as const }) },
    },
    { returnDocument: 'after' },
  )
}

/** A copy of a send that a mail program appends to Sent, identified by its Message-ID. */
type BroughtCopy = { readonly accountId: string; readonly mailboxId: string; readonly messageIdHeader: string }

/** Records that a mail program is appending a copy of a waiting send to Sent. Returns false when no such send waits. */
export async function noteCopyBegun(
  store: Store,
  { accountId, mailboxId, messageIdHeader }: BroughtCopy,
  at: Date,
): Promise<boolean> {
  const waiting = { accountId, status: 'waiting', mailboxId, messageIdHeader } as const
  const { matchedCount } = await store.approvals.updateOne(waiting, { $set: { copyBegunAt: at } })
  return matchedCount === 1
}

/** The granted approval of the send whose copy is appended, if the approval was asked for after `since`. */
export function findApprovedOf(
  store: Store,
  { accountId, mailboxId, messageIdHeader, since }: BroughtCopy & { readonly since: Date },
): Promise<ApprovalDoc | null> {
  const _id = { $gte: idAt('apr', since) }
  return readOne(store, 'approvals', { accountId, status: 'approved', _id, mailboxId, messageIdHeader })
}

/** Claims the making of an approved send for this process until `until`. Returns the approval; null when another process has it. */
export function takeApproved(
  store: Store,
  { accountId, _id, dueAt }: ApprovalDoc,
  until: Date,
): Promise<ApprovalDoc | null> {
  if (dueAt === undefined) return Promise.resolve(null)
  return store.approvals.findOneAndUpdate(
    { accountId, _id, status: 'approved', dueAt },
    { $set: { dueAt: until } },
    { returnDocument: 'after' },
  )
}

/** Lets an approved send that was refused wait again, if this process still has the claim. */
export async function reopenApproval(store: Store, { accountId, _id, dueAt, expiresAt }: ApprovalDoc): Promise<void> {
  if (dueAt === undefined) return
  await store.approvals.updateOne(
    { accountId, _id, status: 'approved', dueAt },
    { $set: { status: 'waiting', dueAt: expiresAt }, $unset: { decision: '' } },
  )
}

/** Records that an approved send was made. */
export async function finishApproval(store: Store, { accountId, _id }: ApprovalDoc): Promise<void> {
  await store.approvals.updateOne({ accountId, _id, status: 'approved' }, { $unset: { dueAt: '' } })
}

/** Approvals with work to do, the longest due first. */
export function findDueApprovals(store: Store, { due, limit }: { due: Due; limit: number }): Promise<ApprovalDoc[]> {
  return readMany(store, 'approvals', dueBy<ApprovalDoc>('dueAt', due), { sort: { dueAt: 1 }, limit })
}

/** When there is next work to do for an approval of an account, or of any account; null when nothing waits. */
export function nextApproval(store: Store, accountId?: string): Promise<Date | null> {
  return earliest(store.approvals, 'dueAt', accountId)
}

/** Accounts with approvals that people have yet to be notified of, the longest waiting first. */
export async function findAccountsToNotify(store: Store, limit: number): Promise<readonly string[]> {
  const found = store.approvals.aggregate<{ readonly _id: string }>([
    { $match: { untoldSince: { $gt: new Date(0) } } },
    { $group: { _id: '$accountId', since: { $min: '$untoldSince' } } },
    { $sort: { since: 1 } },
    { $limit: limit },
  ])
  return (await found.toArray()).map(({ _id }) => _id)
}

/** Records that the people of an account were notified of its approvals that waited at a time. */
export async function noteAccountNotified(store: Store, accountId: string, at: Date): Promise<void> {
  await store.approvals.updateMany(
    { accountId, untoldSince: { $gt: new Date(0), $lte: at } },
    { $unset: { untoldSince: '' } },
  )
}

const asRead = ({ accountId, _id, status, hash }: ReadApproval) => ({ accountId, _id, status, hash })
