/** The audit trails of accounts: chains of hashed entries (store/chains.ts). */
import { chained, type NewAudit } from './audit-hash.ts'
import { type Append, createAppend } from './chains.ts'
import { settled } from './connection.ts'
import type { AuditDoc } from './documents/accounts.ts'
import type { Store } from './open.ts'
import { readMany, readOne } from './reads.ts'

/** Creates the function with which a process appends audit entries. */
export function createAuditAppend(store: Store): Append<NewAudit, AuditDoc> {
  return createAppend<NewAudit, AuditDoc, Pick<AuditDoc, 'seq' | 'hash' | 'at'>>({
    store,
    collection: store.audit,
    async last(accountId) {
      const last = await readOne(store, 'audit', { accountId }, { ...settled, sort: { accountId: -1, seq: -1 } })
      return last ?? { seq: 0, hash: '', at: new Date(0) }
    },
    link(entry, { seq, hash: previousHash, at: before }) {
      // Entries expire by their time. Times never decrease along the chain, so that no entry expires before an earlier one.
      const at = new Date(Math.max(entry.at.getTime(), before.getTime()))
      return chained({ ...entry, at, seq: seq + 1 }, previousHash)
    },
    end: ({ seq, hash, at }) => ({ seq, hash, at }),
  })
}

/** The audit entries of an account in order, starting at the number `fromSeq`. */
export function walkAudit(store: Store, accountId: string, fromSeq: number, limit: number): Promise<AuditDoc[]> {
  return readMany(store, 'audit', { accountId, seq: { $gte: fromSeq } }, { sort: { accountId: 1, seq: 1 }, limit })
}

export type AuditFilter = {
  readonly accountId: string
  readonly action?: string
  readonly keyId?: string
  readonly userId?: string
  readonly outcome?: string
  readonly since?: Date
  readonly until?: Date
}

/** Entries with numbers below `before`, newest first. */
export function listAudit(
  store: Store,
  { since, until, ...same }: AuditFilter,
  { before, limit }: { before: number | null; limit: number },
): Promise<AuditDoc[]> {
  const at = { ...(since !== undefined && { $gte: since }), ...(until !== undefined && { $lt: until }) }
  return readMany(
    store,
    'audit',
    {
      ...same,
      ...(before !== null && { seq: { $lt: before } }),
      ...(Object.keys(at).length > 0 && { at }),
    },
    { sort: { accountId: -1, seq: -1 }, limit },
  )
}
