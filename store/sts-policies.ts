/** MTA-STS policies of other domains, until they end. */
import type { StsPolicyDoc } from './documents/sending.ts'
import type { Store } from './open.ts'

/** The policy of a domain; null when none is kept that still counts at `now`. */
export function findStsPolicy(store: Store, domain: string, now: Date): Promise<StsPolicyDoc | null> {
  return store.stsPolicies.findOne({ _id: domain, expiresAt: { $gt: now } })
}

/** Keeps a policy in place of the domain's earlier one. */
export async function keepStsPolicy(store: Store, { _id, ...policy }: StsPolicyDoc): Promise<void> {
  await store.stsPolicies.replaceOne({ _id }, policy, { upsert: true })
}
