/** Sends mail from a mailbox: a new message, a reply, a forward. Each ends in `commitSend`. */

import { forwardSubject } from '../../mail/compose/compose.ts'
import { Failure } from '../../schemas/failures.ts'
import { noParent } from '../../schemas/refusals.ts'
import type { MailboxDoc, MessageDoc } from '../../store/documents/mail.ts'
import { findMessage } from '../../store/messages.ts'
import type { Principal } from '../access/principal.ts'
import { reachMailbox } from '../mailbox/mailboxes.ts'
import { reachMessage } from '../mailbox/messages.ts'
import type { Context } from '../process/context.ts'
import { type Answering, answerTo, markAnswered, withoutAnswer } from './answer.ts'
import { commitSend, type DryRun, dryRun as dryRunSend, type Outgoing, type SendResult } from './commit.ts'
import { type SendInput, signedBy } from './content.ts'
import { forwardedContent } from './forward.ts'
import { mailboxSender } from './sender.ts'

export type NewMessage = { readonly address: string } & Answering & SendInput

/**
 * Sends a new message or, with `inReplyTo`, an answer. An answer needs neither recipients nor a subject (`core/send/answer.ts`), and
 * its message is marked as answered. Fails with `mailbox_not_found`, `validation_error` (inReplyTo), and as `commitSend` does.
 */
export async function sendMessage(ctx: Context, principal: Principal, what: NewMessage): Promise<SendResult> {
  const { inReplyTo: messageId, address, replyAll } = what
  const outgoing = await outgoingOf(ctx, principal, what)
  const result = await commitSend(ctx, principal, outgoing).catch(
    tellOfAll('replyAll', { isAll: replyAll, input: outgoing.input }),
  )
  if (messageId !== undefined && result.status !== 'waiting_for_approval')
    await markAnswered(ctx, principal, { address, messageId })
  return result
}

/**
 * Reports what `sendMessage` would do with the same input; nothing is sent or taken (decisions.md 2, dryRun). Fails as it
 * does, except for what is decided per recipient.
 */
export async function dryRunMessage(ctx: Context, principal: Principal, what: NewMessage): Promise<DryRun> {
  const outgoing = await outgoingOf(ctx, principal, what)
  return dryRunSend(ctx, principal, outgoing).catch(
    tellOfAll('replyAll', { isAll: what.replyAll, input: outgoing.input }),
  )
}

/** The addresses to which `sendMessage` would send an answer, as written in the message. Fails as it does for `inReplyTo`. */
export async function answerRecipients(
  ctx: Context,
  principal: Principal,
  what: NewMessage,
): Promise<readonly string[]> {
  const { to = [], cc = [], bcc = [] } = (await outgoingOf(ctx, principal, what)).input
  return [...to, ...cc, ...bcc].map(({ address }) => address)
}

export type Reply = { readonly address: string; readonly messageId: string; readonly all?: boolean } & Omit<
  SendInput,
  'to'
>

/**
 * Replies to a message: to its sender, or with `all` to everybody it went to. Fails with `mailbox_not_found`, `not_found`,
 * `unprocessable` (nobody to reply to), and as `commitSend` does.
 */
export async function replyToMessage(ctx: Context, principal: Principal, what: Reply): Promise<SendResult> {
  const { address, messageId, all } = what
  const outgoing = await replyOf(ctx, principal, what)
  const result = await commitSend(ctx, principal, outgoing).catch(
    tellOfAll('all', { isAll: all, input: outgoing.input }),
  )
  if (result.status !== 'waiting_for_approval') await markAnswered(ctx, principal, { address, messageId })
  return result
}

/** Reports what `replyToMessage` would do with the same input, and fails, as `dryRunMessage` does. */
export async function dryRunReply(ctx: Context, principal: Principal, what: Reply): Promise<DryRun> {
  const outgoing = await replyOf(ctx, principal, what)
  return dryRunSend(ctx, principal, outgoing).catch(tellOfAll('all', { isAll: what.all, input: outgoing.input }))
}

export type Forward = {
  readonly address: string
  readonly messageId: string
  readonly includeAttachments?: boolean
} & SendInput

/**
 * Forwards a message below the sender's own text, with its files unless `includeAttachments` is false. Fails with
 * `mailbox_not_found`, `not_found`, and as `commitSend` does.
 */
export async function forwardMessage(ctx: Context, principal: Principal, what: Forward): Promise<SendResult> {
  return commitSend(ctx, principal, await forwardOf(ctx, principal, what)).catch(sparing(what))
}

/** Reports what `forwardMessage` would do with the same input, and fails, as `dryRunMessage` does. */
export async function dryRunForward(ctx: Context, principal: Principal, what: Forward): Promise<DryRun> {
  return dryRunSend(ctx, principal, await forwardOf(ctx, principal, what)).catch(sparing(what))
}

async function replyOf(
  ctx: Context,
  principal: Principal,
  { address, messageId, all, ...input }: Reply,
): Promise<Outgoing> {
  const { mailbox, message } = await reachMessage(ctx, principal, { address, messageId })
  const answer = answerTo<SendInput>(principal, { mailbox, message, replyAll: all, input: signedBy(mailbox, input) })
  if (goesToNobody(answer))
    throw new Failure('unprocessable', `The message ${messageId} names no sender whom a reply could go to.`, {
      fix: 'Name somebody in "cc" or "bcc", or send the answer with "inReplyTo" and "to" (POST .../send).',
    })
  return { ...fromMailbox(ctx, mailbox, input), parent: message, isReply: true, input: answer }
}

async function forwardOf(
  ctx: Context,
  principal: Principal,
  { address, messageId, includeAttachments = true, ...input }: Forward,
): Promise<Outgoing> {
  const { mailbox, message } = await reachMessage(ctx, principal, { address, messageId })
  const content = await forwardedContent(ctx, message, { ...signedBy(mailbox, input), includeAttachments })
  return {
    ...fromMailbox(ctx, mailbox, input),
    parent: message,
    input: { ...input, ...content, subject: input.subject ?? forwardSubject(message.subject) },
  }
}

/** If a forward has too many files, says in the fix that the files of the message can be left out. */
const sparing =
  ({ includeAttachments = true }: Forward) =>
  (error: unknown): never => {
    if (!(error instanceof Failure) || error.code !== 'attachments_too_large' || !includeAttachments) throw error
    throw new Failure(error.code, error.message, {
      ...error.detail,
      fix: 'Set "includeAttachments" to false, and attach those of its files that matter.',
    })
  }

async function outgoingOf(
  ctx: Context,
  principal: Principal,
  { address, inReplyTo, replyAll, ...written }: NewMessage,
): Promise<Outgoing> {
  const mailbox = await reachMailbox(ctx, principal, address)
  const input = signedBy(mailbox, written)
  const outgoing = fromMailbox(ctx, mailbox, input)
  if (inReplyTo === undefined) return { ...outgoing, parent: null, input: withoutAnswer(replyAll, input) }
  const message = await parentOf(ctx, mailbox, inReplyTo)
  return {
    ...outgoing,
    parent: message,
    isReply: true,
    input: answerTo(principal, { mailbox, message, replyAll, input }),
  }
}

function fromMailbox(ctx: Context, mailbox: MailboxDoc, input: SendInput): Omit<Outgoing, 'parent' | 'input'> {
  return { mailbox, sender: () => mailboxSender(ctx, mailbox, input), keepsCopy: true }
}

async function parentOf(ctx: Context, mailbox: MailboxDoc, messageId: string): Promise<MessageDoc> {
  // The message may be the Sent copy of a send that was accepted a moment ago.
  await ctx.background.done(mailbox.accountId)
  const parent = await findMessage(ctx.store, { mailboxId: mailbox._id, messageId })
  if (parent === null) throw noParent(messageId, mailbox.address)
  return parent
}

const goesToNobody = ({ to = [], cc = [], bcc = [] }: SendInput) => to.length + cc.length + bcc.length === 0

/** If an answer to all has too many recipients, names `param` instead of "to": the recipients come from the answered message. */
function tellOfAll(
  param: 'all' | 'replyAll',
  { isAll = false, input }: { readonly isAll: boolean | undefined; readonly input: SendInput },
): (error: unknown) => never {
  return (error) => {
    const isOfRecipients = error instanceof Failure && error.code === 'validation_error' && error.detail.param === 'to'
    if (!isOfRecipients || !isAll || goesToNobody(input)) throw error
    const fix = `Leave "${param}" out, and name those who matter in "cc".`
    throw new Failure(error.code, error.message, { param, fix })
  }
}
