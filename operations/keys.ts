import { type Key as KeyRecord, revokeKey } from '../core/access/keys.ts'
import { encodeIdCursor, readIdCursor } from '../core/access/paging.ts'
import { describeKeys, issueKey, type KeyRequest, type ListedKey } from '../core/account/keys.ts'
import { createAppPassword, listAppPasswords, revokeAppPassword } from '../core/account/login.ts'
import { AddressPart, Deleted, identifier, page, pageSizeDefault, paging } from '../schemas/fields.ts'
import {
  array,
  extended,
  type InferFields,
  nullable,
  object,
  oneOf,
  optional,
  string,
  timestamp,
} from '../schemas/infer.ts'
import { AppPassword, Key, KeyApproval, KeyName, NewKey } from '../schemas/keys.ts'
import { allScopes, keyKinds } from '../schemas/scopes.ts'
import { operation } from './registry.ts'

export const KeyId = identifier('Id of the key (key_...).')

export const listKeys = operation({
  name: 'keys.list',
  summary: 'The API keys of the account, newest first, revoked ones for 90 days. Their secrets are never shown again.',
  by: 'owner',
  scope: null,
  http: 'GET /api/v1/keys',
  input: object(paging),
  output: page('keys', Key),
  errors: [],
  async handle({ ctx, principal }, { limit, before }) {
    const all = (await describeKeys(ctx, principal.accountId)).toReversed()
    return keyPage(
      all.filter(({ use }) => use === 'API'),
      { limit, before },
    )
  },
})

/** The input for a new key. */
export const keyRequest = {
  name: KeyName,
  kind: optional(
    oneOf(keyKinds, {
      description: 'account: reaches the whole account; agent: only mailboxes that it creates or is granted.',
      default: 'account',
    }),
  ),
  scopes: array(oneOf(allScopes), { maxItems: 100, description: 'What the key may do. Scopes cannot be added later.' }),
  mailboxes: optional(
    array(string({ maxLength: 1_000 }), { maxItems: 1_000, description: 'Addresses that an agent key is granted.' }),
  ),
  expiresAt: optional(nullable(timestamp({ description: 'When the key expires. Without it, or null: never.' }))),
  approval: optional(KeyApproval),
} as const

export const createKey = operation({
  name: 'keys.create',
  summary: 'Create an API key. "apiKey" is shown in this answer only.',
  by: 'owner',
  scope: null,
  http: 'POST /api/v1/keys',
  status: 201,
  input: object(keyRequest),
  output: NewKey,
  errors: ['conflict', 'mailbox_not_found'],
  idempotent: true,
  async handle({ ctx, principal }, wanted) {
    const { apiKey, key } = await issueKey(ctx, principal.account, wantedKey(wanted))
    return { ...keyRecord(key), apiKey }
  },
})

export const deleteKey = operation({
  name: 'keys.revoke',
  summary: 'Revoke a key at once, in every process; webhook endpoints that an agent key created are turned off.',
  by: 'owner',
  scope: null,
  http: 'DELETE /api/v1/keys/{key_id}',
  input: object({ key_id: KeyId }),
  output: Deleted,
  errors: ['not_found'],
  async handle({ ctx, principal: { accountId } }, { key_id: keyId }) {
    await revokeKey(ctx, { accountId, keyId })
    return { deleted: true }
  },
})

export const listPasswords = operation({
  name: 'app_passwords.list',
  summary: 'The app passwords of a mailbox, which mail programs log in with.',
  by: 'session',
  scope: 'mailboxes:read',
  http: 'GET /api/v1/mailboxes/{address}/app-passwords',
  input: object({ address: AddressPart }),
  output: page('appPasswords', AppPassword),
  errors: [],
  async handle({ ctx, principal: { account } }, { address }) {
    const own = await listAppPasswords(ctx, { account, address })
    return { appPasswords: own.map(shownPassword), next: null }
  },
})

export const createPassword = operation({
  name: 'app_passwords.create',
  summary:
    'Create a password for a mail program: it works for SMTP and IMAP of this mailbox, not for the API. It is shown in this answer only.',
  by: 'session',
  // Whoever creates the password needs every scope that it grants.
  scope: ['mail:read', 'mail:send', 'mail:write'],
  http: 'POST /api/v1/mailboxes/{address}/app-passwords',
  status: 201,
  input: object({ address: AddressPart, name: KeyName }),
  output: extended(AppPassword, { password: string({ description: 'Shown once.' }) }),
  errors: ['conflict'],
  idempotent: true,
  // The answer contains a password, which only the person who created it may see.
  sharesAnswer: false,
  async handle({ ctx, principal: { account, keyId: personId } }, { address, name }) {
    const { password, keyId, ...made } = await createAppPassword(ctx, { account, address, name, personId })
    return { ...shownPassword({ ...made, id: keyId, lastUsed: null }), password }
  },
})

export const deletePassword = operation({
  name: 'app_passwords.revoke',
  summary: 'Revoke an app password at once, even where a mail program is logged in.',
  by: 'session',
  scope: ['mail:read', 'mail:send', 'mail:write'],
  http: 'DELETE /api/v1/mailboxes/{address}/app-passwords/{key_id}',
  input: object({ address: AddressPart, key_id: KeyId }),
  output: Deleted,
  errors: ['not_found'],
  async handle({ ctx, principal: { account } }, { address, key_id: keyId }) {
    await revokeAppPassword(ctx, { account, address, keyId })
    return { deleted: true }
  },
})

/** Converts the input for a new key to the form that core takes. */
export function wantedKey({
  kind = 'account',
  mailboxes = [],
  expiresAt = null,
  ...wanted
}: InferFields<typeof keyRequest>): KeyRequest {
  return { ...wanted, kind, mailboxes, expiresAt: expiresAt === null ? null : new Date(expiresAt) }
}

/** Cuts one page from the complete list of keys, newest first. */
export function keyPage(
  all: readonly ListedKey[],
  { limit = pageSizeDefault, before }: { readonly limit?: number | undefined; readonly before?: string | undefined },
) {
  const older = readIdCursor(before, 'key')
  const rows = all.filter(({ id }) => older === null || id < older)
  const keys = rows.slice(0, limit)
  return { keys: keys.map(keyRecord), next: rows.length > limit ? encodeIdCursor(keys.at(-1)!.id) : null }
}

export function keyRecord(key: ListedKey) {
  const { id, name, kind, scopes, mailboxes, approval, createdAt, expiresAt, revokedAt, heldBy } = key
  return {
    id,
    name,
    kind,
    scopes,
    mailboxes,
    approval,
    ...(heldBy !== undefined && { heldBy }),
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
    revokedAt: revokedAt?.toISOString() ?? null,
    ...lastUse(key),
  }
}

const shownPassword = (key: Pick<KeyRecord, 'id' | 'name' | 'createdAt' | 'lastUsed'>) => ({
  id: key.id,
  name: key.name,
  createdAt: key.createdAt.toISOString(),
  ...lastUse(key),
})

const lastUse = ({ lastUsed }: Pick<KeyRecord, 'lastUsed'>) => ({
  lastUsedAt: lastUsed?.at.toISOString() ?? null,
  lastUsedFrom: lastUsed?.address ?? null,
})
