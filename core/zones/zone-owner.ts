/** Whose the zone of a domain is. */
import type { DnsBackend } from '../../store/documents/domains.ts'
import { findClaims, findDomains } from '../../store/domains.ts'
import type { Store } from '../../store/open.ts'

/** The account, null for the service, and who keeps the zone; absent: our own server. */
export type ZoneOwner = { readonly accountId: string | null; readonly backend?: DnsBackend | undefined }

/** Claims on a domain and those above it that are looked at; of more it is unclear whose zone it is. */
const claimsMax = 20

/**
 * Whose zone of a domain counts; null: nobody's. What somebody only claims is theirs while nobody else has a word about it: neither
 * another claim on it, nor anything of another account above it, whose name servers may be ours.
 */
export async function zoneOwner(store: Store, domain: string): Promise<ZoneOwner | null> {
  const names = [domain]
  for (let name = parentOf(domain); name !== null; name = parentOf(name)) names.push(name)
  const [domains, claims] = await Promise.all([
    findDomains(store, names),
    findClaims(store, { domains: names, limit: claimsMax }),
  ])
  const inUse = domains.filter(({ status, parent }) => parent === null && status !== 'removed')
  const own = inUse.find(({ _id }) => _id === domain)
  if (own !== undefined) return own
  const claim = claims.find((each) => each.domain === domain)
  if (claim === undefined || claims.length === claimsMax) return null
  const isAlone = [...inUse, ...claims].every(({ accountId }) => accountId === claim.accountId)
  return isAlone ? claim : null
}

/** The name above; null for a name of one label. */
export function parentOf(name: string): string | null {
  const dot = name.indexOf('.')
  return dot < 0 ? null : name.slice(dot + 1)
}
