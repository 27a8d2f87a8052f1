/** The claim rule: what an unclaimed account may send, which is replies only (interface.md, Unclaimed account). */
import { Failure } from '../../schemas/failures.ts'
import { idAt } from '../../schemas/ids.ts'
import { findContacts } from '../../store/contacts.ts'
import type { MailboxDoc, MessageDoc } from '../../store/documents/mail.ts'
import { hasMailFrom } from '../../store/messages.ts'
import type { Principal } from '../access/principal.ts'
import { after, minuteMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'

/**
 * Contacts are derived a moment after a message arrives; for messages younger than this the messages themselves are
 * searched.
 */
const contactsLagMs = 5 * minuteMs

/**
 * The recipients that an unclaimed account may not write to, each with its `CLAIM_REQUIRED`: it may only reply, so
 * every recipient must be the From of a message that the mailbox received.
 */
export async function claimRefusals(
  ctx: Context,
  { account }: Pick<Principal, 'account'>,
  {
    mailbox,
    recipients,
    parent,
  }: { mailbox: MailboxDoc | null; recipients: readonly string[]; parent: MessageDoc | null },
): Promise<ReadonlyMap<string, Failure>> {
  const refusals = new Map<string, Failure>()
  if (account.status !== 'unclaimed') return refusals
  const correspondents = new Set(parent?.fingerprint !== undefined && parent.from !== null ? [parent.from.address] : [])
  if (mailbox !== null)
    for (const { address, received } of await findContacts(ctx.store, mailbox._id, recipients))
      if (received > 0) correspondents.add(address)
  const since = idAt('msg', after(ctx.clock.now(), -contactsLagMs))
  for (const address of recipients) {
    if (correspondents.has(address)) continue
    if (mailbox !== null && (await hasMailFrom(ctx.store, { mailboxId: mailbox._id, address, since }))) continue
    const text = `Until a person claims this account it may only reply, and ${address} has not written to it.`
    refusals.set(address, new Failure('CLAIM_REQUIRED', text))
  }
  return refusals
}
