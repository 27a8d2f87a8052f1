/** Suppressions: addresses to which an account, or a part of it, no longer sends. */
import type { SuppressionDoc } from './documents/sending.ts'
import { isDuplicate, onlyDuplicates, type Store } from './open.ts'
import { readMany } from './reads.ts'

/** The id of the suppression of an address by an account. */
export const suppressionId = (accountId: string, email: string): string => `${accountId}:${email}`

/** An agent key, and the mailboxes that it reaches. */
export type Agent = { readonly keyId: string; readonly mailboxIds: readonly string[] }

type NewSuppression = Omit<SuppressionDoc, '_id' | 'only'>

/**
 * Adds suppressions for all mail of an account. An address that is already suppressed for all mail keeps its reason; an entry that
 * agent keys added is widened to all mail.
 */
export async function insertSuppressions(store: Store, rows: readonly NewSuppression[]): Promise<void> {
  try {
    await store.suppressions.bulkWrite(
      rows.flatMap(({ accountId, email, reason, detail, at }) => {
        const id = { accountId, _id: suppressionId(accountId, email) }
        const widen = { $set: { reason, detail, at }, $unset: { only: true } } as const
        return [
          { updateOne: { filter: id, update: { $setOnInsert: { email, reason, detail, at } }, upsert: true } },
          // After the insert, so that an entry that an agent key inserts at the same moment is widened too.
          { updateOne: { filter: { ...id, only: { $exists: true } }, update: widen } },
        ]
      }),
      { ordered: false },
    )
  } catch (error) {
    // Another process inserted an entry at the same moment; all other writes were made.
    if (!onlyDuplicates(error)) throw error
  }
}

/** Adds a suppression that applies to some mailboxes and an agent key. One that applies to all mail of the account stays unchanged. */
export function insertAgentSuppression(store: Store, row: NewSuppression, { keyId, mailboxIds }: Agent): Promise<void> {
  return addSuppression(store, { ...row, only: { keyIds: [keyId], mailboxIds } })
}

/** Adds a suppression to the one that the account may already have of the address: afterwards it applies to all that one of them does. */
export async function addSuppression(
  store: Store,
  { accountId, email, reason, detail, at, only }: Omit<SuppressionDoc, '_id'>,
): Promise<void> {
  if (only === undefined) return insertSuppressions(store, [{ accountId, email, reason, detail, at }])
  const filter = { accountId, _id: suppressionId(accountId, email), only: { $exists: true } }
  const holders = {
    $addToSet: { 'only.keyIds': { $each: [...only.keyIds] }, 'only.mailboxIds': { $each: [...only.mailboxIds] } },
  }
  try {
    await store.suppressions.updateOne(
      filter,
      { ...holders, $setOnInsert: { email, reason, detail, at } },
      { upsert: true },
    )
  } catch (error) {
    if (!isDuplicate(error)) throw error
    // Either the suppression applies to all mail, or another agent key inserted it first.
    await store.suppressions.updateOne(filter, holders)
  }
}

export function findSuppressions(
  store: Store,
  { accountId, emails }: { accountId: string; emails: readonly string[] },
): Promise<SuppressionDoc[]> {
  return readMany(store, 'suppressions', {
    accountId,
    _id: { $in: emails.map((email) => suppressionId(accountId, email)) },
  })
}

/** Suppressions of accounts, at most `limit`. */
export function findSuppressionsOf(
  store: Store,
  { accountIds, limit }: { accountIds: readonly string[]; limit: number },
): Promise<SuppressionDoc[]> {
  return readMany(store, 'suppressions', { accountId: { $in: [...accountIds] } }, { limit })
}

/**
 * The suppressions of an account, newest first, starting after the suppression with the time and id of `before`. With an
 * agent, only those that apply to its mail.
 */
export function listSuppressions(
  store: Store,
  {
    accountId,
    agent,
    before,
    limit,
  }: {
    accountId: string
    agent: Agent | null
    before: { readonly at: Date; readonly id: string } | null
    limit: number
  },
): Promise<SuppressionDoc[]> {
  const older = before === null ? {} : { $or: [{ at: { $lt: before.at } }, { at: before.at, _id: { $lt: before.id } }] }
  const visible =
    agent === null
      ? {}
      : {
          $or: [
            { only: { $exists: false } },
            { 'only.keyIds': agent.keyId },
            { 'only.mailboxIds': { $in: [...agent.mailboxIds] } },
          ],
        }
  return readMany(
    store,
    'suppressions',
    { accountId, $and: [older, visible] },
    { sort: { accountId: -1, at: -1, _id: -1 }, limit },
  )
}

/** Deletes a suppression. Returns false when the address was not suppressed. */
export async function deleteSuppression(
  store: Store,
  { accountId, email }: { accountId: string; email: string },
): Promise<boolean> {
  const { deletedCount } = await store.suppressions.deleteOne({ accountId, _id: suppressionId(accountId, email) })
  return deletedCount === 1
}
