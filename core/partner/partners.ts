/**
 * Partners: companies that have customers, made and managed on the command line. A partner is an account without mailboxes, so its
 * endpoints, numbered events, request rates and audit trail work as in any account; only keys of the partner API act on it.
 */
import { Failure } from '../../schemas/failures.ts'
import { newId } from '../../schemas/ids.ts'
import { type PartnerMode, partnerKeyPrefixes } from '../../schemas/partners.ts'
import { findAccountsNamed, insertAccount } from '../../store/accounts.ts'
import type { AccountDoc } from '../../store/documents/accounts.ts'
import * as store from '../../store/partners.ts'
import { ownAccount } from '../access/account-record.ts'
import { createKey, type Key, listKeys, revokeKey } from '../access/keys.ts'
import { walkPages } from '../access/paging.ts'
import { getAccount } from '../account/accounts.ts'
import { keyName } from '../account/keys.ts'
import type { Context } from '../process/context.ts'

export type Partner = {
  readonly id: string
  readonly name: string
  /** The address by which the partner is reached. */
  readonly email: string | null
  readonly customers: number
  readonly createdAt: Date
}

/** Makes a partner. Fails with `conflict` (a partner has this name already). */
export async function createPartner(
  ctx: Context,
  { name, email }: { readonly name: string; readonly email: string | null },
): Promise<Partner> {
  if ((await findAccountsNamed(ctx.store, name, { isPartner: true })).length > 0)
    throw new Failure('conflict', `There is a partner called ${name} already.`, { fix: 'Choose another name.' })
  const at = ctx.clock.now()
  const doc: AccountDoc = {
    ...ownAccount(name, { _id: newId('acc', at), createdAt: at }),
    owner: email,
    isPartner: true,
  }
  await insertAccount(ctx.store, doc)
  return partnerOf(doc)
}

/** The id of a partner, found by its id or its name. Fails with `not_found`, `conflict` (several partners have the name). */
export async function partnerId(ctx: Context, idOrName: string): Promise<string> {
  return (await getAccount(ctx, idOrName, { isPartner: true })).id
}

/** All partners, oldest first: a page at a time. */
export async function* walkPartners(ctx: Context): AsyncGenerator<readonly Partner[]> {
  for await (const docs of walkPages((after, limit) => store.listPartners(ctx.store, { after, limit })))
    yield docs.map(partnerOf)
}

/** Makes a key of a partner. Returns it in clear text, which is never shown again. Fails with `validation_error`, `conflict`. */
export async function issuePartnerKey(
  ctx: Context,
  accountId: string,
  { name, mode, expiresAt }: { readonly name: string; readonly mode: PartnerMode; readonly expiresAt: Date | null },
): Promise<{ readonly apiKey: string; readonly key: PartnerKey }> {
  const { apiKey, key } = await createKey(ctx, {
    accountId,
    kind: 'account',
    name: keyName(name),
    scopes: [],
    mailboxIds: [],
    expiresAt,
    prefix: partnerKeyPrefixes[mode],
  })
  return { apiKey, key: partnerKeyOf(key) }
}

/** A key of a partner. */
export type PartnerKey = Pick<Key, 'id' | 'name' | 'mode' | 'createdAt' | 'expiresAt' | 'revokedAt' | 'lastUsed'>

/** The keys of a partner, oldest first. */
export async function listPartnerKeys(ctx: Context, accountId: string): Promise<readonly PartnerKey[]> {
  return (await listKeys(ctx, accountId)).map(partnerKeyOf)
}

/** Revokes a partner's key at once. What was made with it stays. Fails with `not_found`. */
export const revokePartnerKey = (ctx: Context, accountId: string, keyId: string): Promise<void> =>
  revokeKey(ctx, { accountId, keyId })

function partnerKeyOf({ id, name, mode, createdAt, expiresAt, revokedAt, lastUsed }: Key): PartnerKey {
  return { id, name, mode, createdAt, expiresAt, revokedAt, lastUsed }
}

function partnerOf({ _id, name, owner, customers = 0, createdAt }: AccountDoc): Partner {
  return { id: _id, name, email: owner, customers, createdAt }
}
