/** Decides the name and address in From of a send. */
import { normaliseAddress, parseNamedAddress, splitAddress, withoutTag } from '../../mail/message/address.ts'
import { Failure } from '../../schemas/failures.ts'
import type { MailboxDoc, Named } from '../../store/documents/mail.ts'
import { findDomain } from '../../store/domains.ts'
import { isAliasOf } from '../mailbox/aliases.ts'
import { recentDomain } from '../mailbox/domains.ts'
import type { Context } from '../process/context.ts'
import type { SendInput } from './content.ts'

/**
 * The sender of a send from a mailbox: the mailbox's address, an alias of it, or one of these with a tag, and the name that
 * recipients see. Fails with `invalid_sender` (not an address), `domain_not_on_account` (a domain of nobody or of another
 * account) and `forbidden` (another address on a domain of the account).
 */
export async function mailboxSender(
  ctx: Context,
  mailbox: MailboxDoc,
  { from, fromName }: Pick<SendInput, 'from' | 'fromName'>,
): Promise<Named> {
  const given = from === undefined ? { name: '', address: mailbox.address } : readSender(from)
  const { base } = withoutTag(given.address)
  if (base !== mailbox.address && !(await isAliasOf(ctx, mailbox, base))) {
    const fix = `Leave "from" out, or give ${mailbox.address}, a plus form or an alias of it.`
    const owner = await findDomain(ctx.store, splitAddress(given.address).domain)
    if (owner === null || owner.accountId !== mailbox.accountId)
      throw new Failure('domain_not_on_account', `The domain of ${given.address} is not on this account.`, { fix })
    throw new Failure('forbidden', `The mailbox ${mailbox.address} cannot send as ${given.address}.`, { fix })
  }
  const domain = await recentDomain(ctx, mailbox.domain)
  const defaultName = mailbox.displayName ?? domain?.defaultDisplayName ?? ''
  return { name: fromName ?? (given.name !== '' ? given.name : defaultName), address: given.address }
}

/** Parses "user@domain" or "Name <user@domain>"; the address in canonical form. Fails with `invalid_sender`. */
export function readSender(from: string): Named {
  const given = parseNamedAddress(from)
  const address = given === null ? null : normaliseAddress(given.address)
  if (given === null || address === null) throw new Failure('invalid_sender', undefined, { param: 'from' })
  return { name: given.name, address }
}
