/** Domains in use, and the claims to domains. */
import type { StsMode } from '../schemas/settings.ts'
import type { DomainClaimDoc, DomainDoc, DomainNews } from './documents/domains.ts'
import { isDuplicate, type Store } from './open.ts'
import { readMany, readOne } from './reads.ts'

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
  return readOne(store, 'domains', { _id: domain })
}

/** Domains by name. */
export function findDomains(store: Store, names: readonly string[]): Promise<DomainDoc[]> {
  return readMany(store, 'domains', { _id: { $in: [...names] } })
}

export function listDomains(store: Store, accountId: string): Promise<DomainDoc[]> {
  return readMany(store, 'domains', { accountId }, { sort: { _id: 1 } })
}

/** Sets the MTA-STS mode of an own domain; null: the mode of the settings. Returns the domain; null when there is no such domain. */
export function setStsMode(store: Store, domain: string, mode: StsMode | null): Promise<DomainDoc | null> {
  const change = mode === null ? { $unset: { stsMode: '' as const } } : { $set: { stsMode: mode } }
  return store.domains.findOneAndUpdate({ _id: domain, parent: null }, change, { returnDocument: 'after' })
}

/** Removes a domain that was taken a moment ago. */
export async function removeDomain(store: Store, domain: string): Promise<void> {
  await store.domains.deleteOne({ _id: domain })
}

/** The claims to these domains by any account, at most `limit`. */
export function findClaims(
  store: Store,
  { domains, limit }: { readonly domains: readonly string[]; readonly limit: number },
): Promise<DomainClaimDoc[]> {
  return readMany(store, 'domainClaims', { domain: { $in: [...domains] } }, { limit })
}

export async function insertClaim(store: Store, claim: DomainClaimDoc): Promise<boolean> {
  try {
    await store.domainClaims.insertOne(claim)
    return true
  } catch (error) {
    if (isDuplicate(error)) return false
    throw error
  }
}

export function findClaim(
  store: Store,
  { accountId, domain }: { readonly accountId: string; readonly domain: string },
): Promise<DomainClaimDoc | null> {
  return readOne(store, 'domainClaims', { accountId, domain })
}

export function listClaims(store: Store, accountId: string): Promise<DomainClaimDoc[]> {
  return readMany(store, 'domainClaims', { accountId }, { sort: { accountId: 1, domain: 1 } })
}

/** The names of the domains that an account has or claims. */
export async function domainsOf(store: Store, accountId: string): Promise<readonly string[]> {
  const [inUse, claims] = await Promise.all([listDomains(store, accountId), listClaims(store, accountId)])
  return [...inUse.map(({ _id }) => _id), ...claims.map(({ domain }) => domain)]
}

/** Those of these names that an account has or claims. */
export async function domainsAmong(
  store: Store,
  { accountId, names }: { readonly accountId: string; readonly names: readonly string[] },
): Promise<readonly string[]> {
  const [inUse, claims] = await Promise.all([
    readMany(store, 'domains', { _id: { $in: [...names] }, accountId, status: { $ne: 'removed' } }),
    readMany(store, 'domainClaims', { accountId, domain: { $in: [...names] } }),
  ])
  return [...inUse.map(({ _id }) => _id), ...claims.map(({ domain }) => domain)]
}

/** Removes a claim. Returns false when there was none. */
export async function removeClaim(
  store: Store,
  { accountId, domain }: { readonly accountId: string; readonly domain: string },
): Promise<boolean> {
  const { deletedCount } = await store.domainClaims.deleteOne({ accountId, domain })
  return deletedCount === 1
}

type Leaving = { readonly accountId: string; readonly domain: string; readonly token: string }

/** Marks a domain as being deleted under a token, which replaces that of a deletion in progress. */
export async function markLeaving(store: Store, { accountId, domain, token }: Leaving): Promise<void> {
  await store.domains.updateOne({ _id: domain, accountId, parent: null }, { $set: { leaving: token } })
}

/** Cancels this deletion, if it is still in progress: the domain stays. */
export async function unmarkLeaving(store: Store, { accountId, domain, token }: Leaving): Promise<void> {
  await store.domains.updateOne({ _id: domain, accountId, leaving: token }, { $unset: { leaving: '' } })
}

/** Deletes a domain of an account. Returns false when it does not exist, or another deletion of it is in progress. */
export async function removeOwnDomain(store: Store, { accountId, domain, token }: Leaving): Promise<boolean> {
  const { deletedCount } = await store.domains.deleteOne({ _id: domain, accountId, parent: null, leaving: token })
  return deletedCount === 1
}

/** Identifies a document of a domain: the domain itself, or an account's claim to it. */
export type WatchedRef = { readonly accountId: string | null; readonly domain: string; readonly isClaim: boolean }
/** The fields that can be changed in both. */
export type DomainChange = Partial<Pick<DomainDoc, 'defaultDisplayName' | 'dkim' | 'watch'>> & {
  /** null: our own server. */
  readonly backend?: DomainDoc['backend'] | null
}

/**
 * Changes a domain or a claim; with `rev` only if `watch.rev` still has that value. Returns false when there is none, or it has another
 * `rev`.
 */
export async function changeDomain(
  store: Store,
  { accountId, domain, isClaim }: WatchedRef,
  { backend, ...set }: DomainChange & Partial<Pick<DomainDoc, 'status'>>,
  rev?: number,
): Promise<boolean> {
  const update = {
    ...(Object.keys(set).length + (backend ? 1 : 0) > 0 && { $set: { ...set, ...(backend && { backend }) } }),
    ...(backend === null && { $unset: { backend: '' as const } }),
  }
  const same = rev === undefined ? {} : { 'watch.rev': rev }
  const { matchedCount } = isClaim
    ? await store.domainClaims.updateOne({ accountId: accountId ?? '', domain, ...same }, update)
    : await store.domains.updateOne({ _id: domain, accountId, ...same }, update)
  return matchedCount === 1
}

/** Domains and claims whose DNS is due to be looked at, the longest due first. */
export async function findDueDomains(
  store: Store,
  now: Date,
  limit: number,
): Promise<readonly (WatchedRef & { readonly dueAt: Date })[]> {
  const due = { 'watch.dueAt': { $lte: now } }
  const [domains, claims] = await Promise.all([
    readMany(store, 'domains', due, {
      projection: { accountId: 1, 'watch.dueAt': 1 },
      sort: { 'watch.dueAt': 1 },
      limit,
    }),
    readMany(store, 'domainClaims', due, {
      projection: { accountId: 1, domain: 1, 'watch.dueAt': 1 },
      sort: { 'watch.dueAt': 1 },
      limit,
    }),
  ])
  return [
    ...domains.map(({ _id, accountId, watch }) => ({
      domain: _id,
      accountId,
      isClaim: false,
      dueAt: watch?.dueAt ?? now,
    })),
    ...claims.map(({ domain, accountId, watch }) => ({ domain, accountId, isClaim: true, dueAt: watch.dueAt })),
  ]
    .sort((a, b) => a.dueAt.getTime() - b.dueAt.getTime())
    .slice(0, limit)
}

/** Leases the look at a domain until `until`. Returns false when another process did. */
export async function leaseLook(
  store: Store,
  { accountId, domain, isClaim, dueAt }: WatchedRef & { readonly dueAt: Date },
  until: Date,
): Promise<boolean> {
  const set = { $set: { 'watch.dueAt': until } }
  const { modifiedCount } = isClaim
    ? await store.domainClaims.updateOne({ accountId: accountId ?? '', domain, 'watch.dueAt': dueAt }, set)
    : await store.domains.updateOne({ _id: domain, accountId, 'watch.dueAt': dueAt }, set)
  return modifiedCount === 1
}

/** Writes the result of a look and the news that follow from it. Returns the domain; null if another look was written meanwhile. */
export function noteLook(
  store: Store,
  { domain, accountId }: { readonly domain: string; readonly accountId: string | null },
  {
    rev,
    set,
    news,
  }: {
    readonly rev: number
    readonly set: Partial<DomainDoc>
    readonly news: readonly DomainNews[]
  },
): Promise<DomainDoc | null> {
  return store.domains.findOneAndUpdate(
    { _id: domain, accountId, 'watch.rev': rev },
    { $set: set, ...(news.length > 0 && { $push: { untold: { $each: [...news] } } }) },
    { returnDocument: 'after' },
  )
}

/** Removes news whose events are recorded. */
export async function forgetNews(store: Store, domain: string, told: readonly DomainNews[]): Promise<void> {
  const at = { $in: told.map((news) => news.at) }
  await store.domains.updateOne({ _id: domain }, { $pull: { untold: { at } } })
}

/** Sets when the registration of a domain ends; null if unknown. Returns false when there is no such domain. */
export async function setExpiry(
  store: Store,
  domain: string,
  expiry: Pick<DomainDoc, 'expiresAt' | 'expiryFrom'> | null,
): Promise<boolean> {
  const { matchedCount } = await store.domains.updateOne(
    { _id: domain, parent: null },
    expiry === null
      ? { $unset: { expiresAt: '', expiryFrom: '', expiryTold: '', registryAskedAt: '' } }
      : { $set: expiry },
  )
  return matchedCount === 1
}

/** Records what the registry answered about a domain, unless an administrator set the expiry. */
export async function noteRegistry(
  store: Store,
  domain: string,
  known: Pick<DomainDoc, 'expiresAt' | 'expiryFrom' | 'registryAskedAt'>,
): Promise<void> {
  await store.domains.updateOne({ _id: domain, expiryFrom: { $ne: 'administrator' } }, { $set: known })
}
