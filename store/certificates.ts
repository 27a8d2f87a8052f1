/** Certificates that an authority issues by ACME. */
import type { CertificateDoc, IssuedCertificate } from './documents/certificates.ts'
import { takeDue } from './earliest.ts'
import { onlyDuplicates, type Store } from './open.ts'
import { readMany, readOne } from './reads.ts'

export type { CertificateDoc, IssuedCertificate } from './documents/certificates.ts'

type Field = Exclude<keyof CertificateDoc, '_id' | 'token'>
/** What is written of a certificate, and which fields go. */
export type CertificateChange = {
  readonly set: Partial<Pick<CertificateDoc, Field>>
  readonly drop?: readonly Field[]
}

/** Notes names that have no document yet; what there is to do for them is due at once. */
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

/** The own domains of accounts and of the service that are in use. */
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

/** All of them, by name. */
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

/** The names of all of them, and since when those that nothing asks for. */
export function certificateNames(store: Store): Promise<Pick<CertificateDoc, '_id' | 'unwantedSince'>[]> {
  return readMany(store, 'certificates', {}, { projection: { unwantedSince: 1 } })
}

/** What was issued for these names, of those that have it. */
export async function findIssued(
  store: Store,
  names: readonly string[],
): Promise<ReadonlyMap<string, IssuedCertificate>> {
  const found = await readMany(store, 'certificates', { _id: { $in: [...names] } }, { projection: { issued: 1 } })
  return new Map(found.flatMap(({ _id, issued }) => (issued === undefined ? [] : [[_id, issued] as const])))
}

/** Takes the one that is due longest, under a lease. Null when none is due. */
export function claimCertificate(
  store: Store,
  { now, until, token }: { now: Date; until: Date; token: string },
): Promise<CertificateDoc | null> {
  return takeDue(store.certificates, { field: 'nextAt', shardKey: '_id', now }, { $set: { nextAt: until, token } })
}

/** Writes what came of it; `isEnd` gives the lease back. Returns false when it is another's by now. */
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

/** When the next one is due; null when there is none. */
export async function nextCertificateAt(store: Store): Promise<Date | null> {
  const [next] = await readMany(store, 'certificates', {}, { projection: { nextAt: 1 }, sort: { nextAt: 1 }, limit: 1 })
  return next?.nextAt ?? null
}

/** Has a name ordered at once, although it is not due. Returns false when it has no certificate to be ordered. */
export async function orderAtOnce(store: Store, name: string, now: Date): Promise<boolean> {
  const { matchedCount } = await store.certificates.updateOne(
    { _id: name },
    { $set: { nextAt: now, renew: true }, $unset: { token: '' } },
  )
  return matchedCount === 1
}

/** Notes since when nothing asks for names, or that something does (null). */
export async function markUnwanted(store: Store, names: readonly string[], since: Date | null): Promise<void> {
  if (names.length === 0) return
  const change = since === null ? { $unset: { unwantedSince: '' as const } } : { $set: { unwantedSince: since } }
  await store.certificates.updateMany({ _id: { $in: [...names] } }, change)
}

/** Removes certificates that nothing has asked for since a time. */
export async function removeUnwanted(store: Store, names: readonly string[], before: Date): Promise<void> {
  if (names.length === 0) return
  await store.certificates.deleteMany({ _id: { $in: [...names] }, unwantedSince: { $lte: before } })
}

/** The answer to a challenge of HTTP-01; null when nobody asks for it. */
export async function findChallengeAnswer(store: Store, token: string): Promise<string | null> {
  const found = await readOne(store, 'certificates', { 'challenge.token': token }, { projection: { challenge: 1 } })
  return found?.challenge?.answer ?? null
}
