/** Transactional mail from any address on a verified domain, and the records of all sends (decisions.md 2, Sending). */

import type { TemplateValues } from '../../mail/compose/template.ts'
import { splitAddress, withoutTag } from '../../mail/message/address.ts'
import { Failure } from '../../schemas/failures.ts'
import type { MailboxDoc, Named } from '../../store/documents/mail.ts'
import { findAddresses, findMailboxes } from '../../store/mailboxes.ts'
import { type Page, pageOf, readIdCursor } from '../access/paging.ts'
import { type Principal, reaches } from '../access/principal.ts'
import { findAskedBy, findSend, listSends, type SeenSend } from '../deliver/approval-state.ts'
import { recentDomain } from '../mailbox/domains.ts'
import { requireOwnDomain } from '../mailbox/mailboxes.ts'
import type { Context } from '../process/context.ts'
import { commitSend, type SendResult } from './commit.ts'
import type { SendInput } from './content.ts'
import { readSender } from './sender.ts'
import { fillTemplate } from './templates.ts'

export type TransactionalInput = Omit<SendInput, 'fromName' | 'from'> & {
  readonly from: string
  readonly template?: string
  readonly variables?: TemplateValues
  readonly tags?: readonly string[]
}

/**
 * Sends from an address that needs no mailbox. Fails with `invalid_sender`, `domain_not_on_account`,
 * `domain_not_verified`, `forbidden` (an agent key that does not reach a mailbox with that address),
 * `validation_error` (variables without a template), what `fillTemplate` fails with, and as `commitSend` does.
 */
export async function sendEmail(
  ctx: Context,
  principal: Principal,
  { from, template, variables = {}, tags, ...input }: TransactionalInput,
): Promise<SendResult> {
  // Without a template nothing is filled in, and the mail would go out with the {{tokens}} in it.
  if (template === undefined && Object.keys(variables).length > 0)
    throw new Failure('validation_error', '"variables" are given, but no "template" to fill in.', {
      param: 'variables',
      fix: 'Name the "template" that they are for, or leave "variables" out and write the values into the texts.',
    })
  const sender = readSender(from)
  const mailbox = await senderMailbox(ctx, principal, sender)
  const texts = template === undefined ? {} : await fillTemplate(ctx, principal, { alias: template, variables })
  return commitSend(ctx, principal, {
    mailbox,
    parent: null,
    origin: 'transactional',
    keepsCopy: false,
    ...(tags !== undefined && { tags }),
    sender: async () => ({
      ...sender,
      name: sender.name === '' ? await defaultName(ctx, mailbox, sender) : sender.name,
    }),
    // Texts in the request replace those of the template.
    input: { ...texts, ...input },
  })
}

/**
 * Fails as `sendEmail` does when the key may not send from an address: `invalid_sender`, `domain_not_on_account`,
 * `domain_not_verified`, `forbidden`.
 */
export async function requireSender(ctx: Context, principal: Principal, from: string): Promise<void> {
  await senderMailbox(ctx, principal, readSender(from))
}

/**
 * Reads one send, including one that waits for approval. Agent keys see only their own sends and those that they asked for and
 * somebody else sent. Fails with `email_not_found`.
 */
export async function getEmail(ctx: Context, principal: Principal, id: string): Promise<SeenSend> {
  const { accountId, kind, keyId } = principal
  const email = await findSend(ctx, { accountId, emailId: id })
  const isOwn =
    kind !== 'agent' || email?.keyId === keyId || (await findAskedBy(ctx, { accountId, emailId: id })) === keyId
  if (email === null || !isOwn) throw new Failure('email_not_found', `There is no email ${id}.`)
  return email
}

/** Lists sends of every kind, also waiting ones, newest first. Agent keys see what `getEmail` shows. Fails with `validation_error`. */
export async function listEmails(
  ctx: Context,
  { accountId, kind, keyId }: Principal,
  { limit, before }: { limit: number; before?: string },
): Promise<Page<SeenSend>> {
  const rows = await listSends(ctx, {
    accountId,
    keyId: kind === 'agent' ? keyId : null,
    before: readIdCursor(before, 'em'),
    limit: limit + 1,
  })
  return pageOf(rows, limit)
}

/**
 * The mailbox with the sender's address, whose lists and claim rules then apply; null when there is none. Fails as
 * `requireSender` does.
 */
export async function senderMailbox(ctx: Context, principal: Principal, sender: Named): Promise<MailboxDoc | null> {
  const { accountId } = principal
  const { domain } = splitAddress(sender.address)
  await requireOwnDomain(ctx, accountId, domain)
  const { base } = withoutTag(sender.address)
  const addresses = await findAddresses(ctx.store, [...new Set([sender.address, base])])
  const found = addresses.find((each) => each.kind === 'mailbox' && each.accountId === accountId)
  const [mailbox = null] =
    found === undefined ? [] : await findMailboxes(ctx.store, [{ accountId, mailboxId: found.mailboxIds[0]! }])
  if (principal.kind === 'agent' && (mailbox === null || !reaches(principal, mailbox._id)))
    throw new Failure(
      'forbidden',
      `This key reaches no mailbox ${sender.address}, and agent keys can send only from mailboxes.`,
      { fix: 'Give a mailbox of this key in "from", or use an account key.' },
    )
  return mailbox
}

async function defaultName(ctx: Context, mailbox: MailboxDoc | null, { address }: Named): Promise<string> {
  if (mailbox?.displayName) return mailbox.displayName
  return (await recentDomain(ctx, splitAddress(address).domain))?.defaultDisplayName ?? ''
}
