/** `mailroom key`. */
import { createKey, listKeys, revokeKey } from '../core/access/keys.ts'
import { administrator } from '../core/access/principal.ts'
import { getAccount } from '../core/account/accounts.ts'
import { getMailbox } from '../core/mailbox/mailboxes.ts'
import { after, dayMs } from '../core/process/clock.ts'
import { Failure } from '../schemas/failures.ts'
import { agentScopes, allScopes, type KeyKind, keyKinds, type Scope } from '../schemas/scopes.ts'
import { withContext } from './admin-context.ts'
import { daysOf, itemsOf, oneOf } from './arguments.ts'
import { print } from './io.ts'

type CreateOptions = {
  readonly name: string
  readonly kind: string
  readonly scopes?: string
  readonly mailboxes?: string
  readonly days?: string
}

/** The key is shown this once. */
export const create = withContext(async (ctx, io, accountId: string, options: CreateOptions) => {
  const kind = oneOf(options.kind, keyKinds, '--kind')
  // A key that was to reach a few mailboxes must not come out as one that reaches all.
  if (kind === 'account' && options.mailboxes !== undefined)
    throw new Failure('validation_error', 'An account key reaches all mailboxes, so --mailboxes does not fit it.', {
      fix: 'Add --kind agent, or leave --mailboxes out.',
    })
  const scopes = scopesOf(options.scopes, kind)
  const expiresAt = options.days === undefined ? null : after(ctx.clock.now(), daysOf(options.days) * dayMs)
  const principal = administrator(await getAccount(ctx, accountId))
  const granted = await Promise.all(
    itemsOf(options.mailboxes ?? '').map((address) => getMailbox(ctx, principal, address)),
  )
  const mailboxIds = granted.map(({ id }) => id)
  const { apiKey, key } = await createKey(ctx, { accountId, kind, name: options.name, scopes, mailboxIds, expiresAt })
  print(io, { ...key, apiKey })
})

/** Those that are named; unnamed, all that the kind of key may hold. */
function scopesOf(list: string | undefined, kind: KeyKind): readonly Scope[] {
  if (list === undefined) return kind === 'agent' ? agentScopes : allScopes
  const scopes = itemsOf(list).map((scope) => oneOf(scope, allScopes, '--scopes'))
  if (scopes.length === 0)
    throw new Failure('validation_error', '--scopes names no scope.', {
      fix: `Name scopes (${allScopes.join(', ')}), or leave --scopes out for all that the kind may hold.`,
    })
  return scopes
}

export const list = withContext(async (ctx, io, account: string) => {
  const { id: accountId } = await getAccount(ctx, account)
  print(io, ...(await listKeys(ctx, accountId)))
})

export const revoke = withContext(async (ctx, _io, accountId: string, keyId: string) => {
  await revokeKey(ctx, { accountId, keyId })
})
