/** The message of a draft in the Drafts folder: written, announced to who watches the folder, and removed. */
import { newId } from '../../schemas/ids.ts'
import type { BlobDoc, MailboxDoc, MessageDoc } from '../../store/documents/mail.ts'
import type { DraftContent } from '../../store/drafts.ts'
import { removeMessages } from '../../store/message-edits.ts'
import { changeOf } from '../mailbox/bulk-changes.ts'
import { getFolder } from '../mailbox/folders.ts'
import type { KnownFolder } from '../mailbox/known-folders.ts'
import { deriveThreads } from '../mailbox/threading.ts'
import type { Context } from '../process/context.ts'

type NewDraft = {
  readonly id?: string
  readonly content: DraftContent
  readonly chunks: readonly BlobDoc[]
  readonly threadId: string
}

/** Writes a new draft. Returns its id. */
export async function writeDraft(
  ctx: Context,
  mailbox: MailboxDoc,
  { id = newId('msg', ctx.clock.now()), content, chunks, threadId }: NewDraft,
): Promise<string> {
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
    trace: '',
    deliveredTo: null,
    ...content,
    threadId,
  }
  await ctx.arrivals.write({ chunks, messages: [draft] })
  await announceChange(ctx, draft)
  return id
}

/** Deletes a draft permanently, unless it changed since it was read. */
export async function removeDraft(ctx: Context, folder: KnownFolder, message: MessageDoc): Promise<void> {
  await removeMessages(ctx.store, changeOf(ctx, folder, [message]))
  ctx.changes.publish({ kind: 'folders', mailboxId: message.mailboxId, messageIds: [message._id] })
}

/** Tells of a draft that was written or changed. */
export async function announceChange(
  ctx: Context,
  draft: Pick<MessageDoc, '_id' | 'mailboxId' | 'threadId'>,
): Promise<void> {
  await deriveThreads(ctx, [draft])
  ctx.changes.publish({ kind: 'stored', ids: [draft._id] })
  ctx.changes.publish({ kind: 'folders', mailboxId: draft.mailboxId, messageIds: [draft._id] })
}
