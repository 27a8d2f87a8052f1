/** Finds the mailbox of a message or thread that is named by its id alone. */
import { Failure } from '../../schemas/failures.ts'
import { findMailboxesOfAccount } from '../../store/mailboxes.ts'
import { findMailboxOfMessage } from '../../store/messages.ts'
import { findThreadMailbox } from '../../store/threads.ts'
import { type Principal, reaches } from '../access/principal.ts'
import type { Context } from '../process/context.ts'

/** The address of the mailbox that holds a message. Fails with `not_found`, also when the key does not reach the mailbox. */
export async function mailboxOfMessage(ctx: Context, principal: Principal, messageId: string): Promise<string> {
  const { accountId } = principal
  const message = await findMailboxOfMessage(ctx.store, { accountId, messageId })
  if (message === null || !reaches(principal, message.mailboxId)) throw nowhere('message', messageId)
  return message.mailbox
}

/** The address of the mailbox of a thread. Fails as `mailboxOfMessage` does. */
export async function mailboxOfThread(ctx: Context, principal: Principal, threadId: string): Promise<string> {
  const { accountId } = principal
  // Threads are derived in the background: this makes the account's earlier changes visible.
  await ctx.background.done(accountId)
  const mailboxId = await findThreadMailbox(ctx.store, threadId)
  const [mailbox] = mailboxId === null ? [] : await findMailboxesOfAccount(ctx.store, { accountId, ids: [mailboxId] })
  if (mailbox === undefined || !reaches(principal, mailbox._id)) throw nowhere('thread', threadId)
  return mailbox.address
}

function nowhere(what: 'message' | 'thread', id: string): Failure {
  return new Failure('not_found', `This key reaches no ${what} ${id}.`, {
    fix: `Use the ${what}_id that a list of messages shows.`,
  })
}
