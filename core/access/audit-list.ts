/** Reading the audit trail of an account. */
import { Failure } from '../../schemas/failures.ts'
import { notACursor } from '../../schemas/refusals.ts'
import { findKeys } from '../../store/accounts.ts'
import { type AuditFilter, listAudit as find } from '../../store/audit.ts'
import type { AuditChange, AuditDoc } from '../../store/documents/accounts.ts'
import { findPeople } from '../../store/people.ts'
import type { Context } from '../process/context.ts'
import { accountById } from './known-callers.ts'
import type { Page } from './paging.ts'
import { isAdministrator, isProgram, type Principal } from './principal.ts'

export type Who = {
  readonly kind: 'key' | 'program' | 'person' | 'partner' | 'administrator' | 'service'
  readonly id: string | null
  /** The name now; null without id, or when the key is gone, or the person is no member. */
  readonly name: string | null
}

export type AuditRecord = Pick<AuditDoc, 'at' | 'action' | 'outcome'> & {
  readonly id: string
  readonly who: Who
  /** Null when the action has no target, or when it was erased. */
  readonly target: string | null
  readonly address: string | null
  /** Details of an action that the reader may want to undo. */
  readonly change?: AuditChange
  /** Empty for an action that no request caused. */
  readonly requestId: string
}

export type AuditListing = Omit<AuditFilter, 'accountId'> & { readonly limit: number; readonly before?: string }

/** Fails with `forbidden` for an agent key, since the trail covers the whole account. */
function requireAuditReach({ kind }: Principal): void {
  if (kind !== 'account')
    throw new Failure('forbidden', 'Only account keys may read the audit trail.', {
      fix: 'Use an account key: an agent key reaches only its mailboxes, and the trail covers the whole account.',
    })
}

/** Lists the audit trail of the key's account, newest first. Fails with `forbidden`, `validation_error` (cursor). */
export async function listAudit(
  ctx: Context,
  principal: Principal,
  { limit, before, ...filter }: AuditListing,
): Promise<Page<AuditRecord>> {
  requireAuditReach(principal)
  const rows = await find(
    ctx.store,
    { ...filter, accountId: principal.accountId },
    { before: before === undefined ? null : readCursor(before), limit: limit + 1 },
  )
  const items = rows.slice(0, limit)
  const names = await namesOf(ctx, principal.accountId, items)
  return { items: items.map((row) => recordOf(row, names)), next: rows.length > limit ? cursorOf(items.at(-1)!) : null }
}

/** The names of the account's keys, programs and members in entries, by id. People who are no members may be administrators. */
async function namesOf(
  ctx: Context,
  accountId: string,
  rows: readonly AuditDoc[],
): Promise<ReadonlyMap<string, string>> {
  const ids = new Set(rows.flatMap(({ keyId, userId }) => userId ?? keyId ?? []))
  const { members = [] } = (await accountById(ctx, accountId)) ?? {}
  const memberIds = members.map(({ personId }) => personId).filter((id) => ids.has(id))
  const [keys, people] = await Promise.all([
    findKeys(ctx.store, { accountId, ids: [...ids] }),
    memberIds.length === 0 ? [] : findPeople(ctx.store, memberIds),
  ])
  return new Map([...keys, ...people].map(({ _id, name }) => [_id, name]))
}

function recordOf(
  { _id: id, at, keyId, userId, action, outcome, requestId, personal }: AuditDoc,
  names: ReadonlyMap<string, string>,
): AuditRecord {
  const who = whoOf({ keyId, userId, action })
  const { target = null, address = null, change } = personal ?? {}
  return {
    id,
    at,
    who: { ...who, name: names.get(who.id ?? '') ?? null },
    action,
    target,
    outcome,
    address,
    requestId,
    ...(change !== undefined && { change }),
  }
}

function whoOf({
  keyId,
  userId,
  action,
}: Pick<AuditDoc, 'keyId' | 'action'> & { userId?: string | undefined }): Omit<Who, 'name'> {
  if (userId !== undefined) return { kind: 'person', id: userId }
  if (keyId === null) return { kind: 'service', id: null }
  if (isAdministrator({ keyId })) return { kind: 'administrator', id: null }
  // A key of the account itself cannot call the operations of partners.
  if (action.startsWith('partner_')) return { kind: 'partner', id: keyId }
  return { kind: isProgram({ keyId }) ? 'program' : 'key', id: keyId }
}

const cursorOf = ({ seq }: AuditDoc) => Buffer.from(`aud ${seq}`).toString('base64url')

function readCursor(cursor: string): number {
  const [, seq] = /^aud (\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? []
  if (seq === undefined) throw notACursor('before')
  return Number(seq)
}
