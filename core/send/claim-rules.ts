/** What an unclaimed account may send: answers only (interface.md, Unclaimed account). */
import { Failure } from '../../schemas/failures.ts'
import { idAt } from '../../schemas/ids.ts'
import { findContacts } from '../../store/contacts.ts'
import type { MailboxDoc, MessageDoc } from '../../store/documents/mail.ts'
import { hasMailFrom } from '../../store/messages.ts'
import type { Principal } from '../access/principal.ts'
import { after, minuteMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'

/** Contacts are derived a moment after the arrival; within this time the messages themselves are asked. */
const contactsLagMs = 5 * minuteMs

/**
 * Who of the recipients an unclaimed account may not write to: it may only answer, so every recipient must be the From of a
 * message the mailbox received. Each with its `CLAIM_REQUIRED`.
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
  const wrote = new Set(parent?.fingerprint !== undefined && parent.from !== null ? [parent.from.address] : [])
  if (mailbox !== null)
    for (const { address, received } of await findContacts(ctx.store, mailbox._id, recipients))
      if (received > 0) wrote.add(address)
  const since = idAt('msg', after(ctx.clock.now(), -contactsLagMs))
  for (const address of recipients) {
    if (wrote.has(address)) continue
    if (mailbox !== null && (await hasMailFrom(ctx.store, { mailboxId: mailbox._id, address, since }))) continue
    const text = `Until a person claims this account it may only reply: ${address} has not written to it.`
    refusals.set(address, new Failure('CLAIM_REQUIRED', text))
  }
  return refusals
}
