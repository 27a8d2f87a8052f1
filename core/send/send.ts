/** Mail from a mailbox: new, in answer, passed on. Each ends in `commitSend`. */

import { forwardSubject, replySubject } from '../../mail/compose/compose.ts'
import { normaliseAddress, withoutTag } from '../../mail/message/address.ts'
import { Failure } from '../../schemas/failures.ts'
import type { MailboxDoc, MessageDoc, Named } from '../../store/documents/mail.ts'
import { findMessage } from '../../store/messages.ts'
import type { Principal } from '../access/principal.ts'
import { reachMailbox } from '../mailbox/mailboxes.ts'
import { changeMessage } from '../mailbox/message-changes.ts'
import { reachMessage } from '../mailbox/messages.ts'
import { listRefusals } from '../mailbox/sender-lists.ts'
import type { Context } from '../process/context.ts'
import { commitSend, type DryRun, dryRun as judgeSend, type Outgoing, type SendResult } from './commit.ts'
import type { SendInput } from './content.ts'
import { forwardedContent } from './forward.ts'
import { mailboxSender } from './sender.ts'

/** Fails with `mailbox_not_found` and as `commitSend` does. */
export async function sendMessage(
  ctx: Context,
  principal: Principal,
  what: { readonly address: string; readonly inReplyTo?: string } & SendInput,
): Promise<SendResult> {
  return commitSend(ctx, principal, await outgoingOf(ctx, principal, what))
}

/** What the same send would be: nothing is sent, nothing taken (decisions.md 2, dryRun). */
export async function dryRunMessage(
  ctx: Context,
  principal: Principal,
  what: { readonly address: string; readonly inReplyTo?: string } & SendInput,
): Promise<DryRun> {
  return judgeSend(ctx, principal, await outgoingOf(ctx, principal, what))
}

/**
 * Replies to a message: to its sender (its Reply-To once the account is claimed), or to all it went to. Subject and threading
 * headers follow the message; it is marked answered.
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
  const unclaimed = principal.account.status === 'unclaimed'
  const { replyTo } = message
  // Reply-To only where the lists let the mailbox write (decisions.md 4, Loops).
  const isAllowed =
    listRefusals(
      mailbox,
      replyTo.map(({ address }) => address),
    ).size === 0
  const answerTo = !unclaimed && replyTo.length > 0 && isAllowed ? replyTo : message.from === null ? [] : [message.from]
  const own = (named: Named) => withoutTag(normaliseAddress(named.address) ?? '').base === mailbox.address
  // Answering one's own mail goes on to those it was sent to.
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
    // The reply is on its way: a message moved or deleted meanwhile does not undo it.
    if (!(error instanceof Failure)) throw error
  })
  return result
}

/** Passes a message on, below what the sender writes, with its files unless told otherwise. */
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
  const parent = await findMessage(ctx.store, { mailboxId: mailbox._id, messageId })
  if (parent === null)
    throw new Failure('validation_error', `There is no message ${messageId} in this mailbox.`, { param: 'inReplyTo' })
  return parent
}

const sameAs = (a: Named) => (b: Named) => a.address === b.address
