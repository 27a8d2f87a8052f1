/** Authentication: turns a credential into a principal, which says what the caller may reach. */
import { Failure } from '../../schemas/failures.ts'
import { allScopes, type KeyKind, type Scope } from '../../schemas/scopes.ts'
import { findAccounts, findKeysByHash } from '../../store/accounts.ts'
import { fromBinary } from '../../store/bytes.ts'
import type { AccountDoc, KeyDoc } from '../../store/documents/accounts.ts'
import { createBatchedLookup } from '../process/batched-lookup.ts'
import type { Context } from '../process/context.ts'
import { likelyAnswer, noteAnswer } from '../process/likely-answers.ts'
import { perProcess } from '../process/per-process.ts'
import { hashCredential } from '../process/secrets.ts'
import { type Account, accountOf } from './account-record.ts'

export type Principal = {
  readonly kind: KeyKind
  readonly keyId: string
  readonly accountId: string
  readonly scopes: readonly Scope[]
  /** Mailboxes that the key may reach; null: all of the account. */
  readonly mailboxIds: readonly string[] | null
  readonly account: Account
}

export const liveKeyPrefix = 'svc_live_'
/** Prefix of app passwords: for mail programs, valid for one mailbox and not for the API. */
export const appPasswordPrefix = 'svc_app_'

/**
 * The principal of an API key or access token; app passwords are refused. Fails with `missing_api_key`,
 * `invalid_api_key`, `api_key_expired`, `invalid_access_token`, `partner_key_not_allowed` or `account_suspended`
 * (interface.md, Authentication).
 */
export async function authenticate(ctx: Context, credential: string): Promise<Principal> {
  if (credential.startsWith(appPasswordPrefix)) throw new Failure('invalid_api_key')
  return authenticateAny(ctx, credential)
}

/** As `authenticate`, but accepts app passwords too: for SMTP and IMAP. */
export async function authenticateAny(ctx: Context, credential: string): Promise<Principal> {
  if (credential === '') throw new Failure('missing_api_key')
  if (credential.startsWith('svc_oat_')) throw new Failure('invalid_access_token')
  if (credential.startsWith('svc_partner_')) throw new Failure('partner_key_not_allowed')
  const hash = hashCredential(credential)
  const name = hash.toString('base64')
  const likelyAccountId = likelyAnswer(ctx, 'account of key', name)
  const [key, likelyAccount] = await Promise.all([
    keyLookup(ctx)(name, (names) => loadKeys(ctx, names)),
    likelyAccountId === undefined ? null : accountById(ctx, likelyAccountId),
  ])
  if (key === undefined || key.revokedAt !== null) throw new Failure('invalid_api_key')
  if (key.expiresAt !== null && key.expiresAt <= ctx.clock.now()) throw new Failure('api_key_expired')
  const account = likelyAccountId === key.accountId ? likelyAccount : await accountById(ctx, key.accountId)
  noteAnswer(ctx, 'account of key', name, key.accountId)
  if (account === null || account.status === 'removed') throw new Failure('invalid_api_key')
  if (
    account.status === 'unclaimed' &&
    account.claimExpiresAt !== undefined &&
    account.claimExpiresAt <= ctx.clock.now()
  )
    throw new Failure('invalid_api_key')
  if (account.status === 'suspended') throw new Failure('account_suspended')
  return {
    kind: key.kind,
    keyId: key._id,
    accountId: key.accountId,
    scopes: key.scopes,
    mailboxIds: key.mailboxIds,
    account: accountOf(account),
  }
}

/** Requests that arrive together share one query. */
const keyLookup = perProcess(() => createBatchedLookup<KeyDoc>())
const accountLookup = perProcess(() => createBatchedLookup<AccountDoc>())

async function loadKeys(ctx: Context, names: readonly string[]): Promise<ReadonlyMap<string, KeyDoc>> {
  const found = await findKeysByHash(
    ctx.store,
    names.map((name) => Buffer.from(name, 'base64')),
  )
  return new Map(found.map((key) => [fromBinary(key.hash).toString('base64'), key]))
}

async function accountById(ctx: Context, accountId: string): Promise<AccountDoc | null> {
  const load = async (ids: readonly string[]) =>
    new Map((await findAccounts(ctx.store, ids)).map((account) => [account._id, account]))
  return (await accountLookup(ctx)(accountId, load)) ?? null
}

/** Fails with `insufficient_scope` when the key lacks the scope. */
export function requireScope(principal: Principal, scope: Scope): void {
  if (!principal.scopes.includes(scope))
    throw new Failure('insufficient_scope', `This key lacks the scope ${scope}, which this request needs.`, {
      requiredScope: scope,
    })
}

/** Whether the principal may reach a mailbox of its account. */
export function reaches(principal: Principal, mailboxId: string): boolean {
  return principal.mailboxIds === null || principal.mailboxIds.includes(mailboxId)
}

/** The response headers of an unclaimed account; none for others (interface.md, Claim headers). */
export function claimHeaders(account: Account): Readonly<Record<string, string>> {
  if (account.status !== 'unclaimed' || account.claimExpiresAt === null) return {}
  return { 'X-Service-Claim': 'required', 'X-Service-Claim-Expires': account.claimExpiresAt.toISOString() }
}

/** The principal of an administrator of this machine: acts on an account as a key with every scope. */
export function administrator(account: Account): Principal {
  return {
    kind: 'account',
    keyId: 'key_administrator',
    accountId: account.id,
    scopes: allScopes,
    mailboxIds: null,
    account,
  }
}
