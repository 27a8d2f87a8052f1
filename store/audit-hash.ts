/** The hashes of the audit trail. Each entry's hash covers the previous hash, and covers the names in the entry only by a salted digest. */
import { createHash, randomBytes } from 'node:crypto'
import type { AuditDoc, AuditPersonal } from './documents/accounts.ts'

/** An entry to be appended. The store digests its personal part, numbers it and hashes it. */
export type NewAudit = Omit<AuditDoc, 'seq' | 'previousHash' | 'hash' | 'salt' | 'personalDigest'> & {
  readonly personal: AuditPersonal
}

const saltBytes = 16

/** An entry with its digest and its hash, which follows the entry with `previousHash`. */
export function chained(entry: NewAudit & Pick<AuditDoc, 'seq'>, previousHash: string): AuditDoc {
  const salt = randomBytes(saltBytes).toString('base64url')
  const body = { ...entry, salt, personalDigest: digestOf(entry, salt, entry.personal), previousHash }
  return { ...body, hash: hashOf(body) }
}

/** Whether the content of an entry is what was hashed. An erased part is assumed to be unchanged. */
export function isUnchanged(entry: AuditDoc): boolean {
  const { hash, salt, personal, personalDigest } = entry
  const isErased = salt === null && personal === null
  const isTrue = isErased || (salt !== null && personal !== null && digestOf(entry, salt, personal) === personalDigest)
  return isTrue && hash === hashOf(entry)
}

/** Without the salt, the digest reveals neither the names nor the change. */
function digestOf(
  { keyId, userId = null, requestId }: Pick<AuditDoc, 'keyId' | 'requestId'> & { readonly userId?: string | null },
  salt: string,
  { target, address, change }: AuditPersonal,
): string {
  const names = [salt, keyId, userId, requestId, target, address]
  return sha256(change === undefined ? names : [...names, change])
}

function hashOf({
  _id,
  accountId,
  seq,
  at,
  action,
  outcome,
  personalDigest,
  previousHash,
}: Omit<AuditDoc, 'hash'>): string {
  return sha256([_id, accountId, seq, at.toISOString(), action, outcome, personalDigest, previousHash])
}

const sha256 = (parts: readonly unknown[]) => createHash('sha256').update(JSON.stringify(parts)).digest('hex')

/** The update that deletes the personal part of entries, and its salt. */
export const withoutPerson = { $set: { personal: null, salt: null } } as const
/** The update that deletes every name in entries, including those of keys, people and requests. */
export const withoutNames = {
  $set: { personal: null, salt: null, keyId: null, requestId: '' },
  $unset: { userId: '' as const },
} as const
