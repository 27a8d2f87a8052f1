/** MTA-STS policies of recipient domains, kept until they expire. */
import type { StsPolicyDoc } from './documents/sending.ts'
import type { Store } from './open.ts'
import { readOne } from './reads.ts'

/** The stored policy of a domain that is valid at `now`; null when there is none. */
export function findStsPolicy(store: Store, domain: string, now: Date): Promise<StsPolicyDoc | null> {
  return readOne(store, 'stsPolicies', { _id: domain, expiresAt: { $gt: now } })
}

/** Stores a policy, in place of an earlier one of the domain. */
export async function keepStsPolicy(store: Store, { _id, ...policy }: StsPolicyDoc): Promise<void> {
  await store.stsPolicies.replaceOne({ _id }, policy, { upsert: true })
}
