/** API keys as people and administrators request and see them: with mailboxes by address; requests are validated here. */
import { Failure } from '../../schemas/failures.ts'
import { KeyName } from '../../schemas/keys.ts'
import { validate } from '../../schemas/validate.ts'
import { findMailboxes } from '../../store/mailboxes.ts'
import type { Account } from '../access/account-record.ts'
import { createKey, type Key, listKeys, type NewKey } from '../access/keys.ts'
import { administrator } from '../access/principal.ts'
import { reachMailbox } from '../mailbox/mailboxes.ts'
import { after, dayMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'

const daysMax = 36_500
/** Mailboxes that one key can be granted when it is made. */
const grantsMax = 1_000

export type KeyRequest = Pick<NewKey, 'kind' | 'name' | 'scopes' | 'expiresAt' | 'approval' | 'prefix' | 'heldBy'> & {
  /** Addresses of the mailboxes that an agent key is granted. */
  readonly mailboxes: readonly string[]
}

/** A key with the addresses of the mailboxes that it reaches; null: all mailboxes of the account. */
export type ListedKey = Omit<Key, 'mailboxIds'> & { readonly mailboxes: readonly string[] | null }

/**
 * Creates an API key of an account. Returns it in clear text, which is never shown again. Fails with `validation_error` (name, scopes,
 * expiry, too many mailboxes, or mailboxes or approval for an account key) and `mailbox_not_found`.
 */
export async function issueKey(
  ctx: Context,
  account: Account,
  { mailboxes, ...request }: KeyRequest,
): Promise<{ apiKey: string; key: ListedKey }> {
  const { kind, scopes, expiresAt, approval } = request
  if (scopes.length === 0)
    throw new Failure('validation_error', 'A key without any scope can do nothing.', {
      param: 'scopes',
      fix: 'Name at least one scope.',
    })
  requireExpiry(ctx, expiresAt)
  // A key that was meant to reach a few mailboxes must not become one that reaches all.
  if (kind === 'account' && mailboxes.length > 0)
    throw new Failure('validation_error', 'An account key reaches all mailboxes, so it takes none in "mailboxes".', {
      param: 'mailboxes',
      fix: 'Make an agent key, or leave "mailboxes" out.',
    })
  if (kind === 'account' && approval === 'required')
    throw new Failure('validation_error', 'An account key decides about approvals, so its own sends wait for none.', {
      param: 'approval',
      fix: 'Make an agent key, or leave "approval" out.',
    })
  if (mailboxes.length > grantsMax)
    throw new Failure('validation_error', `At most ${grantsMax} mailboxes can be granted at once.`, {
      param: 'mailboxes',
      fix: 'Name fewer mailboxes, or make an account key.',
    })
  const granted = await Promise.all(mailboxes.map((address) => reachMailbox(ctx, administrator(account), address)))
  const { apiKey, key } = await createKey(ctx, {
    ...request,
    accountId: account.id,
    name: keyName(request.name),
    scopes: [...new Set(scopes)],
    mailboxIds: [...new Set(granted.map(({ _id }) => _id))],
  })
  return { apiKey, key: listed(key, new Map(granted.map(({ _id, address }) => [_id, address]))) }
}

/** The keys and app passwords of an account, oldest first. */
export async function describeKeys(ctx: Context, accountId: string): Promise<readonly ListedKey[]> {
  const keys = await listKeys(ctx, accountId)
  const ids = new Set(keys.flatMap(({ mailboxIds }) => mailboxIds ?? []))
  const found = await findMailboxes(
    ctx.store,
    [...ids].map((mailboxId) => ({ accountId, mailboxId })),
  )
  const addresses = new Map(found.map(({ _id, address }) => [_id, address]))
  return keys.map((key) => listed(key, addresses))
}

/** Returns the name of a key as it is stored. Fails with `validation_error`. */
export const keyName = (name: string): string => validate(KeyName, name.trim(), 'name')

function requireExpiry(ctx: Context, expiresAt: Date | null): void {
  if (expiresAt === null) return
  const now = ctx.clock.now()
  if (expiresAt <= now || expiresAt > after(now, daysMax * dayMs))
    throw new Failure('validation_error', '"expiresAt" is in the past, or too far ahead.', {
      param: 'expiresAt',
      fix: `Give a time ahead, at most ${daysMax} days, or leave it out for a key that does not expire.`,
    })
}

function listed({ mailboxIds, ...key }: Key, addresses: ReadonlyMap<string, string>): ListedKey {
  return { ...key, mailboxes: mailboxIds?.flatMap((id) => addresses.get(id) ?? []) ?? null }
}
