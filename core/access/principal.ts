/** Authentication: turns a credential into a principal, which says what the caller may reach. */
import { Failure } from '../../schemas/failures.ts'
import { allScopes, type KeyKind, type Role, roles, type Scope } from '../../schemas/scopes.ts'
import type { AccountDoc, KeyDoc } from '../../store/documents/accounts.ts'
import { inTimeOf } from '../process/account-time.ts'
import type { Context } from '../process/context.ts'
import { hashCredential } from '../process/secrets.ts'
import { type Account, accountOf, isUnclaimed, requireAllowed } from './account-record.ts'
import { accountById, keyByHash } from './known-callers.ts'

export type Principal = {
  readonly kind: KeyKind
  /** Of the key; of the person (usr_...) who is signed in. */
  readonly keyId: string
  /** What the person is in the account who is signed in; null for a key. */
  readonly role: Role | null
  readonly accountId: string
  /** The account under whose id its idempotency marks lie, so that a repeat is one also after a claim into another account. */
  readonly marksUnder: string
  readonly scopes: readonly Scope[]
  /** Mailboxes that the key may reach; null: all of the account. */
  readonly mailboxIds: readonly string[] | null
  /** Whether what it sends waits for the approval of a person; such a caller approves nothing. */
  readonly waitsForApproval: boolean
  readonly account: Account
}

export type Authenticated = {
  readonly principal: Principal
  /** Finds the principal once more. Fails when the key or the account has ended meanwhile. */
  again(): Promise<Principal>
}

export const liveKeyPrefix = 'svc_live_'
/** Prefix of the keys that act on a sandbox. */
export const testKeyPrefix = 'svc_test_'
/** Prefix of app passwords: for mail programs, valid for one mailbox and not for the API. */
export const appPasswordPrefix = 'svc_app_'

/**
 * The principal of an API key or access token; app passwords are refused. That of a suspended account is found too: the door
 * refuses it by `requireAllowed` when it has told its request rate. Fails with `missing_api_key`, `invalid_api_key`,
 * `api_key_expired`, `invalid_access_token` or `partner_key_not_allowed` (interface.md, Authentication).
 */
export async function authenticate(ctx: Context, credential: string): Promise<Principal> {
  if (credential.startsWith(appPasswordPrefix)) throw new Failure('invalid_api_key')
  return principalOf(ctx, credential)
}

/**
 * For SMTP and IMAP: as `authenticate`, but accepts app passwords too. Fails with `account_suspended`, and with `forbidden`
 * for what belongs to a sandbox.
 */
export async function authenticateAny(ctx: Context, credential: string): Promise<Authenticated> {
  const toLogIn = (principal: Principal) => {
    requireAllowed(principal.account, 'logIn')
    if (principal.account.sandbox)
      throw new Failure('forbidden', 'A sandbox has no logins: its keys are for the API.', {
        fix: 'Log in with an app password or a key of the account itself.',
      })
    return principal
  }
  const hash = hashCredential(credential).toString('base64')
  const principal = toLogIn(await principalOf(ctx, credential))
  return { principal, again: async () => toLogIn(await principalOfHash(ctx, hash)) }
}

/** Fails with `forbidden` unless the principal acts on a sandbox. */
export function requireSandbox({ account }: Principal): void {
  if (!account.sandbox)
    throw new Failure('forbidden', 'Only a test key may do this: it acts on a sandbox of the account.', {
      fix: `Use a key that begins with ${testKeyPrefix}; whoever administers the account makes one.`,
    })
}

async function principalOf(ctx: Context, credential: string): Promise<Principal> {
  if (credential === '') throw new Failure('missing_api_key')
  if (credential.startsWith('svc_oat_')) throw new Failure('invalid_access_token')
  if (credential.startsWith('svc_partner_')) throw new Failure('partner_key_not_allowed')
  return principalOfHash(ctx, hashCredential(credential).toString('base64'))
}

async function principalOfHash(ctx: Context, hash: string): Promise<Principal> {
  const key = await keyByHash(ctx, hash)
  if (key === undefined || key.revokedAt !== null) throw new Failure('invalid_api_key')
  const now = inTimeOf(ctx, key.accountId).clock.now()
  if (key.expiresAt !== null && key.expiresAt <= now) throw new Failure('api_key_expired')
  const account = await accountById(ctx, key.accountId)
  if (account === undefined || account.status === 'removed') throw new Failure('invalid_api_key')
  if (account.status === 'moved')
    throw new Failure('unavailable', 'The account is being claimed; in a moment the key works as before.', {
      retryAfter: 1,
    })
  if (account.status === 'unclaimed' && account.claimExpiresAt !== undefined && account.claimExpiresAt <= now)
    throw new Failure('invalid_api_key')
  return {
    kind: key.kind,
    keyId: key._id,
    role: null,
    accountId: key.accountId,
    marksUnder: key.movedFrom ?? key.accountId,
    scopes: key.scopes,
    mailboxIds: key.mailboxIds,
    waitsForApproval: key.approval === 'required' || (account.approval === 'required' && isAgent(key)),
    account: accountOf(account),
  }
}

/** Whether a key is an agent's: app passwords reach one mailbox too, and are for the mail program of a person. */
const isAgent = ({ kind, prefix }: KeyDoc) => kind === 'agent' && prefix !== appPasswordPrefix

/** The principal of a person in an account: reaches all of it, with the scopes of the role; null for who is no member. */
export function memberPrincipal(doc: AccountDoc, personId: string): Principal | null {
  const member = doc.members?.find((each) => each.personId === personId)
  if (member === undefined || doc.status === 'removed' || doc.status === 'moved') return null
  const { role } = member
  return {
    kind: 'account',
    keyId: personId,
    role,
    accountId: doc._id,
    marksUnder: doc._id,
    scopes: roles[role],
    mailboxIds: null,
    waitsForApproval: false,
    account: accountOf(doc),
  }
}

/** Fails with `insufficient_scope` when the key lacks the scope. */
export function requireScope(principal: Principal, scope: Scope): void {
  if (!principal.scopes.includes(scope))
    throw new Failure(
      'insufficient_scope',
      `${principal.role === null ? 'This key' : `The role ${principal.role}`} lacks the scope ${scope}, which this request needs.`,
      { requiredScope: scope },
    )
}

/** Whether the principal may reach a mailbox of its account. */
export function reaches(principal: Principal, mailboxId: string): boolean {
  return principal.mailboxIds === null || principal.mailboxIds.includes(mailboxId)
}

/** The response headers of an unclaimed account; none for others (interface.md, Claim headers). */
export function claimHeaders(account: Account): Readonly<Record<string, string>> {
  if (!isUnclaimed(account) || account.claimExpiresAt === null) return {}
  return { 'X-Service-Claim': 'required', 'X-Service-Claim-Expires': account.claimExpiresAt.toISOString() }
}

/** Stands for a key where an administrator acts. */
export const administratorId = 'key_administrator'

/** Whether the principal is an administrator of this machine, who has no key. */
export const isAdministrator = ({ keyId }: Pick<Principal, 'keyId'>): boolean => keyId === administratorId

/** The principal of an administrator of this machine: acts on an account as a key with every scope. */
export function administrator(account: Account): Principal {
  return {
    kind: 'account',
    keyId: administratorId,
    role: null,
    accountId: account.id,
    marksUnder: account.id,
    scopes: allScopes,
    mailboxIds: null,
    waitsForApproval: false,
    account,
  }
}
