/**
 * The audit trail of an account: who did what, when and from where. Each entry's hash covers the hash of the entry
 * before it (decisions.md 4, Audit).
 */
import { createHash } from 'node:crypto'
import { newId } from '../../schemas/ids.ts'
import type { AuditDoc } from '../../store/documents/accounts.ts'
import { createAuditAppend, type NewAudit, walkAudit } from '../../store/records.ts'
import type { Context } from '../process/context.ts'
import { createGroupCommit } from '../process/group-commit.ts'
import { perProcess } from '../process/per-process.ts'

const groupMax = 200
const pageSize = 500

export type AuditEntry = {
  readonly accountId: string
  readonly keyId: string | null
  readonly action: string
  readonly target: string | null
  readonly outcome: string
  readonly address: string | null
}

const entryGroups = perProcess(({ store }) => {
  const append = createAuditAppend(store, hashOf)
  return createGroupCommit<NewAudit>(groupMax, async (group) => {
    await append(group)
    return []
  })
})

/** Appends an entry to the account's audit trail. */
export function recordAudit(ctx: Context, entry: AuditEntry): Promise<void> {
  const at = ctx.clock.now()
  return entryGroups(ctx)({ _id: newId('aud', at), ...entry, at, requestId: ctx.requestId })
}

/**
 * Verifies the hashes of an account's audit trail. Returns the number of valid entries, and in `broken` the number of
 * the first entry whose hash or predecessor does not match (null: none).
 */
export async function verifyAudit(
  ctx: Context,
  accountId: string,
): Promise<{ entries: number; broken: number | null }> {
  let entries = 0
  let previous: AuditDoc | null = null
  for (;;) {
    const page: AuditDoc[] = await walkAudit(ctx.store, accountId, (previous?.seq ?? 0) + 1, pageSize)
    for (const entry of page) {
      const { hash, ...body } = entry
      const follows = previous === null || (entry.seq === previous.seq + 1 && entry.previousHash === previous.hash)
      // What was erased can no longer be compared with its own hash, but still with its neighbours'.
      if (!follows || (entry.erased !== true && hash !== hashOf(body))) return { entries, broken: entry.seq }
      entries += 1
      previous = entry
    }
    if (page.length < pageSize) return { entries, broken: null }
  }
}

function hashOf(entry: Omit<AuditDoc, 'hash'>): string {
  const { _id, accountId, seq, at, keyId, action, target, outcome, address, requestId, previousHash } = entry
  return createHash('sha256')
    .update(
      JSON.stringify([
        _id,
        accountId,
        seq,
        at.toISOString(),
        keyId,
        action,
        target,
        outcome,
        address,
        requestId,
        previousHash,
      ]),
    )
    .digest('hex')
}
