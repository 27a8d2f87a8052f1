/** Suppressions: addresses to which an account no longer sends. */
import type { SuppressionDoc } from './documents/sending.ts'
import type { Store } from './open.ts'

/** The id of the suppression of an address by an account. */
export const suppressionId = (accountId: string, email: string): string => `${accountId}:${email}`

/** Adds suppressions. An address that is suppressed already keeps its reason. */
export async function insertSuppressions(store: Store, rows: readonly Omit<SuppressionDoc, '_id'>[]): Promise<void> {
  if (rows.length === 0) return
  await store.suppressions.bulkWrite(
    rows.map((row) => ({
      updateOne: {
        filter: { accountId: row.accountId, _id: suppressionId(row.accountId, row.email) },
        update: { $setOnInsert: { email: row.email, reason: row.reason, detail: row.detail, at: row.at } },
        upsert: true,
      },
    })),
    { ordered: false },
  )
}

export function findSuppressions(
  store: Store,
  { accountId, emails }: { accountId: string; emails: readonly string[] },
): Promise<SuppressionDoc[]> {
  return store.suppressions
    .find({ accountId, _id: { $in: emails.map((email) => suppressionId(accountId, email)) } })
    .toArray()
}

/** Suppressions by their ids, of any account. */
export function findSuppressionsById(store: Store, ids: readonly string[]): Promise<SuppressionDoc[]> {
  return store.suppressions.find({ _id: { $in: [...ids] } }).toArray()
}

/** The suppressions of an account, newest first, starting after the suppression with the time and id of `before`. */
export function listSuppressions(
  store: Store,
  {
    accountId,
    before,
    limit,
  }: { accountId: string; before: { readonly at: Date; readonly id: string } | null; limit: number },
): Promise<SuppressionDoc[]> {
  const older = before === null ? {} : { $or: [{ at: { $lt: before.at } }, { at: before.at, _id: { $lt: before.id } }] }
  return store.suppressions
    .find({ accountId, ...older })
    .sort({ accountId: -1, at: -1, _id: -1 })
    .limit(limit)
    .toArray()
}

/** Returns false when the address was not suppressed. */
export async function deleteSuppression(
  store: Store,
  { accountId, email }: { accountId: string; email: string },
): Promise<boolean> {
  const { deletedCount } = await store.suppressions.deleteOne({ accountId, _id: suppressionId(accountId, email) })
  return deletedCount === 1
}
