/**
 * Login by SMTP and IMAP: a mailbox address with an app password, or with an API key (decisions.md 3, SMTP and IMAP
 * login).
 */
import { Failure } from '../../schemas/failures.ts'
import type { Scope } from '../../schemas/scopes.ts'
import type { MailboxDoc } from '../../store/documents/mail.ts'
import { createKey } from '../access/keys.ts'
import { limitLogins } from '../access/login-limits.ts'
import { administrator, appPasswordPrefix, authenticateAny, type Principal } from '../access/principal.ts'
import { reachMailbox } from '../mailbox/mailboxes.ts'
import type { Context } from '../process/context.ts'

export type Login = { readonly principal: Principal; readonly mailbox: MailboxDoc }

/**
 * Checks a login. Returns its principal and mailbox. Fails with `rate_limited` (too many failed logins from
 * `peerAddress`), `invalid_api_key` (address or password wrong, without telling which), `insufficient_scope`,
 * `account_suspended`.
 */
export function logIn(
  ctx: Context,
  { user, password, scope, peerAddress }: { user: string; password: string; scope: Scope; peerAddress: string },
): Promise<Login> {
  return limitLogins(ctx, { peerAddress, user }, () => checkLogin(ctx, { user, password, scope }))
}

async function checkLogin(
  ctx: Context,
  { user, password, scope }: { user: string; password: string; scope: Scope },
): Promise<Login> {
  try {
    const principal = await authenticateAny(ctx, password)
    const mailbox = await reachMailbox(ctx, principal, user)
    if (!principal.scopes.includes(scope))
      throw new Failure('insufficient_scope', `This key lacks the scope ${scope}, which this login needs.`, {
        requiredScope: scope,
      })
    return { principal, mailbox }
  } catch (error) {
    if (!(error instanceof Failure) || error.code === 'insufficient_scope' || error.code === 'account_suspended')
      throw error
    throw new Failure('invalid_api_key', 'The address or the password is wrong.')
  }
}

/**
 * Creates an app password for one mailbox: for mail programs, not valid for the API. Returns it in clear text, which is
 * never shown again. Fails with `mailbox_not_found`.
 */
export async function createAppPassword(
  ctx: Context,
  { account, address, name }: { account: Principal['account']; address: string; name: string },
): Promise<{ password: string; keyId: string }> {
  const mailbox = await reachMailbox(ctx, administrator(account), address)
  const { apiKey, key } = await createKey(
    ctx,
    {
      accountId: account.id,
      kind: 'agent',
      name,
      mailboxIds: [mailbox._id],
      expiresAt: null,
      scopes: ['mail:read', 'mail:send', 'mail:write'],
    },
    appPasswordPrefix,
  )
  return { password: apiKey, keyId: key.id }
}
