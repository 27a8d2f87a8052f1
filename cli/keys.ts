/** `mailroom key`. */
import { recordAdministration } from '../core/access/audit.ts'
import { revokeKey, rotateKey } from '../core/access/keys.ts'
import { getAccount } from '../core/account/accounts.ts'
import { describeKeys, issueKey } from '../core/account/keys.ts'
import { issueTestKey } from '../core/account/sandboxes.ts'
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
  readonly approval?: boolean
  readonly test?: boolean
}

/** The key is shown only once. */
export const create = withContext(async (ctx, io, account: string, options: CreateOptions) => {
  const kind = oneOf(options.kind, keyKinds, '--kind')
  if (kind === 'account' && options.mailboxes !== undefined)
    throw new Failure(
      'validation_error',
      'An account key reaches all mailboxes, so --mailboxes does not apply to it.',
      {
        fix: 'Add --kind agent, or leave --mailboxes out.',
      },
    )
  const request = {
    kind,
    name: options.name,
    scopes: scopesOf(options.scopes, kind),
    mailboxes: itemsOf(options.mailboxes ?? ''),
    approval: options.approval ? ('required' as const) : ('none' as const),
    expiresAt: options.days === undefined ? null : after(ctx.clock.now(), daysOf(options.days) * dayMs),
  }
  const owner = await getAccount(ctx, account)
  const { key, ...shown } = options.test ? await issueTestKey(ctx, owner, request) : await issueKey(ctx, owner, request)
  await recordAdministration(ctx, { accountId: key.accountId, action: 'keys.create', target: key.id })
  print(io, { ...key, ...shown })
})

/** The named scopes; without a list, all that the kind of key may hold. */
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
  print(io, ...(await describeKeys(ctx, accountId)))
})

/** The new secret is shown only once. */
export const rotate = withContext(async (ctx, io, account: string, keyId: string) => {
  const { id: accountId } = await getAccount(ctx, account)
  const { apiKey, key } = await rotateKey(ctx, { accountId, keyId })
  await recordAdministration(ctx, { accountId, action: 'keys.rotate', target: keyId })
  print(io, { id: key.id, apiKey })
})

export const revoke = withContext(async (ctx, _io, account: string, keyId: string) => {
  const { id: accountId } = await getAccount(ctx, account)
  await revokeKey(ctx, { accountId, keyId })
  await recordAdministration(ctx, { accountId, action: 'keys.delete', target: keyId })
})
