/** Certificates that an authority issues by ACME. */
import type { CertificateDoc, IssuedCertificate } from './documents/certificates.ts'
import { takeDue } from './earliest.ts'
import { onlyDuplicates, type Store } from './open.ts'
import { readMany, readOne } from './reads.ts'

export type { CertificateDoc, IssuedCertificate } from './documents/certificates.ts'

type Field = Exclude<keyof CertificateDoc, '_id' | 'token'>
/** The fields of a certificate document to set, and those to remove. */
export type CertificateChange = {
  readonly set: Partial<Pick<CertificateDoc, Field>>
  readonly drop?: readonly Field[]
}

/** Adds documents for names that have none yet; work on them is due at once. */
export async function addCertificates(store: Store, names: readonly string[], now: Date): Promise<void> {
  if (names.length === 0) return
  try {
    await store.certificates.insertMany(
      names.map((_id) => ({ _id, nextAt: now })),
      { ordered: false },
    )
  } catch (error) {
    if (!onlyDuplicates(error)) throw error
  }
}

/** The domains in use that accounts or the service own. */
export async function ownDomainNames(store: Store): Promise<readonly string[]> {
  const found = await readMany(
    store,
    'domains',
    { parent: null, status: { $in: ['verified', 'broken'] } },
    { projection: { _id: 1 } },
  )
  return found.map(({ _id }) => _id)
}

/** What an administrator sees of a certificate. */
export type CertificateSummary = Pick<CertificateDoc, '_id' | 'nextAt' | 'trouble'> & { readonly validTo?: Date }

/** Summaries of all certificates, in the order of their names. */
export async function certificateSummaries(store: Store): Promise<readonly CertificateSummary[]> {
  const found = await readMany(
    store,
    'certificates',
    {},
    { projection: { nextAt: 1, trouble: 1, 'issued.validTo': 1 }, sort: { _id: 1 } },
  )
  return found.map(({ _id, nextAt, trouble, issued }) => ({
    _id,
    nextAt,
    ...(trouble !== undefined && { trouble }),
    ...(issued !== undefined && { validTo: issued.validTo }),
  }))
}

/** The names of all certificates, and since when unwanted ones have been unwanted. */
export function certificateNames(store: Store): Promise<Pick<CertificateDoc, '_id' | 'unwantedSince'>[]> {
  return readMany(store, 'certificates', {}, { projection: { unwantedSince: 1 } })
}

/** The issued certificates of the given names, by name; names without one are missing. */
export async function findIssued(
  store: Store,
  names: readonly string[],
): Promise<ReadonlyMap<string, IssuedCertificate>> {
  const found = await readMany(store, 'certificates', { _id: { $in: [...names] } }, { projection: { issued: 1 } })
  return new Map(found.flatMap(({ _id, issued }) => (issued === undefined ? [] : [[_id, issued] as const])))
}

/** Takes the certificate that has been due longest, under a lease. Returns null when none is due. */
export function claimCertificate(
  store: Store,
  { now, until, token }: { now: Date; until: Date; token: string },
): Promise<CertificateDoc | null> {
  return takeDue(store.certificates, { field: 'nextAt', shardKey: '_id', now }, { $set: { nextAt: until, token } })
}

/** Writes the results of work on a certificate; `isEnd` releases the lease. Returns false when another process holds the lease. */
export async function changeCertificate(
  store: Store,
  { _id, token }: CertificateDoc,
  { set, drop = [], isEnd }: CertificateChange & { readonly isEnd: boolean },
): Promise<boolean> {
  if (token === undefined) return false
  const gone = isEnd ? [...drop, 'token'] : drop
  const { matchedCount } = await store.certificates.updateOne(
    { _id, token },
    { $set: set, ...(gone.length > 0 && { $unset: Object.fromEntries(gone.map((field) => [field, ''])) }) },
  )
  return matchedCount === 1
}

/** When the next certificate is due; null when there is none. */
export async function nextCertificateAt(store: Store): Promise<Date | null> {
  const [next] = await readMany(store, 'certificates', {}, { projection: { nextAt: 1 }, sort: { nextAt: 1 }, limit: 1 })
  return next?.nextAt ?? null
}

/** Makes the order for a name due at once, even if it is not. Returns false when the name has no certificate document. */
export async function orderAtOnce(store: Store, name: string, now: Date): Promise<boolean> {
  const { matchedCount } = await store.certificates.updateOne(
    { _id: name },
    { $set: { nextAt: now, renew: true }, $unset: { token: '' } },
  )
  return matchedCount === 1
}

/** Records since when nothing has needed these names, or that something does (null). */
export async function markUnwanted(store: Store, names: readonly string[], since: Date | null): Promise<void> {
  if (names.length === 0) return
  const change = since === null ? { $unset: { unwantedSince: '' as const } } : { $set: { unwantedSince: since } }
  await store.certificates.updateMany({ _id: { $in: [...names] } }, change)
}

/** Removes those of these certificates that nothing has needed since `before`. */
export async function removeUnwanted(store: Store, names: readonly string[], before: Date): Promise<void> {
  if (names.length === 0) return
  await store.certificates.deleteMany({ _id: { $in: [...names] }, unwantedSince: { $lte: before } })
}

/** The answer to an HTTP-01 challenge; null when no order has this token. */
export async function findChallengeAnswer(store: Store, token: string): Promise<string | null> {
  const found = await readOne(store, 'certificates', { 'challenge.token': token }, { projection: { challenge: 1 } })
  return found?.challenge?.answer ?? null
}
