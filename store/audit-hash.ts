/** The hashes of the audit trail: each entry's covers the hash before it, and the names in it by a salted digest alone. */
import { createHash, randomBytes } from 'node:crypto'
import type { AuditDoc, AuditPersonal } from './documents/accounts.ts'

/** An entry that is to be appended: the store seals what is personal, numbers and hashes. */
export type NewAudit = Omit<AuditDoc, 'seq' | 'previousHash' | 'hash' | 'salt' | 'personalDigest'> & {
  readonly personal: AuditPersonal
}

const saltBytes = 16

/** An entry with its digest and its hash, behind the entry with `previousHash`. */
export function chained(entry: NewAudit & Pick<AuditDoc, 'seq'>, previousHash: string): AuditDoc {
  const salt = randomBytes(saltBytes).toString('base64url')
  const body = { ...entry, salt, personalDigest: digestOf(entry, salt, entry.personal), previousHash }
  return { ...body, hash: hashOf(body) }
}

/** Whether the content of an entry is what was hashed. What was erased is taken for true. */
export function isUnchanged(entry: AuditDoc): boolean {
  const { hash, salt, personal, personalDigest } = entry
  const isErased = salt === null && personal === null
  const isTrue = isErased || (salt !== null && personal !== null && digestOf(entry, salt, personal) === personalDigest)
  return isTrue && hash === hashOf(entry)
}

/** Without the salt the digest tells nothing of who it was, and of what. */
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

/** The update that deletes what entries tell of a person, with the salt. */
export const withoutPerson = { $set: { personal: null, salt: null } } as const
/** The update that deletes every name in entries, those of keys, people and requests too. */
export const withoutNames = {
  $set: { personal: null, salt: null, keyId: null, requestId: '' },
  $unset: { userId: '' as const },
} as const
