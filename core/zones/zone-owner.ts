/** Decides who owns the zone of a domain. */
import type { DnsBackend } from '../../store/documents/domains.ts'
import { findClaims, findDomains } from '../../store/domains.ts'
import type { Store } from '../../store/open.ts'

/** The account (null for the service), and the server that keeps the zone (our own if absent). */
export type ZoneOwner = { readonly accountId: string | null; readonly backend?: DnsBackend | undefined }

/** Claims considered on a domain and the names above it; if there are more, the owner is unclear. */
const claimsMax = 20

/**
 * The owner of the zone of a domain; null if it has none. A domain that is only claimed belongs to its claimant as long as no other
 * account has a claim on it, or a domain or claim above it, whose name servers may be ours.
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

/** The parent of a name; null for a name of one label. */
export function parentOf(name: string): string | null {
  const dot = name.indexOf('.')
  return dot < 0 ? null : name.slice(dot + 1)
}
