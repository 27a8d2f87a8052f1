/**
 * Marking a message as spam or not spam: the message moves, and the mailbox remembers its sender. Moving a message to
 * another folder teaches nothing.
 */
import { Failure } from '../../schemas/failures.ts'
import type { Principal } from '../access/principal.ts'
import type { Context } from '../process/context.ts'
import type { KnownFolder } from './known-folders.ts'
import { changeMessage, type MessageChange } from './message-changes.ts'
import { type Message, reachMessage } from './messages.ts'
import { addSpamLesson } from './spam-lessons.ts'

/**
 * Moves a message to Spam, or from Spam back to where it was, and remembers the sender as a spam lesson of the mailbox.
 * Makes the other changes too. Fails as `changeMessage` does, and with `validation_error` when `folder` is given as
 * well.
 */
export async function markSpam(
  ctx: Context,
  principal: Principal,
  { address, messageId, spam, ...change }: { address: string; messageId: string; spam: boolean } & MessageChange,
): Promise<Message> {
  if (change.folder !== undefined)
    throw new Failure('validation_error', 'Marking a message as spam or not spam moves it already.', {
      param: 'folder',
      fix: 'Leave "folder" out, or "spam".',
    })
  const { mailbox, message, folder, folders } = await reachMessage(ctx, principal, { address, messageId })
  const moves = spam !== (folder.role === 'spam')
  const target = spam ? 'spam' : folderBefore(folders, message.deletedFrom)
  const changed = await changeMessage(ctx, principal, {
    address,
    messageId,
    ...change,
    ...(moves && { folder: target }),
  })
  // Only received mail makes a lesson; a Sent copy or a draft does not.
  const isReceived = message.fingerprint !== undefined
  if (isReceived && message.from !== null) await addSpamLesson(ctx, mailbox, { address: message.from.address, spam })
  return changed
}

/** The path of the folder that the message was in before Spam, if it still exists; else INBOX. */
function folderBefore(folders: readonly KnownFolder[], folderId: string | undefined): string {
  const found = folders.find(({ _id }) => _id === folderId)
  return found === undefined || found.role === 'spam' || found.role === 'trash' ? 'inbox' : found.path
}
