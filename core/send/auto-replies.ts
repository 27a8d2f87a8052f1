/**
 * The automatic replies of mailboxes (RFC 3834). Whether a message is due one is decided when it arrives. A contact gets at most one
 * in seven days, and at most one per message, however often the message is processed. An automatic reply is a send like any other:
 * it counts, and the rules of the mailbox and the limits of the account apply to it.
 */
import { Failure } from '../../schemas/failures.ts'
import { findAccount } from '../../store/accounts.ts'
import { takeAutoReply } from '../../store/contacts.ts'
import type { MailboxDoc, MessageDoc, Named } from '../../store/documents/mail.ts'
import { findMailbox } from '../../store/mailboxes.ts'
import { accountOf } from '../access/account-record.ts'
import { administrator } from '../access/principal.ts'
import { contactSeen } from '../mailbox/contacts.ts'
import { inTimeOf } from '../process/account-time.ts'
import { after, dayMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { isReceived } from '../receive/announce.ts'
import { commitSend } from './commit.ts'
import { signedBy } from './content.ts'
import { mailboxSender } from './sender.ts'

/** How long a contact gets no further automatic reply (RFC 5230 4.1: the usual period). */
const pauseMs = 7 * dayMs

/** Starts the automatic replies that are due to these messages; they are sent in the background. */
export async function replyToArrivals(ctx: Context, messages: readonly MessageDoc[]): Promise<void> {
  for (const message of messages) {
    const { accountId, from, autoReplyDue } = message
    if (autoReplyDue !== true || !isReceived(message) || from === null) continue
    await ctx.background.begin(accountId, () =>
      reply(inTimeOf(ctx, accountId), message, from).catch((error: unknown) => {
        const fields = { err: error, messageId: message._id }
        if (error instanceof Failure) ctx.log.info(fields, 'an automatic reply may not be sent')
        else ctx.log.error(fields, 'an automatic reply could not be sent')
      }),
    )
  }
}

async function reply(ctx: Context, message: MessageDoc, to: Named): Promise<void> {
  const { _id: messageId, accountId, mailboxId } = message
  const [account, mailbox] = await Promise.all([
    findAccount(ctx.store, accountId),
    findMailbox(ctx.store, { accountId, mailboxId }),
  ])
  const text = mailbox === null ? null : replyOf(ctx, mailbox, message)
  if (account === null || mailbox === null || text === null) return
  const at = ctx.clock.now()
  const since = after(at, -pauseMs)
  if (!(await takeAutoReply(ctx.store, contactSeen(to, { accountId, mailboxId, at }), { messageId, since }))) return
  await commitSend({ ...ctx, onceId: messageId, mayRepeat: true }, administrator(accountOf(account)), {
    mailbox,
    parent: message,
    sender: () => mailboxSender(ctx, mailbox, {}),
    keepsCopy: false,
    origin: 'auto reply',
    input: { to: [to], ...signedBy(mailbox, text) },
  })
}

/** The automatic reply that the mailbox gives now; null if it gives none. */
function replyOf(
  ctx: Context,
  { autoReply }: MailboxDoc,
  message: MessageDoc,
): { readonly subject: string; readonly text: string } | null {
  if (autoReply === null || !autoReply.enabled) return null
  const { subject, text, until } = autoReply
  if (until !== null && until <= ctx.clock.now()) return null
  return { subject: subject.trim() === '' ? `Auto: ${message.subject ?? ''}`.trim() : subject, text }
}
