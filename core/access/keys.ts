/** API keys and app passwords. Only a hash of each is stored. */
import type { ApprovalMode } from '../../schemas/approvals.ts'
import { Failure } from '../../schemas/failures.ts'
import { type Id, newId } from '../../schemas/ids.ts'
import { type PartnerMode, partnerKeyPrefixes, partnerModes } from '../../schemas/partners.ts'
import { agentScopes, type KeyKind, type Scope } from '../../schemas/scopes.ts'
import * as store from '../../store/accounts.ts'
import { toBinary } from '../../store/bytes.ts'
import type { KeyDoc } from '../../store/documents/accounts.ts'
import { turnOffWithKey } from '../../store/webhooks.ts'
import type { Context } from '../process/context.ts'
import { hashCredential, newCredential } from '../process/secrets.ts'
import { callersChanged } from './known-callers.ts'
import { appPasswordPrefix, liveKeyPrefix } from './principal.ts'

/** Unrevoked keys and app passwords that an account may have; they are listed without pages. */
const keysMax = 1_000

export type NewKey = {
  /** Default: a fresh id. */
  readonly id?: Id<'key'>
  readonly accountId: string
  readonly kind: KeyKind
  readonly name: string
  readonly scopes: readonly Scope[]
  /** Mailboxes that an agent key may reach; ignored for an account key, which reaches all. */
  readonly mailboxIds: readonly string[]
  readonly expiresAt: Date | null
  /** Whether sends of the key wait for the approval of a person; default: `none`. */
  readonly approval?: ApprovalMode
  /** What the key begins with (core/access/principal.ts). */
  readonly prefix?: string
  /** For an app password: the member of the account to whom it belongs. */
  readonly personId?: string | undefined
  /** For a customer's key that its partner makes. */
  readonly heldBy?: 'partner'
}

export type Key = Omit<KeyDoc, 'hash' | '_id' | 'prefix' | 'lastUsed' | 'approval' | 'program'> & {
  readonly id: string
  readonly approval: ApprovalMode
  readonly use: 'API' | 'mail program'
  /** Only for a partner's own key. */
  readonly mode?: PartnerMode
  /** When and from which network address the key was last used, at most a minute behind; null: never. */
  readonly lastUsed: { readonly at: Date; readonly address: string } | null
}

/**
 * Creates a key. Returns it in clear text, which is never shown again. Fails with `validation_error` when an agent key would have a
 * scope that is not for agents, and with `conflict` when the account has as many keys as it may have.
 */
export async function createKey(
  ctx: Context,
  { id, accountId, approval = 'none', prefix = liveKeyPrefix, ...wanted }: NewKey,
): Promise<{ apiKey: string; key: Key }> {
  const { kind, name, scopes, mailboxIds, expiresAt, personId, heldBy } = wanted
  const notAllowed = kind === 'agent' ? scopes.filter((scope) => !agentScopes.includes(scope)) : []
  if (notAllowed.length > 0)
    throw new Failure('validation_error', `An agent key may not have these scopes: ${notAllowed.join(', ')}.`, {
      param: 'scopes',
      fix: `Leave them out, or make an account key. An agent key may have: ${agentScopes.join(', ')}.`,
    })
  const at = ctx.clock.now()
  const apiKey = newCredential(prefix)
  const doc: KeyDoc = {
    _id: id ?? newId('key', at),
    accountId,
    hash: toBinary(hashCredential(apiKey)),
    prefix,
    kind,
    name,
    scopes,
    mailboxIds: kind === 'agent' ? mailboxIds : null,
    ...(approval === 'required' && { approval: 'required' as const }),
    createdAt: at,
    expiresAt,
    revokedAt: null,
    ...(personId !== undefined && { personId }),
    ...(heldBy !== undefined && { heldBy }),
  }
  if (!(await takePlace(ctx, accountId, at)))
    throw new Failure('conflict', `An account has at most ${keysMax} keys and app passwords.`, {
      fix: 'Revoke one that is not needed.',
    })
  await store.insertKey(ctx.store, doc).catch(async (error: unknown) => {
    await store.freeSlot(ctx.store, accountId, 'keys')
    throw error
  })
  return { apiKey, key: keyOf(doc) }
}

/** Counts one more key of an account; at the limit, revokes its expired keys first. Returns false when there is still no place. */
async function takePlace(ctx: Context, accountId: string, now: Date): Promise<boolean> {
  const take = () => store.takeSlot(ctx.store, accountId, 'keys', keysMax)
  if (await take()) return true
  await store.freeSlot(ctx.store, accountId, 'keys', await store.revokeExpiredKeys(ctx.store, { accountId, now }))
  return take()
}

/** The keys and app passwords of an account, oldest first. */
export async function listKeys(ctx: Context, accountId: string): Promise<readonly Key[]> {
  return (await store.listKeys(ctx.store, accountId)).map(keyOf)
}

/** Revokes a key at once, and turns off the webhook endpoints that it created as an agent key. Fails with `not_found`. */
export async function revokeKey(
  ctx: Context,
  { accountId, keyId }: { accountId: string; keyId: string },
): Promise<void> {
  if (!(await store.revokeKey(ctx.store, { accountId, keyId, at: ctx.clock.now() })))
    throw new Failure('not_found', `There is no active key ${keyId}.`, {
      fix: 'Use the id of a key of this account that is not revoked (key_...).',
    })
  await store.freeSlot(ctx.store, accountId, 'keys')
  await turnOffWithKey(ctx.store, { accountId, agentKeyId: keyId, at: ctx.clock.now() })
  ctx.changes.publish({ kind: 'keys', keyIds: [keyId] })
  ctx.changes.publish({ kind: 'webhooks', accountIds: [accountId] })
  await callersChanged(ctx, { keyIds: [keyId] })
}

/**
 * Gives a key a new secret, which is never shown again; the old one ends at once. Everything else stays: id, scopes, mailboxes, and
 * what the key created. Fails with `not_found` (also when the key is revoked or expired) and `conflict` (its prefix is not recorded).
 */
export async function rotateKey(
  ctx: Context,
  { accountId, keyId }: { accountId: string; keyId: string },
): Promise<{ apiKey: string; key: Key }> {
  const found = await store.findKey(ctx.store, { accountId, keyId })
  const none = () =>
    new Failure('not_found', `There is no valid key ${keyId}.`, {
      fix: 'Use the id of a key of this account that is neither revoked nor expired, or make a new key.',
    })
  if (found === null || found.program !== undefined) throw none()
  // Without a prefix it may be an app password, which must not become an API key.
  if (found.prefix === undefined)
    throw new Failure(
      'conflict',
      `The key ${keyId} cannot be rotated: it was made by a version that did not record whether a key is an app password.`,
      {
        fix: 'Make a new key, and revoke this one.',
      },
    )
  const apiKey = newCredential(found.prefix)
  const hash = toBinary(hashCredential(apiKey))
  const rotated = await store.replaceKeyHash(ctx.store, found, { hash, now: ctx.clock.now() })
  if (rotated === null) throw none()
  ctx.changes.publish({ kind: 'keys', keyIds: [keyId] })
  await callersChanged(ctx, { keyIds: [keyId] })
  return { apiKey, key: keyOf(rotated) }
}

function keyOf({ _id, hash: _, prefix, lastUsed, approval, ...key }: KeyDoc): Key {
  const use = prefix === appPasswordPrefix ? 'mail program' : 'API'
  const mode = partnerModes.find((each) => prefix === partnerKeyPrefixes[each])
  return {
    id: _id,
    use,
    approval: approval ?? 'none',
    ...key,
    ...(mode !== undefined && { mode }),
    lastUsed: lastUsed ?? null,
  }
}
