/**
 * Aliases: addresses that deliver to mailboxes of the account. A catch-all (`*@domain`) is the alias for all other
 * addresses of a domain.
 */

import { isDeepStrictEqual } from 'node:util'
import { normaliseDomain } from '../../mail/domain.ts'
import { normaliseAddress, splitAddress } from '../../mail/message/address.ts'
import { aliasesMax } from '../../schemas/aliases.ts'
import { Failure } from '../../schemas/failures.ts'
import { freeSlot, takeSlot } from '../../store/accounts.ts'
import type { AddressDoc, MailboxDoc } from '../../store/documents/mail.ts'
import * as store from '../../store/mailboxes.ts'
import { mayHaveMade } from '../access/idempotency.ts'
import { encodeTimeCursor, type Page, readTimeCursor } from '../access/paging.ts'
import type { Principal } from '../access/principal.ts'
import type { Context } from '../process/context.ts'
import { addressesChanged } from './known-mailboxes.ts'
import { reachMailbox, requireDomainRemains, requireNotServiceAddress, requireOwnDomain } from './mailboxes.ts'

export type Alias = {
  /** Canonical. */
  readonly alias: string
  /** Addresses of the mailboxes behind it. */
  readonly targets: readonly string[]
  readonly createdAt: Date
}

/** The address that stands for a domain's catch-all. */
export const catchAllOf = (domain: string): string => `*@${domain}`

/** Lists the aliases of the account, newest first. Fails with `forbidden` (agent key), `validation_error` (cursor). */
export async function listAliases(
  ctx: Context,
  principal: Principal,
  { limit, before }: { limit: number; before?: string },
): Promise<Page<Alias>> {
  requireAccountKey(principal)
  const { accountId } = principal
  const position = readTimeCursor(before)
  const rows = await store.listAliases(ctx.store, { accountId, before: position, limit: limit + 1 })
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const ids = [...new Set(shown.flatMap(({ mailboxIds }) => mailboxIds))]
  const mailboxes = await store.findMailboxes(
    ctx.store,
    ids.map((mailboxId) => ({ accountId, mailboxId })),
  )
  return {
    items: shown.map((doc) => aliasOf(doc, mailboxes)),
    next: rows.length > limit && last ? encodeTimeCursor({ at: last.createdAt, key: last._id }) : null,
  }
}

/**
 * Creates an alias of mailboxes of the account. Fails with `forbidden` (agent key), `validation_error`,
 * `domain_not_on_account`, `domain_not_verified`, `mailbox_not_found` (target), `conflict` (address taken, too many
 * aliases, or the domain is being deleted).
 */
export async function createAlias(
  ctx: Context,
  principal: Principal,
  { alias, targets }: { alias: string; targets: readonly string[] },
): Promise<Alias> {
  requireAccountKey(principal)
  const { accountId } = principal
  const canonical = canonicalAlias(alias)
  const { domain } = splitAddress(canonical)
  await requireOwnDomain(ctx, accountId, domain)
  const mailboxes = await Promise.all(targets.map((target) => reachMailbox(ctx, principal, target)))
  const doc: AddressDoc = {
    _id: canonical,
    accountId,
    mailboxIds: [...new Set(mailboxes.map(({ _id }) => _id))],
    kind: 'alias',
    domain,
    createdAt: ctx.clock.now(),
    releasedAt: null,
  }
  const earlier = await madeEarlier(ctx, doc)
  if (earlier !== null) return aliasOf(earlier, mailboxes)
  if (!(await takeSlot(ctx.store, accountId, 'aliases', aliasesMax)))
    throw new Failure('conflict', `The account has ${aliasesMax} aliases, the most that an account can have.`, {
      fix: 'Delete an alias that is not needed.',
    })
  try {
    if (!(await store.insertAddress(ctx.store, doc)))
      throw new Failure('conflict', `The address ${canonical} is already in use.`, {
        fix: 'Choose another "alias": a mailbox or an alias has this one.',
      })
    await requireDomainRemains(ctx, doc, async () => {
      await store.removeAlias(ctx.store, { accountId, alias: canonical })
      addressesChanged(ctx, [canonical])
    })
  } catch (error) {
    await freeSlot(ctx.store, accountId, 'aliases')
    throw error
  }
  addressesChanged(ctx, [canonical])
  return aliasOf(doc, mailboxes)
}

/** The alias that an earlier try of this request made; else null. */
async function madeEarlier(ctx: Context, { _id, accountId, mailboxIds }: AddressDoc): Promise<AddressDoc | null> {
  if (!ctx.mayRepeat) return null
  const [found] = await store.findAddresses(ctx.store, [_id])
  if (found?.kind !== 'alias' || found.accountId !== accountId || !mayHaveMade(ctx, found)) return null
  return isDeepStrictEqual(found.mailboxIds, mailboxIds) ? found : null
}

/** Deletes an alias; its address is free at once. Fails with `forbidden` (agent key), `alias_not_found`. */
export async function deleteAlias(ctx: Context, principal: Principal, alias: string): Promise<void> {
  requireAccountKey(principal)
  const { accountId } = principal
  const canonical = readAlias(alias)
  if (canonical === null || !(await store.removeAlias(ctx.store, { accountId, alias: canonical })))
    throw new Failure('alias_not_found', `The account has no alias ${alias}.`)
  await freeSlot(ctx.store, accountId, 'aliases')
  addressesChanged(ctx, [canonical])
}

/**
 * Whether an address (canonical, without tag) is an alias of the mailbox. A catch-all does not count: it would let the
 * mailbox send as every address of the domain.
 */
export async function isAliasOf(ctx: Context, mailbox: MailboxDoc, address: string): Promise<boolean> {
  if (address === catchAllOf(splitAddress(address).domain)) return false
  const [found] = await store.findAddresses(ctx.store, [address])
  return found?.kind === 'alias' && found.accountId === mailbox.accountId && found.mailboxIds.includes(mailbox._id)
}

/**
 * Fails with `forbidden` for an agent key, which may not even list aliases: an alias can name mailboxes that the key does
 * not reach (interface.md, Key kinds).
 */
function requireAccountKey({ kind }: Principal): void {
  if (kind !== 'account')
    throw new Failure('forbidden', 'Only account keys may use aliases.', { fix: 'Use an account key.' })
}

/** The canonical form of an address or of `*@domain`; null when it is neither. */
function readAlias(alias: string): string | null {
  const { local, domain } = splitAddress(alias.trim())
  if (local !== '*') return normaliseAddress(alias)
  const canonical = normaliseDomain(domain)
  return canonical === null ? null : catchAllOf(canonical)
}

function canonicalAlias(alias: string): string {
  const canonical = readAlias(alias)
  const { local } = splitAddress(canonical ?? '')
  // `a*@domain` is probably meant for many addresses; it would be an alias for one address only.
  if (canonical === null || (local.includes('*') && local !== '*'))
    throw new Failure('validation_error', `"${alias}" is neither an address nor *@domain.`, {
      param: 'alias',
      fix: 'Write the alias as "sales@example.org", or as "*@example.org" for all other addresses of the domain.',
    })
  if (local.includes('+'))
    throw new Failure(
      'validation_error',
      'An alias must not contain "+": mail to alias+tag reaches the alias anyway.',
      {
        fix: 'Leave out the "+" and the tag after it.',
        param: 'alias',
      },
    )
  requireNotServiceAddress(canonical, 'alias')
  return canonical
}

function aliasOf({ _id, mailboxIds, createdAt }: AddressDoc, mailboxes: readonly MailboxDoc[]): Alias {
  const targets = mailboxIds.flatMap((id) => mailboxes.find((mailbox) => mailbox._id === id)?.address ?? [])
  return { alias: _id, targets, createdAt }
}
