/** Deletes the expired documents of one account by the account's own clock, which the database's expiry does not know. */
import { collections } from './collections.ts'
import type { Store } from './open.ts'

type Expiring = { readonly collection: string; readonly field: string; readonly afterSeconds: number }

/** The collections whose shard key is the account and whose documents expire. */
const expiring: readonly Expiring[] = Object.entries(collections).flatMap(([collection, { shardKey, indexes }]) =>
  indexes.flatMap((index): Expiring[] =>
    shardKey === 'accountId' && 'expireAfterSeconds' in index && index.expireAfterSeconds !== undefined
      ? [{ collection, field: Object.keys(index.key)[0]!, afterSeconds: index.expireAfterSeconds }]
      : [],
  ),
)

/** Deletes the documents of an account that have expired at `now`. */
export async function deleteExpired(store: Store, accountId: string, now: Date): Promise<void> {
  for (const { collection, field, afterSeconds } of expiring)
    await store.db
      .collection(collection)
      .deleteMany({ accountId, [field]: { $lte: new Date(now.getTime() - afterSeconds * 1_000) } })
}
