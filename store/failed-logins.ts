/** How many logins failed lately, of each caller: counted for a while from the first one on. */
import type { FailedLoginsDoc } from './documents/accounts.ts'
import type { Store } from './open.ts'
import { readMany } from './reads.ts'
import { updateIn, writeAll } from './writes.ts'

export type FailedLogins = {
  readonly caller: string
  readonly by: number
  /** The number from which the caller is refused; null: never. */
  readonly limit: number | null
}

/**
 * Counts failed logins. A count begins at the first failure and ends at `countedUntil`; when it reaches the limit, it stays
 * until `refusedUntil`. Returns the counts as they are then, of all processes together.
 */
export async function countFailedLogins(
  store: Store,
  failures: readonly FailedLogins[],
  { now, countedUntil, refusedUntil }: { now: Date; countedUntil: Date; refusedUntil: Date },
): Promise<FailedLoginsDoc[]> {
  let rest = failures
  // When two processes insert the same caller at once, one of them fails as a duplicate; its second try updates.
  for (let tries = 0; tries < 2 && rest.length > 0; tries++) {
    const writes = rest.map(({ caller, by, limit }) => {
      const isCounted = { $gt: ['$expiresAt', now] }
      const before = { $cond: [isCounted, '$count', 0] }
      const count = { $add: [before, by] }
      const reaches = limit === null ? false : { $and: [{ $lt: [before, limit] }, { $gte: [count, limit] }] }
      const end = { $cond: [isCounted, '$expiresAt', countedUntil] }
      const set = { count, expiresAt: { $cond: [reaches, refusedUntil, end] } }
      return updateIn(store.failedLogins, { _id: caller }, [{ $set: set }], { upsert: true })
    })
    rest = (await writeAll(store, writes)).map((n) => rest[n]!)
  }
  return readMany(store, 'failedLogins', { _id: { $in: failures.map(({ caller }) => caller) } })
}
