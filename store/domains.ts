/** Domains in use, and the claims of those who want one. */
import type { StsMode } from '../schemas/settings.ts'
import type { DomainClaimDoc, DomainDoc } from './documents/domains.ts'
import { isDuplicate, type Store } from './open.ts'

/** Takes a domain by inserting it. Returns false when it is taken. */
export async function insertDomain(store: Store, domain: DomainDoc): Promise<boolean> {
  try {
    await store.domains.insertOne(domain)
    return true
  } catch (error) {
    if (isDuplicate(error)) return false
    throw error
  }
}

export function findDomain(store: Store, domain: string): Promise<DomainDoc | null> {
  return store.domains.findOne({ _id: domain })
}

/** Domains by name. */
export function findDomains(store: Store, names: readonly string[]): Promise<DomainDoc[]> {
  return store.domains.find({ _id: { $in: [...names] } }).toArray()
}

export function listDomains(store: Store, accountId: string): Promise<DomainDoc[]> {
  return store.domains.find({ accountId }).sort({ _id: 1 }).toArray()
}

/** Sets what the MTA-STS policy of an own domain asks of senders; null: what the settings say. Null when there is no such domain. */
export function setStsMode(store: Store, domain: string, mode: StsMode | null): Promise<DomainDoc | null> {
  const change = mode === null ? { $unset: { stsMode: '' as const } } : { $set: { stsMode: mode } }
  return store.domains.findOneAndUpdate({ _id: domain, parent: null }, change, { returnDocument: 'after' })
}

/** Gives up a domain that was taken a moment ago. */
export async function removeDomain(store: Store, domain: string): Promise<void> {
  await store.domains.deleteOne({ _id: domain })
}

/** Claims on any of some domains, of whichever account, at most `limit`. */
export function findClaims(
  store: Store,
  { domains, limit }: { readonly domains: readonly string[]; readonly limit: number },
): Promise<DomainClaimDoc[]> {
  return store.domainClaims
    .find({ domain: { $in: [...domains] } })
    .limit(limit)
    .toArray()
}
