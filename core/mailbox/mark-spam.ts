/** Marking a message as spam or not: it moves, and its mailbox learns. Moving a message by hand teaches nothing. */
import { Failure } from '../../schemas/failures.ts'
import { findFolders } from '../../store/folders.ts'
import type { Principal } from '../access/principal.ts'
import type { Context } from '../process/context.ts'
import { changeMessage, type MessageChange } from './message-changes.ts'
import { type Message, reachMessage } from './messages.ts'
import { teach } from './spam-lessons.ts'

/**
 * Moves a message to Spam, or from there back to where it was, and teaches its mailbox about the sender. Other changes go
 * along. Fails as `changeMessage` does, and with `validation_error` when a folder is named too.
 */
export async function markSpam(
  ctx: Context,
  principal: Principal,
  { address, messageId, spam, ...change }: { address: string; messageId: string; spam: boolean } & MessageChange,
): Promise<Message> {
  if (change.folder !== undefined)
    throw new Failure('validation_error', 'Marking spam moves the message itself: leave out "folder".', {
      param: 'folder',
    })
  const { mailbox, message, folder } = await reachMessage(ctx, principal, { address, messageId })
  const moves = spam !== (folder.role === 'spam')
  const target = spam ? 'spam' : await folderBefore(ctx, mailbox._id, message.deletedFrom)
  const changed = await changeMessage(ctx, principal, {
    address,
    messageId,
    ...change,
    ...(moves && { folder: target }),
  })
  // What one wrote oneself says nothing about who writes.
  const cameIn = message.fingerprint !== undefined
  if (cameIn && message.from !== null) await teach(ctx, mailbox, { address: message.from.address, spam })
  return changed
}

/** The path of the folder it was in before Spam, if that is still there; else INBOX. */
async function folderBefore(ctx: Context, mailboxId: string, folderId: string | undefined): Promise<string> {
  const found = (await findFolders(ctx.store, mailboxId)).find(({ _id }) => _id === folderId)
  return found === undefined || found.role === 'spam' || found.role === 'trash' ? 'inbox' : found.path
}
