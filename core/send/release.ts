/**
 * Ends the schedule of sends: those whose time has come are released, others are cancelled. The conditional update that removes
 * `scheduledFor` first decides between the two.
 */
import { Failure } from '../../schemas/failures.ts'
import { findAccount } from '../../store/accounts.ts'
import { markBlobsInDoubt, releaseBlobs } from '../../store/blobs.ts'
import type { EmailDoc, EmailRecipient } from '../../store/documents/sending.ts'
import * as store from '../../store/emails.ts'
import { findMailboxes } from '../../store/mailboxes.ts'
import { accountOf, requireAllowed } from '../access/account-record.ts'
import { suppressedAmong } from '../deliver/suppressions.ts'
import { noteDue } from '../process/alarms.ts'
import type { Context } from '../process/context.ts'
import { giveSendAllowance } from './allowance.ts'
import { claimRefusals } from './claim-rules.ts'

/**
 * Releases a scheduled send whose time has come. The claim and pause rules and the suppressions are checked again, and
 * recipients that they refuse fail. Returns the updated send; null if another request changed it in the meantime.
 */
export async function releaseScheduled(ctx: Context, email: EmailDoc): Promise<EmailDoc | null> {
  const reasons = await currentRefusals(ctx, email)
  return endSchedule(ctx, email, (address) => reasons.get(address) ?? null)
}

/**
 * Ends the schedule of a send. Recipients for which `reasonOf` returns a reason fail with it, and what was taken for them is given
 * back. If no recipient is left, no copy is kept in Sent.
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
  const unwritten = isSent ? null : email.messageId
  if (unwritten !== null) await markBlobsInDoubt(ctx.store, [email.blob.id], at)
  const ended = await store.endSchedule(ctx.store, email, { recipients, todoAt: at, keepsCopy: isSent })
  noteDue(ctx, 'sends', at)
  if (ended === null) return null
  if (unwritten !== null) await releaseBlobs(ctx.store, [{ blobId: email.blob.id, users: [unwritten] }])
  await giveUnsentBack(ctx, email, recipients)
  return ended
}

/** Gives back what was taken for recipients who were queued and have now failed; `recipients` is the new state. */
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
