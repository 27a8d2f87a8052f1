/**
 * Login by SMTP and IMAP: a mailbox address with an app password, or with an API key (decisions.md 3, SMTP and IMAP
 * login).
 */
import { Failure } from '../../schemas/failures.ts'
import type { Scope } from '../../schemas/scopes.ts'
import type { MailboxDoc } from '../../store/documents/mail.ts'
import { noteKeyUse } from '../access/key-use.ts'
import { createKey, type Key, listKeys, revokeKey } from '../access/keys.ts'
import { limitLogins } from '../access/login-limits.ts'
import {
  type Authenticated,
  administrator,
  appPasswordPrefix,
  authenticateAny,
  type Principal,
} from '../access/principal.ts'
import { reachMailbox } from '../mailbox/mailboxes.ts'
import type { Context } from '../process/context.ts'
import { keyName } from './keys.ts'

/** Failures of a login whose password is right, which the caller may therefore see. */
const toldCodes: ReadonlySet<string> = new Set(['insufficient_scope', 'account_suspended', 'forbidden', 'unavailable'])

export type Login = {
  readonly principal: Principal
  readonly mailbox: MailboxDoc
  /** Checks the login again for later commands, since the key or the account may have ended. Fails as `logIn` does. */
  again(): Promise<Login>
}

/**
 * Checks a login. Returns its principal and mailbox. Fails with `rate_limited` (too many failed logins), `invalid_api_key` (address or
 * password wrong, without saying which), `insufficient_scope`, `account_suspended`, `forbidden` (a sandbox), `unavailable` (the account
 * is being moved).
 */
export async function logIn(
  ctx: Context,
  { user, password, scope, peerAddress }: { user: string; password: string; scope: Scope; peerAddress: string },
): Promise<Login> {
  const login = await limitLogins(ctx, { peerAddress, user }, () =>
    loginOf(ctx, { user, scope }, () => authenticateAny(ctx, password)),
  )
  noteKeyUse(ctx, login.principal, peerAddress)
  return login
}

type Wanted = { readonly user: string; readonly scope: Scope }

async function loginOf(ctx: Context, wanted: Wanted, authenticate: () => Promise<Authenticated>): Promise<Login> {
  const { user, scope } = wanted
  try {
    const { principal, again } = await authenticate()
    const mailbox = await reachMailbox(ctx, principal, user)
    if (!principal.scopes.includes(scope))
      throw new Failure('insufficient_scope', `This key lacks the scope ${scope}, which this login needs.`, {
        requiredScope: scope,
      })
    return {
      principal,
      mailbox,
      again: () => loginOf(ctx, wanted, async () => ({ principal: await again(), again })),
    }
  } catch (error) {
    if (!(error instanceof Failure) || toldCodes.has(error.code)) throw error
    throw new Failure('invalid_api_key', 'The address or the password is wrong.')
  }
}

/**
 * Creates an app password for one mailbox: for mail programs, not valid for the API. An app password of a person allows what the
 * person's role allows, as long as the person is a member of the account. Returns it in clear text, which is never shown again. Fails
 * with `mailbox_not_found`.
 */
export async function createAppPassword(
  ctx: Context,
  { account, address, name, personId }: OfMailbox & { name: string; personId?: string },
): Promise<{ password: string; keyId: string; name: string; createdAt: Date }> {
  const mailbox = await reachMailbox(ctx, administrator(account), address)
  const { apiKey, key } = await createKey(ctx, {
    accountId: account.id,
    kind: 'agent',
    name: keyName(name),
    mailboxIds: [mailbox._id],
    expiresAt: null,
    scopes: ['mail:read', 'mail:send', 'mail:write'],
    prefix: appPasswordPrefix,
    personId,
  })
  return { password: apiKey, keyId: key.id, name: key.name, createdAt: key.createdAt }
}

type OfMailbox = { readonly account: Principal['account']; readonly address: string }

/** The app passwords of a mailbox that are not revoked, oldest first. Fails with `mailbox_not_found`. */
export async function listAppPasswords(ctx: Context, { account, address }: OfMailbox): Promise<readonly Key[]> {
  const { _id } = await reachMailbox(ctx, administrator(account), address)
  const keys = await listKeys(ctx, account.id)
  return keys.filter(
    ({ use, mailboxIds, revokedAt }) => use === 'mail program' && mailboxIds?.includes(_id) && revokedAt === null,
  )
}

/** Revokes an app password of a mailbox at once, also for open logins. Fails with `mailbox_not_found`, `not_found`. */
export async function revokeAppPassword(
  ctx: Context,
  { account, address, keyId }: OfMailbox & { keyId: string },
): Promise<void> {
  const own = await listAppPasswords(ctx, { account, address })
  if (!own.some(({ id }) => id === keyId))
    throw new Failure('not_found', `There is no app password ${keyId} of ${address}.`, {
      fix: 'Use the id of an app password of this mailbox that is not revoked (key_...).',
    })
  await revokeKey(ctx, { accountId: account.id, keyId })
}

/** Revokes the app passwords of a person in an account, at once. */
export async function endAppPasswordsOf(
  ctx: Context,
  { accountId, personId }: { accountId: string; personId: string },
): Promise<void> {
  const own = (await listKeys(ctx, accountId)).filter((key) => key.personId === personId && key.revokedAt === null)
  for (const { id: keyId } of own) await revokeKey(ctx, { accountId, keyId })
}
