/**
 * Scheduled sends: accepted sends with `scheduledFor`. Until it is released, a scheduled send can be rescheduled or
 * cancelled; the conditional update that removes the field first decides.
 */

import { dkimSign } from '../../mail/authentication/dkim-sign.ts'
import { redate } from '../../mail/compose/redate.ts'
import { splitAddress } from '../../mail/message/address.ts'
import { Failure } from '../../schemas/failures.ts'
import { newId } from '../../schemas/ids.ts'
import { findAccount } from '../../store/accounts.ts'
import { insertBlob, packBlob, readBlob, releaseBlobs } from '../../store/blobs.ts'
import type { MailboxDoc } from '../../store/documents/mail.ts'
import type { EmailDoc, EmailRecipient } from '../../store/documents/sending.ts'
import * as store from '../../store/emails.ts'
import { findMailboxes } from '../../store/mailboxes.ts'
import { accountOf, requireAllowed } from '../access/account-record.ts'
import { type Page, pageOf, readIdCursor } from '../access/paging.ts'
import type { Principal } from '../access/principal.ts'
import { findSend } from '../deliver/approval-state.ts'
import { suppressedAmong } from '../deliver/suppressions.ts'
import { signingKeys } from '../mailbox/domains.ts'
import { reachMailbox } from '../mailbox/mailboxes.ts'
import { noteDue } from '../process/alarms.ts'
import type { Context } from '../process/context.ts'
import { giveSendAllowance } from './allowance.ts'
import { claimRefusals } from './claim-rules.ts'
import { sendTimeOf } from './content.ts'

export const notScheduled = (): Failure =>
  new Failure('conflict', 'The send is no longer scheduled: it is being sent, was sent, or was cancelled.', {
    fix: 'Read the email for how it stands; only a send that waits can be moved or cancelled.',
  })

/** Lists the scheduled sends of a mailbox, newest first. Fails with `mailbox_not_found`, `validation_error` (cursor). */
export async function listScheduled(
  ctx: Context,
  principal: Principal,
  { address, limit, before }: { address: string; limit: number; before?: string },
): Promise<Page<EmailDoc>> {
  const mailbox = await reachMailbox(ctx, principal, address)
  const rows = await store.listScheduled(ctx.store, {
    accountId: mailbox.accountId,
    mailboxId: mailbox._id,
    before: readIdCursor(before, 'em'),
    limit: limit + 1,
  })
  return pageOf(rows, limit)
}

/**
 * Changes the time of a scheduled send: dates and signs its message again. Fails with `mailbox_not_found`,
 * `email_not_found`, `forbidden` (a key whose sends wait for the approval of a person), `validation_error`, `conflict` (too
 * late).
 */
export async function reschedule(
  ctx: Context,
  principal: Principal,
  { address, id, sendAt }: { address: string; id: string; sendAt: Date },
): Promise<EmailDoc> {
  const { email } = await reachScheduled(ctx, principal, { address, id })
  if (principal.waitsForApproval)
    throw new Failure('forbidden', 'A person approved this send for its time, and this key may not change it.', {
      fix: 'Cancel it and send again with the other time, which asks for another approval.',
    })
  const at = ctx.clock.now()
  const time = sendTimeOf(at, sendAt) ?? at
  const raw = await readBlob(ctx.store, email.blob)
  if (raw === null) throw new Failure('internal_error', 'The stored bytes of the message are missing.')
  const signed = await dkimSign(redate(raw, time), await signingKeys(ctx, splitAddress(email.from.address).domain), at)
  // A copy that a program brought has its own bytes.
  const hasOwnCopy = email.messageId !== null && !email.hasBroughtCopy
  const users = hasOwnCopy ? [email._id, email.messageId] : [email._id]
  const { ref, chunks } = await packBlob(ctx.store, { id: newId('blb', at), bytes: signed, users, at })
  await insertBlob(ctx.store, chunks)
  const moved = await store.moveScheduled(ctx.store, email, { blob: ref, sendAt: time })
  const unused = moved === null ? ref : email.blob
  await releaseBlobs(ctx.store, [{ blobId: unused.id, users }])
  if (moved === null) throw notScheduled()
  noteDue(ctx, 'sends', time)
  return moved
}

/**
 * Releases a scheduled send whose time has come. The claim and pause rules and the suppressions are checked again;
 * recipients that they refuse fail. Returns the send after that; null when another request changed it meanwhile.
 */
export async function releaseScheduled(ctx: Context, email: EmailDoc): Promise<EmailDoc | null> {
  const reasons = await currentRefusals(ctx, email)
  return endSchedule(ctx, email, (address) => reasons.get(address) ?? null)
}

/**
 * Ends the schedule of a send. Recipients with a reason fail with it, and what was taken for them is given back; when none is left,
 * no Sent copy is kept.
 */
export async function endSchedule(
  ctx: Context,
  email: EmailDoc,
  reasonOf: (address: string) => string | null,
): Promise<EmailDoc | null> {
  const at = ctx.clock.now()
  const recipients = email.recipients.map((recipient): EmailRecipient => {
    const reason = recipient.status === 'queued' ? reasonOf(recipient.email) : null
    return reason === null ? recipient : { ...recipient, status: 'failed', reason, at }
  })
  const isSent = recipients.some(({ status }) => status !== 'failed')
  const ended = await store.endSchedule(ctx.store, email, { recipients, todoAt: at, keepsCopy: isSent })
  noteDue(ctx, 'sends', at)
  if (ended === null) return null
  if (!isSent && email.messageId !== null)
    await releaseBlobs(ctx.store, [{ blobId: email.blob.id, users: [email.messageId] }])
  await giveUnsentBack(ctx, email, recipients)
  return ended
}

/** Gives back what was taken for those who were to get the send and who do not, as `recipients` stand now. */
async function giveUnsentBack(ctx: Context, email: EmailDoc, recipients: readonly EmailRecipient[]): Promise<void> {
  const { accountId, taken = [], createdAt: at } = email
  const accepted = email.recipients.flatMap(({ status, email: address }, n) =>
    status === 'queued' ? [{ address, isUnsent: recipients[n]?.status === 'failed' }] : [],
  )
  await giveSendAllowance(ctx, {
    accountId,
    at,
    taken,
    accepted: accepted.map(({ address }) => address),
    unsent: accepted.filter(({ isUnsent }) => isUnsent).map(({ address }) => address),
  })
}

async function currentRefusals(ctx: Context, email: EmailDoc): Promise<ReadonlyMap<string, string>> {
  const addresses = email.recipients.map((recipient) => recipient.email)
  const all = (reason: string) => new Map(addresses.map((address) => [address, reason]))
  const doc = await findAccount(ctx.store, email.accountId)
  if (doc === null) return all('account_suspended')
  const account = accountOf(doc)
  try {
    requireAllowed(account, 'reply')
  } catch (error) {
    if (error instanceof Failure) return all(error.code)
    throw error
  }
  const { accountId, mailboxId } = email
  const [mailbox = null] = mailboxId === null ? [] : await findMailboxes(ctx.store, [{ accountId, mailboxId }])
  if (mailboxId !== null && mailbox === null) return all('mailbox_not_found')
  const unclaimed = await claimRefusals(ctx, { account }, { mailbox, recipients: addresses, parent: null })
  const suppressed = await suppressedAmong(ctx, email, addresses)
  return new Map([
    ...[...suppressed.keys()].map((address) => [address, 'suppressed'] as const),
    ...[...unclaimed].map(([address, { code }]) => [address, code] as const),
  ])
}

/** Reads a send that waits for its time. Fails with `mailbox_not_found`, `email_not_found`, `conflict` (too late). */
export async function reachScheduled(
  ctx: Context,
  principal: Principal,
  { address, id }: { address: string; id: string },
): Promise<{ email: EmailDoc; mailbox: MailboxDoc }> {
  const mailbox = await reachMailbox(ctx, principal, address)
  const email = await store.findEmail(ctx.store, { accountId: mailbox.accountId, emailId: id })
  if (email === null && (await isAsked(ctx, mailbox, id)))
    throw new Failure('conflict', 'The send waits for the approval of a person, and is not scheduled yet.', {
      fix: 'Delete its draft to take it back; for another time send anew.',
    })
  if (email === null || email.mailboxId !== mailbox._id || email.sendAt === undefined)
    throw new Failure('email_not_found', `There is no scheduled send ${id} of ${mailbox.address}.`)
  if (email.scheduledFor === undefined) throw notScheduled()
  return { email, mailbox }
}

/** Whether a send from this mailbox waits for the approval of a person. */
async function isAsked(ctx: Context, { _id: mailboxId, accountId }: MailboxDoc, emailId: string): Promise<boolean> {
  const send = await findSend(ctx, { accountId, emailId })
  return send?.mailboxId === mailboxId && send.approval?.status === 'waiting'
}
