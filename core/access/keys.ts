/** API keys: made by a person or an administrator, kept as a hash. */
import { Failure } from '../../schemas/failures.ts'
import { newId } from '../../schemas/ids.ts'
import { agentScopes, type KeyKind, type Scope } from '../../schemas/scopes.ts'
import * as store from '../../store/accounts.ts'
import { toBinary } from '../../store/bytes.ts'
import type { KeyDoc } from '../../store/documents/accounts.ts'
import { disableWebhooks } from '../../store/events.ts'
import type { Context } from '../process/context.ts'
import { hashCredential, newCredential } from '../process/secrets.ts'
import { liveKeyPrefix } from './principal.ts'

export type NewKey = {
  readonly accountId: string
  readonly kind: KeyKind
  readonly name: string
  readonly scopes: readonly Scope[]
  /** Mailboxes an agent key is granted; an account key reaches all. */
  readonly mailboxIds: readonly string[]
  readonly expiresAt: Date | null
}

export type Key = Omit<KeyDoc, 'hash' | '_id'> & { readonly id: string }

/** Makes a key and shows it this once. Fails with `validation_error` when an agent key asks for more than it may hold. */
export async function createKey(
  ctx: Context,
  { accountId, kind, name, scopes, mailboxIds, expiresAt }: NewKey,
  prefix: string = liveKeyPrefix,
): Promise<{ apiKey: string; key: Key }> {
  const beyond = kind === 'agent' ? scopes.filter((scope) => !agentScopes.includes(scope)) : []
  if (beyond.length > 0)
    throw new Failure('validation_error', `An agent key may not hold ${beyond.join(', ')}.`, { param: 'scopes' })
  const at = ctx.clock.now()
  const apiKey = newCredential(prefix)
  const doc: KeyDoc = {
    _id: newId('key', at),
    accountId,
    hash: toBinary(hashCredential(apiKey)),
    kind,
    name,
    scopes,
    mailboxIds: kind === 'agent' ? mailboxIds : null,
    createdAt: at,
    expiresAt,
    revokedAt: null,
  }
  await store.insertKey(ctx.store, doc)
  return { apiKey, key: keyOf(doc) }
}

/** The keys of an account, oldest first. */
export async function listKeys(ctx: Context, accountId: string): Promise<readonly Key[]> {
  return (await store.listKeys(ctx.store, accountId)).map(keyOf)
}

/** Ends a key at once, and turns off the endpoints it made as an agent's. Fails with `not_found`. */
export async function revokeKey(
  ctx: Context,
  { accountId, keyId }: { accountId: string; keyId: string },
): Promise<void> {
  if (!(await store.revokeKey(ctx.store, { accountId, keyId, at: ctx.clock.now() })))
    throw new Failure('not_found', `No live key ${keyId}.`)
  await disableWebhooks(ctx.store, { accountId, agentKeyId: keyId })
  ctx.changes.publish({ kind: 'keys', keyIds: [keyId] })
  ctx.changes.publish({ kind: 'webhooks', accountIds: [accountId] })
}

function keyOf({ _id, hash: _, ...key }: KeyDoc): Key {
  return { id: _id, ...key }
}
