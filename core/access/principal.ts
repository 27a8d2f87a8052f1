/** Authentication: turns a credential into a principal, which says what the caller may reach. */
import { Failure, type FailureDetail } from '../../schemas/failures.ts'
import { type PartnerMode, partnerKeyPrefixes, partnerModes } from '../../schemas/partners.ts'
import { agentScopes, allScopes, type KeyKind, type Role, roles, type Scope } from '../../schemas/scopes.ts'
import type { AccountDoc, KeyDoc } from '../../store/documents/accounts.ts'
import { inTimeOf } from '../process/account-time.ts'
import type { Context } from '../process/context.ts'
import { hashCredential } from '../process/secrets.ts'
import { accessTokenPrefix, findAccessToken } from './access-tokens.ts'
import { type Account, accountOf, isUnclaimed, requireAllowed } from './account-record.ts'
import { accountById, keyByHash } from './known-callers.ts'

export type Principal = {
  readonly kind: KeyKind
  /** The id of the key, of the program's grant (gnt_...), or of the signed-in person (usr_...). */
  readonly keyId: string
  /** The hash by which the database finds the key or grant; null for a signed-in person. */
  readonly keyHash: KeyDoc['hash'] | null
  /** The role in the account of the signed-in person, or of the person for whom a program acts; null for a key. */
  readonly role: Role | null
  readonly accountId: string
  /** The account id under which its idempotency marks are stored: a repeat is recognised even after a claim into another account. */
  readonly marksUnder: string
  readonly scopes: readonly Scope[]
  /** Mailboxes that the key may reach; null: all mailboxes of the account. */
  readonly mailboxIds: readonly string[] | null
  /** Whether its sends wait for the approval of a person; such a caller cannot approve anything. */
  readonly waitsForApproval: boolean
  readonly account: Account
  /** Only for a partner's key, which reaches accounts through the partner API alone: whether it acts on real or on test customers. */
  readonly partnerMode?: PartnerMode
  /** Only for a customer's key that its partner holds: every request with it is audited. */
  readonly heldBy?: 'partner'
  /** Only for a key that expires, or a key of an account that ends unless it is claimed: the earlier of the two times. */
  readonly endsAt?: Date
}

export type Authenticated = {
  readonly principal: Principal
  /** Finds the principal again. Fails when the key or the account has ended since. */
  again(): Promise<Principal>
}

export const liveKeyPrefix = 'svc_live_'
/** Prefix of keys that act on a sandbox. */
export const testKeyPrefix = 'svc_test_'
/** Prefix of app passwords, which are for mail programs: valid for one mailbox, and not for the API. */
export const appPasswordPrefix = 'svc_app_'

/** The API that a request is for: only the partner API accepts the keys of partners. */
export type Api = 'api' | 'partner'

/**
 * The principal of an API key or access token; app passwords are refused. A key of a suspended account has a principal too: the door
 * refuses it by `requireAllowed`, after it has counted the request. Fails with `missing_api_key`, `invalid_api_key`,
 * `api_key_expired`, `invalid_access_token` or `partner_key_not_allowed` (interface.md, Authentication).
 */
export async function authenticate(ctx: Context, credential: string, api: Api = 'api'): Promise<Principal> {
  if (credential.startsWith(appPasswordPrefix)) throw new Failure('invalid_api_key')
  const mode = partnerModes.find((each) => credential.startsWith(partnerKeyPrefixes[each]))
  if (api === 'api' || mode === undefined) return principalOf(ctx, credential)
  return { ...(await principalOfHash(ctx, hashCredential(credential).toString('base64'))), partnerMode: mode }
}

/**
 * For SMTP and IMAP: as `authenticate`, but accepts app passwords too. Fails with `account_suspended`, and with `forbidden` for a key
 * of a sandbox.
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
  if (credential.startsWith(accessTokenPrefix))
    throw new Failure('invalid_access_token', 'Mail programs log in with an app password or a key.')
  const hash = hashCredential(credential).toString('base64')
  const principal = toLogIn(await principalOf(ctx, credential))
  return { principal, again: async () => toLogIn(await principalOfHash(ctx, hash)) }
}

/** Whether a program acts for a person, by an access token. */
export const isProgram = ({ keyId }: Pick<Principal, 'keyId'>): boolean => keyId.startsWith('gnt_')

/** Whether the id of a caller is that of a person who is signed in. */
export const isPerson = (keyId: string | null): keyId is string => keyId?.startsWith('usr_') === true

/** The failure of a caller whose key, grant or session ended during its request. */
export function endedCaller(principal: Pick<Principal, 'keyId'>): Failure {
  if (isProgram(principal)) return new Failure('invalid_access_token')
  if (!isPerson(principal.keyId)) return new Failure('invalid_api_key')
  return new Failure('unauthorized', 'The session has ended, or its person is no longer a member of the account.', {
    fix: 'Sign in again.',
  })
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
  if (credential.startsWith('svc_partner_')) throw new Failure('partner_key_not_allowed')
  if (credential.startsWith(accessTokenPrefix)) return principalOfToken(ctx, credential)
  return principalOfHash(ctx, hashCredential(credential).toString('base64'))
}

/** A program has the scopes of its grant that both its token and the person's current role include. */
async function principalOfToken(ctx: Context, credential: string): Promise<Principal> {
  const token = await findAccessToken(ctx, credential)
  if (token === null) throw new Failure('invalid_access_token')
  const { personId } = token.program
  const { doc, principal } = await principalOfKey(ctx, token.grant, 'invalid_access_token')
  const role = roleIn(doc, personId)
  if (role === undefined) throw new Failure('invalid_access_token')
  return { ...principal, role, scopes: scopesUnder(role, principal).filter((scope) => token.scopes.includes(scope)) }
}

const roleIn = ({ members }: AccountDoc, personId: string): Role | undefined =>
  members?.find((member) => member.personId === personId)?.role

/**
 * Whether the person behind a credential is still a member of the account: app passwords and the grants of programs end with the
 * membership. True for a key that belongs to no person.
 */
export function isOfAccount({ personId, program }: KeyDoc, doc: AccountDoc | undefined): boolean {
  const maker = personId ?? program?.personId
  return maker === undefined || (doc !== undefined && roleIn(doc, maker) !== undefined)
}

/** The scopes of a person's credential that the current role of the person includes. */
function scopesUnder(role: Role, { scopes }: Pick<Principal, 'scopes'>): readonly Scope[] {
  const allowed: readonly Scope[] = roles[role]
  return scopes.filter((scope) => allowed.includes(scope))
}

async function principalOfHash(ctx: Context, hash: string): Promise<Principal> {
  const key = await keyByHash(ctx, hash)
  if (key === undefined) throw new Failure('invalid_api_key')
  const { doc, principal } = await principalOfKey(ctx, key, 'invalid_api_key')
  if (key.personId === undefined) return principal
  const role = roleIn(doc, key.personId)
  if (role === undefined) throw new Failure('invalid_api_key')
  return { ...principal, scopes: scopesUnder(role, principal) }
}

async function principalOfKey(
  ctx: Context,
  key: KeyDoc,
  invalid: 'invalid_api_key' | 'invalid_access_token',
): Promise<{ readonly principal: Principal; readonly doc: AccountDoc }> {
  const now = inTimeOf(ctx, key.accountId).clock.now()
  // Before `revokedAt`, because an expired key is also revoked when other keys need its place, and must be reported as expired.
  if (key.expiresAt !== null && key.expiresAt <= now)
    throw new Failure(key.program === undefined ? 'api_key_expired' : invalid)
  if (key.revokedAt !== null) throw new Failure(invalid)
  const doc = await accountById(ctx, key.accountId)
  if (doc === undefined || doc.status === 'removed') throw new Failure(invalid)
  if (doc.status === 'moved')
    throw new Failure(
      'unavailable',
      'The account is being claimed into another one; the key works again in a moment.',
      {
        retryAfter: 1,
      },
    )
  if (doc.status === 'unclaimed' && doc.claimExpiresAt !== undefined && doc.claimExpiresAt <= now)
    throw new Failure(invalid)
  const principal: Principal = {
    kind: key.kind,
    keyId: key._id,
    keyHash: key.hash,
    role: null,
    accountId: key.accountId,
    marksUnder: key.movedFrom ?? key.accountId,
    scopes: key.scopes,
    mailboxIds: key.mailboxIds,
    waitsForApproval: key.approval === 'required' || (doc.approval === 'required' && isAgent(key)),
    account: accountOf(doc),
    ...(key.heldBy !== undefined && { heldBy: key.heldBy }),
    ...endOf(key, doc),
  }
  return { principal, doc }
}

function endOf({ expiresAt }: KeyDoc, { status, claimExpiresAt }: AccountDoc): Pick<Principal, 'endsAt'> {
  const ends = [expiresAt, status === 'unclaimed' ? claimExpiresAt : null]
  const times = ends.filter((end) => end instanceof Date).map((end) => end.getTime())
  return times.length === 0 ? {} : { endsAt: new Date(Math.min(...times)) }
}

/**
 * Whether a key is an agent's. App passwords are of kind `agent` too, but belong to the mail program of a person; a program connected
 * by OAuth is an agent whatever it reaches.
 */
const isAgent = ({ kind, prefix, program }: KeyDoc) =>
  program !== undefined || (kind === 'agent' && prefix !== appPasswordPrefix)

/** The principal of a person in an account: reaches all of it, with the scopes of the role. Null for a person who is no member. */
export function memberPrincipal(doc: AccountDoc, personId: string): Principal | null {
  const role = roleIn(doc, personId)
  if (role === undefined || doc.status === 'removed' || doc.status === 'moved') return null
  return {
    kind: 'account',
    keyId: personId,
    keyHash: null,
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
    throw lackOf(principal, scope, `${holderOf(principal)} lacks the scope ${scope}, which this request needs.`)
}

/** `insufficient_scope` for a scope that the principal lacks. */
export function lackOf(principal: Principal, scope: Scope, message: string): Failure {
  return new Failure('insufficient_scope', message, { requiredScope: scope, ...wayToMore(principal, scope) })
}

/** The fix for a missing scope, where a new key of the same kind would not help. */
function wayToMore(principal: Principal, scope: Scope): FailureDetail {
  const needsAccount = principal.kind === 'agent' && !agentScopes.includes(scope)
  if (isProgram(principal))
    return {
      fix: `Authorise again${needsAccount ? ' for all mailboxes' : ''} and ask for this scope; a person of the account grants it.`,
    }
  if (principal.role !== null) return { fix: 'Ask an owner of the account to do it, or to give you another role.' }
  return needsAccount ? { fix: 'Use an account key that has the scope; agent keys cannot have it.' } : {}
}

function holderOf(principal: Principal): string {
  if (isProgram(principal)) return 'This access token'
  return principal.role === null ? 'This key' : `The role ${principal.role}`
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

/** The `keyId` of an administrator, who has no key. */
export const administratorId = 'key_administrator'

/** Whether the principal is an administrator on the command line of this machine. */
export const isAdministrator = ({ keyId }: Pick<Principal, 'keyId'>): boolean => keyId === administratorId

/** The principal of an administrator of this machine, who acts on an account like a key with every scope. */
export function administrator(account: Account): Principal {
  return {
    kind: 'account',
    keyId: administratorId,
    keyHash: null,
    role: null,
    accountId: account.id,
    marksUnder: account.id,
    scopes: allScopes,
    mailboxIds: null,
    waitsForApproval: false,
    account,
  }
}
