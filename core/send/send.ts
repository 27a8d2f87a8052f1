/** Sends mail from a mailbox: a new message, a reply, a forward. Each ends in `commitSend`. */

import { forwardSubject, replySubject } from '../../mail/compose/compose.ts'
import { normaliseAddress, withoutTag } from '../../mail/message/address.ts'
import { Failure } from '../../schemas/failures.ts'
import { noParent } from '../../schemas/refusals.ts'
import type { MailboxDoc, MessageDoc, Named } from '../../store/documents/mail.ts'
import { findMessage } from '../../store/messages.ts'
import { isUnclaimed } from '../access/account-record.ts'
import type { Principal } from '../access/principal.ts'
import { reachMailbox } from '../mailbox/mailboxes.ts'
import { changeMessage } from '../mailbox/message-changes.ts'
import { reachMessage } from '../mailbox/messages.ts'
import { listRefusals } from '../mailbox/sender-lists.ts'
import type { Context } from '../process/context.ts'
import { commitSend, type DryRun, dryRun as dryRunSend, type Outgoing, type SendResult } from './commit.ts'
import type { SendInput } from './content.ts'
import { forwardedContent } from './forward.ts'
import { mailboxSender } from './sender.ts'

/**
 * Sends a new message, or with `inReplyTo` an answer. Fails with `mailbox_not_found`, `validation_error` (inReplyTo),
 * and as `commitSend` does.
 */
export async function sendMessage(
  ctx: Context,
  principal: Principal,
  what: { readonly address: string; readonly inReplyTo?: string } & SendInput,
): Promise<SendResult> {
  return commitSend(ctx, principal, await outgoingOf(ctx, principal, what))
}

/**
 * What `sendMessage` would do with the same input: nothing is sent and nothing is taken (decisions.md 2, dryRun). Fails
 * as it does, except for what is decided per recipient.
 */
export async function dryRunMessage(
  ctx: Context,
  principal: Principal,
  what: { readonly address: string; readonly inReplyTo?: string } & SendInput,
): Promise<DryRun> {
  return dryRunSend(ctx, principal, await outgoingOf(ctx, principal, what))
}

/**
 * Replies to a message: to its sender (or its Reply-To, once the account is claimed), or with `all` to everybody it
 * went to. Subject and threading headers follow the message, which is marked as answered. Fails with
 * `mailbox_not_found`, `not_found`, and as `commitSend` does.
 */
export async function replyToMessage(
  ctx: Context,
  principal: Principal,
  {
    address,
    messageId,
    all = false,
    ...input
  }: { address: string; messageId: string; all?: boolean } & Omit<SendInput, 'to'>,
): Promise<SendResult> {
  const { mailbox, message } = await reachMessage(ctx, principal, { address, messageId })
  const unclaimed = isUnclaimed(principal.account)
  const { replyTo } = message
  // Reply-To is used only when the lists let the mailbox send to it (decisions.md 4, Loops).
  const isAllowed =
    listRefusals(
      mailbox,
      replyTo.map(({ address }) => address),
    ).size === 0
  const answerTo = !unclaimed && replyTo.length > 0 && isAllowed ? replyTo : message.from === null ? [] : [message.from]
  const own = (named: Named) => withoutTag(normaliseAddress(named.address) ?? '').base === mailbox.address
  // A reply to a message from this mailbox goes to the recipients of that message.
  const to = answerTo.every(own) && message.to.length > 0 ? message.to : answerTo
  const others = all ? [...message.to, ...message.cc].filter((named) => !own(named) && !to.some(sameAs(named))) : []
  const result = await commitSend(ctx, principal, {
    ...fromMailbox(ctx, mailbox, input),
    parent: message,
    input: {
      ...input,
      to,
      cc: [...(input.cc ?? []), ...others],
      subject: input.subject ?? replySubject(message.subject),
    },
  })
  await changeMessage(ctx, principal, { address, messageId, answered: true }).catch((error: unknown) => {
    // The reply is committed: it stands even when the message was moved or deleted meanwhile.
    if (!(error instanceof Failure)) throw error
  })
  return result
}

/**
 * Forwards a message, below the sender's own text, with its files unless `includeAttachments` is false. Fails with
 * `mailbox_not_found`, `not_found`, and as `commitSend` does.
 */
export async function forwardMessage(
  ctx: Context,
  principal: Principal,
  {
    address,
    messageId,
    includeAttachments = true,
    ...input
  }: { address: string; messageId: string; includeAttachments?: boolean } & SendInput,
): Promise<SendResult> {
  const { mailbox, message } = await reachMessage(ctx, principal, { address, messageId })
  const content = await forwardedContent(ctx, message, { ...input, includeAttachments })
  return commitSend(ctx, principal, {
    ...fromMailbox(ctx, mailbox, input),
    parent: message,
    input: { ...input, ...content, subject: input.subject ?? forwardSubject(message.subject) },
  })
}

async function outgoingOf(
  ctx: Context,
  principal: Principal,
  { address, inReplyTo, ...input }: { readonly address: string; readonly inReplyTo?: string } & SendInput,
): Promise<Outgoing> {
  const mailbox = await reachMailbox(ctx, principal, address)
  const parent = inReplyTo === undefined ? null : await parentOf(ctx, mailbox, inReplyTo)
  return { ...fromMailbox(ctx, mailbox, input), parent, input }
}

function fromMailbox(ctx: Context, mailbox: MailboxDoc, input: SendInput): Omit<Outgoing, 'parent' | 'input'> {
  return { mailbox, sender: () => mailboxSender(ctx, mailbox, input), keepsCopy: true }
}

async function parentOf(ctx: Context, mailbox: MailboxDoc, messageId: string): Promise<MessageDoc> {
  // It may be the copy of a send that was just accepted.
  await ctx.background.done(mailbox.accountId)
  const parent = await findMessage(ctx.store, { mailboxId: mailbox._id, messageId })
  if (parent === null) throw noParent(messageId, mailbox.address)
  return parent
}

const sameAs = (a: Named) => (b: Named) => a.address === b.address
