/** The audit trail: who did what, when, from where; each entry's hash covers the one before (decisions.md 4, Audit). */
import { createHash } from 'node:crypto'
import { newId } from '../../schemas/ids.ts'
import type { AuditDoc } from '../../store/documents/accounts.ts'
import { createAuditAppend, type NewAudit, walkAudit } from '../../store/records.ts'
import type { Context } from '../process/context.ts'
import { createGroupCommit } from '../process/group-commit.ts'
import { perProcess } from '../process/per-process.ts'

const groupMax = 200
const pageSize = 500

export type Entry = {
  readonly accountId: string
  readonly keyId: string | null
  readonly action: string
  readonly target: string | null
  readonly outcome: string
  readonly address: string | null
}

const entries = perProcess(({ store }) => {
  const append = createAuditAppend(store, hashOf)
  return createGroupCommit<NewAudit>(groupMax, async (group) => {
    await append(group)
    return []
  })
})

/** Appends an entry to the account's chain. */
export function recordAudit(ctx: Context, entry: Entry): Promise<void> {
  const at = ctx.clock.now()
  return entries(ctx)({ _id: newId('aud', at), ...entry, at, requestId: ctx.requestId })
}

/** Walks an account's chain. Returns the number of entries, and the first one whose hash does not fit. */
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
      if (!follows || hash !== hashOf(body)) return { entries, broken: entry.seq }
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
