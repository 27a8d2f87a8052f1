/** How many logins of each caller failed recently. Each count covers a period that begins with its first failure. */
import type { FailedLoginsDoc } from './documents/accounts.ts'
import type { Store } from './open.ts'
import { readMany } from './reads.ts'
import { updateIn, writeAll } from './writes.ts'

export type FailedLogins = {
  readonly caller: string
  readonly by: number
  /** The count from which the caller is refused; null: never. */
  readonly limit: number | null
}

/**
 * Counts failed logins. A count begins with the first failure and ends at `countedUntil`; once it reaches the limit, it lasts
 * until `refusedUntil`. Returns the resulting counts, which cover all processes.
 */
export async function countFailedLogins(
  store: Store,
  failures: readonly FailedLogins[],
  { now, countedUntil, refusedUntil }: { now: Date; countedUntil: Date; refusedUntil: Date },
): Promise<FailedLoginsDoc[]> {
  let rest = failures
  // When two processes insert the same caller at once, one insert is refused as a duplicate; the second try then updates.
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
