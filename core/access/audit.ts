/**
 * The audit trail of an account: who did what, when and from where (decisions.md 4, Audit). Invariants: entries are numbered without
 * gaps, and the hash of each covers the hash of the entry before it. Times never go back, so that expiry after a year removes the
 * beginning of the chain, and the rest can be verified from its oldest entry on. Names (key, person, request, address, target) are not
 * hashed directly but by a salted digest. A person is erased by deleting address and target together with the salt; without the salt
 * the digest reveals nothing, and every hash stays valid.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Id, newId } from '../../schemas/ids.ts'
import * as store from '../../store/audit.ts'
import { isUnchanged, type NewAudit } from '../../store/audit-hash.ts'
import type { AuditChange, AuditDoc } from '../../store/documents/accounts.ts'
import { inTimeOf } from '../process/account-time.ts'
import { secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { isAway } from '../process/database-away.ts'
import { createGroupCommit, isolateFailures } from '../process/group-commit.ts'
import { perProcess } from '../process/per-process.ts'
import { administratorId, isPerson } from './principal.ts'

const groupMax = 200
/** Entries that wait in memory for a database that is away. */
const keptMax = 10_000
/** How long failing writes are repeated; at each one the driver itself waits for a server. */
const keptMs = 30 * secondMs
const pauseMs = secondMs / 2
const pageSize = 500

export type { AuditChange } from '../../store/documents/accounts.ts'

/** An action to record in the audit trail. */
export type AuditEntry = {
  /** Recording the same id again adds no second entry. Default: a fresh id. */
  readonly id?: Id<'aud'>
  readonly accountId: string
  /** When it was done. Default: now, by the clock of the account. */
  readonly at?: Date
  /** Who did it: a key, or the person (usr_...) who was signed in; null for the service itself. */
  readonly keyId: string | null
  readonly action: string
  readonly target: string | null
  /** `done`, or the code of the failure. */
  readonly outcome: string
  readonly address: string | null
  readonly change?: AuditChange
}

const entryGroups = perProcess(({ store: db }) => {
  const append = store.createAuditAppend(db)
  const write = isolateFailures<NewAudit, void>(async (group) => {
    await append(group)
    return []
  })
  return createGroupCommit<NewAudit>(groupMax, write)
})

/** Entries that could not be written because the database was away, and are tried again in the background. */
const keptEntries = perProcess((process) => {
  const { background } = process
  const waiting: { readonly entry: NewAudit; readonly log: Context['log'] }[] = []
  let running = false

  async function run(): Promise<void> {
    let until = performance.now() + keptMs
    while (waiting.length > 0) {
      await sleep(pauseMs)
      const group = waiting.slice(0, groupMax)
      const results = await Promise.allSettled(group.map(({ entry }) => entryGroups(process)(entry)))
      if (results.some(({ status }) => status === 'fulfilled')) until = performance.now() + keptMs
      const kept = group.filter(({ entry, log }, n) => {
        const result = results[n]!
        if (result.status === 'fulfilled') return false
        if (isAway(result.reason) && performance.now() < until) return true
        lost(log, entry, result.reason)
        return false
      })
      waiting.splice(0, group.length, ...kept)
    }
    running = false
  }

  return {
    /** Returns false when too many wait already. */
    async keep(entry: NewAudit, log: Context['log']): Promise<boolean> {
      if (waiting.length >= keptMax) return false
      waiting.push({ entry, log })
      if (running) return true
      running = true
      // The owner is no account, so no request waits for it: while nothing can be written, accounts can still be read.
      await background.begin('audit', run)
      return true
    },
  }
})

/** Appends an entry to the account's audit trail, with the time of the account. */
export function recordAudit(ctx: Context, entry: AuditEntry): Promise<void> {
  return entryGroups(ctx)(documentOf(ctx, entry))
}

/**
 * As `recordAudit`, for an action that was already done or refused. An entry that cannot be written while the database is away is tried
 * again in the background, under the same id, so that it is written once. Never rejects; a lost entry is logged.
 */
export async function noteAudit(ctx: Context, entry: AuditEntry): Promise<void> {
  const doc = documentOf(ctx, entry)
  try {
    await entryGroups(ctx)(doc)
  } catch (error) {
    if (!isAway(error) || !(await keptEntries(ctx).keep(doc, ctx.log))) lost(ctx.log, doc, error)
  }
}

function lost(log: Context['log'], { accountId, action, requestId }: NewAudit, err: unknown): void {
  log.error({ err, accountId, action, requestId }, 'an audit entry was lost')
}

function documentOf(
  ctx: Context,
  {
    id,
    accountId,
    at = inTimeOf(ctx, accountId).clock.now(),
    keyId,
    action,
    target,
    outcome,
    address,
    change,
  }: AuditEntry,
): NewAudit {
  return {
    _id: id ?? newId('aud', at),
    accountId,
    at,
    ...(isPerson(keyId) ? { keyId: null, userId: keyId } : { keyId }),
    action,
    outcome,
    requestId: ctx.requestId,
    personal: { target, address, ...(change !== undefined && { change }) },
  }
}

/** Appends an entry for what an administrator did on the command line. */
export function recordAdministration(
  ctx: Context,
  { accountId, action, target }: Pick<AuditEntry, 'accountId' | 'action' | 'target'>,
): Promise<void> {
  return recordAudit(ctx, { accountId, keyId: administratorId, action, target, outcome: 'done', address: null })
}

/** How an entry breaks the chain: it does not follow the one before it, or its content is not what was hashed. */
export type AuditBreak = { readonly seq: number; readonly why: 'order' | 'content' }

export type AuditVerdict = {
  /** Valid entries before the first break. */
  readonly entries: number
  readonly first: number | null
  /** The last valid entry. A copy of its hash kept elsewhere also reveals that the end of the chain was cut off. */
  readonly last: { readonly seq: number; readonly hash: string } | null
  readonly broken: AuditBreak | null
}

/** Verifies the audit trail of an account, from its oldest entry on. */
export async function verifyAudit(ctx: Context, accountId: string): Promise<AuditVerdict> {
  let entries = 0
  let first: number | null = null
  let previous: AuditDoc | null = null
  for (;;) {
    const page: AuditDoc[] = await store.walkAudit(ctx.store, accountId, (previous?.seq ?? 0) + 1, pageSize)
    for (const entry of page) {
      const why = breakOf(entry, previous)
      if (why !== null) return { entries, first, last: endOf(previous), broken: { seq: entry.seq, why } }
      entries += 1
      first ??= entry.seq
      previous = entry
    }
    if (page.length < pageSize) return { entries, first, last: endOf(previous), broken: null }
  }
}

const endOf = (entry: AuditDoc | null) => (entry === null ? null : { seq: entry.seq, hash: entry.hash })

function breakOf(entry: AuditDoc, previous: AuditDoc | null): AuditBreak['why'] | null {
  const { seq, previousHash } = entry
  const follows =
    previous === null ? seq > 1 || previousHash === '' : seq === previous.seq + 1 && previousHash === previous.hash
  if (!follows) return 'order'
  return isUnchanged(entry) ? null : 'content'
}
