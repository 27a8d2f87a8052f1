/** Grants: what a person allows a program to do by OAuth. They are made on the consent page, listed, and ended. */
import { Failure } from '../../schemas/failures.ts'
import type { Id } from '../../schemas/ids.ts'
import type { KeyKind, Scope } from '../../schemas/scopes.ts'
import { insertKey } from '../../store/accounts.ts'
import { toBinary } from '../../store/bytes.ts'
import type { KeyDoc, ProgramDoc } from '../../store/documents/accounts.ts'
import * as store from '../../store/oauth.ts'
import { isDuplicate } from '../../store/open.ts'
import { turnOffWithKey } from '../../store/webhooks.ts'
import { after, minuteMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { accessTokenPrefix, grantHash, resourceOf } from './access-tokens.ts'
import { callersChanged } from './known-callers.ts'

/** Grants that an account may have; they are listed without pages. */
const grantsMax = 500
/** How long a grant waits for its first token. */
const unusedMs = 15 * minuteMs

export type NewGrant = {
  /** The same for every answer to one authorization request, so that a repeat makes no second grant. */
  readonly id: Id<'gnt'>
  readonly accountId: string
  readonly personId: string
  readonly clientId: string
  /** What the program calls itself. */
  readonly name: string
  readonly redirectsTo: string
  readonly scopes: readonly Scope[]
  /** The only mailboxes that the program reaches; null: all mailboxes of the account. */
  readonly mailboxIds: readonly string[] | null
}

export type Grant = Pick<KeyDoc, 'accountId' | 'name' | 'kind' | 'scopes' | 'mailboxIds' | 'createdAt'> &
  ProgramDoc & {
    readonly id: string
    /** When the grant ends, unless the program renews it by using it. */
    readonly endsAt: Date
    readonly lastUsed: { readonly at: Date; readonly address: string } | null
  }

/** Makes a grant. Returns false when it already exists. Fails with `conflict` when the account has as many grants as it may have. */
export async function createGrant(ctx: Context, wanted: NewGrant): Promise<boolean> {
  const { id, accountId, personId, clientId, name, redirectsTo, scopes, mailboxIds } = wanted
  const at = ctx.clock.now()
  const grants = await listGrants(ctx, { accountId, personId: null })
  if (grants.some((grant) => grant.id === id)) return false
  if (grants.length >= grantsMax)
    throw new Failure('conflict', `At most ${grantsMax} programs can be connected to an account.`, {
      fix: 'Disconnect one that is not needed.',
    })
  const kind: KeyKind = mailboxIds === null ? 'account' : 'agent'
  const doc: KeyDoc = {
    _id: id,
    accountId,
    hash: toBinary(grantHash(ctx, id)),
    prefix: accessTokenPrefix,
    kind,
    name,
    scopes,
    mailboxIds,
    createdAt: at,
    expiresAt: after(at, unusedMs),
    revokedAt: null,
    program: { personId, clientId, redirectsTo, resource: resourceOf(ctx) },
  }
  try {
    await insertKey(ctx.store, doc)
    return true
  } catch (error) {
    if (isDuplicate(error)) return false
    throw error
  }
}

/** The grants of an account that have not ended, oldest first: all of them, or those of one person. */
export async function listGrants(
  ctx: Context,
  { accountId, personId }: { accountId: string; personId: string | null },
): Promise<readonly Grant[]> {
  const found = await store.listGrants(ctx.store, { accountId, personId, now: ctx.clock.now(), limit: grantsMax })
  return found.map(grantOf)
}

/** Ends a grant at once, in every process, with its tokens and webhook endpoints. Returns false when it had already ended. */
export async function endGrant(
  ctx: Context,
  { accountId, grantId }: { accountId: string; grantId: string },
): Promise<boolean> {
  const at = ctx.clock.now()
  if (!(await store.revokeGrant(ctx.store, { accountId, grantId, at }))) return false
  await turnOffWithKey(ctx.store, { accountId, agentKeyId: grantId, at })
  ctx.changes.publish({ kind: 'keys', keyIds: [grantId] })
  ctx.changes.publish({ kind: 'webhooks', accountIds: [accountId] })
  await callersChanged(ctx, { keyIds: [grantId] })
  return true
}

/** Ends the grants that a person made in an account, for when the person leaves it. */
export async function endGrantsOf(
  ctx: Context,
  { accountId, personId }: { accountId: string; personId: string },
): Promise<void> {
  const grants = await listGrants(ctx, { accountId, personId })
  await Promise.all(grants.map(({ id: grantId }) => endGrant(ctx, { accountId, grantId })))
}

function grantOf(doc: KeyDoc): Grant {
  const { _id: id, accountId, name, kind, scopes, mailboxIds, createdAt, expiresAt, lastUsed = null, program } = doc
  if (program === undefined || expiresAt === null) throw new Error(`The key ${id} is no grant.`)
  return { id, accountId, name, kind, scopes, mailboxIds, createdAt, endsAt: expiresAt, lastUsed, ...program }
}
