/** The audit trail: who did what, when, from where; each entry's hash covers the one before (decisions.md 4, Audit). */
import { createHash } from 'node:crypto'
import { newId } from '../schemas/ids.ts'
import type { AuditDoc } from '../store/documents/accounts.ts'
import { appendAudit, walkAudit } from '../store/records.ts'
import type { Context } from './context.ts'

const triesMax = 20
const pageSize = 500

export type Entry = {
  readonly accountId: string
  readonly keyId: string | null
  readonly action: string
  readonly target: string | null
  readonly outcome: string
  readonly address: string | null
}

/** The last entry's turn of each account in this process: its own entries never race each other. */
const turns = new WeakMap<object, Map<string, Promise<void>>>()

/** Appends an entry to the account's chain. */
export async function recordAudit(ctx: Context, entry: Entry): Promise<void> {
  const own = turns.get(ctx.store) ?? new Map<string, Promise<void>>()
  turns.set(ctx.store, own)
  const turn = (own.get(entry.accountId) ?? Promise.resolve()).then(() => append(ctx, entry))
  const settled = turn.catch(() => undefined)
  own.set(entry.accountId, settled)
  await turn.finally(() => {
    if (own.get(entry.accountId) === settled) own.delete(entry.accountId)
  })
}

async function append(ctx: Context, entry: Entry): Promise<void> {
  const at = ctx.clock.now()
  const seal = (previous: AuditDoc | null): AuditDoc => {
    const body = {
      _id: newId('aud', at),
      ...entry,
      seq: (previous?.seq ?? 0) + 1,
      at,
      requestId: ctx.requestId,
      previousHash: previous?.hash ?? '',
    }
    return { ...body, hash: hashOf(body) }
  }
  for (let tries = 0; tries < triesMax; tries++) if (await appendAudit(ctx.store, entry.accountId, seal)) return
  throw new Error(`No place in the audit chain of ${entry.accountId} after ${triesMax} tries.`)
}

/** Walks an account's chain. Answers the number of entries, and the first one whose hash does not fit. */
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
