/** Writes the message of a draft to the Drafts folder, announces it to those who watch the folder, and removes it. */
import type { BlobDoc, MailboxDoc, MessageDoc } from '../../store/documents/mail.ts'
import type { DraftContent } from '../../store/drafts.ts'
import { removeMessages } from '../../store/message-edits.ts'
import { changeOf, publishEdits } from '../mailbox/bulk-changes.ts'
import { getFolder } from '../mailbox/folders.ts'
import type { KnownFolder } from '../mailbox/known-folders.ts'
import { foldersToFill, usageByMailbox, warnOfStorage } from '../mailbox/storage-limit.ts'
import { deriveThreads } from '../mailbox/threading.ts'
import type { Context } from '../process/context.ts'

type NewDraft = {
  readonly id: string
  readonly content: DraftContent
  readonly chunks: readonly BlobDoc[]
  readonly threadId: string
}

/** Writes a new draft. Returns false if an earlier try already wrote it. */
export async function writeDraft(
  ctx: Context,
  mailbox: MailboxDoc,
  { id, content, chunks, threadId }: NewDraft,
): Promise<boolean> {
  const drafts = await getFolder(ctx, mailbox._id, 'drafts')
  const draft = {
    _id: id,
    accountId: mailbox.accountId,
    mailboxId: mailbox._id,
    mailbox: mailbox.address,
    folderId: drafts._id,
    receivedAt: ctx.clock.now(),
    seen: true,
    flagged: false,
    answered: false,
    draft: true,
    trace: '',
    deliveredTo: null,
    ...content,
    threadId,
  }
  const [written] = await ctx.arrivals.write({ chunks, messages: [draft] })
  await announceChange(ctx, draft)
  return written?.repeated === false
}

/** Deletes a draft permanently, unless it changed since it was read. */
export async function removeDraft(ctx: Context, folder: KnownFolder, message: MessageDoc): Promise<void> {
  await removeMessages(ctx.store, changeOf(ctx, folder, [message]))
  publishEdits(ctx, [message])
}

/** Announces that a draft was written or changed; `uid` is its previous UID, if it had one. */
export async function announceChange(
  ctx: Context,
  {
    _id,
    mailboxId,
    folderId,
    threadId,
    uid,
  }: Pick<MessageDoc, '_id' | 'mailboxId' | 'folderId' | 'threadId'> & { readonly uid?: number },
): Promise<void> {
  await deriveThreads(ctx, [{ mailboxId, threadId }])
  const was = uid === undefined ? {} : { was: { folderId, uids: [uid] } }
  ctx.changes.publish({ kind: 'stored', ids: [_id], mailboxIds: [mailboxId] })
  ctx.changes.publish({ kind: 'folders', mailboxId, messageIds: [_id], ...was })
  await warnOfStorage(ctx, usageByMailbox(await foldersToFill(ctx, mailboxId)))
}
