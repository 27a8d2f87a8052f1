/** Drafts: the only messages whose content can change. */
import { newToken } from '../schemas/ids.ts'
import { markBlobsInDoubt, releaseBlobs } from './blobs.ts'
import type { MessageContent, MessageDoc } from './documents/mail.ts'
import { closeReservations, holding, type Numbers, reserve } from './folders.ts'
import type { EditTarget } from './message-edits.ts'
import type { Store } from './open.ts'
import { updateIn } from './writes.ts'

/** The fields of a draft that are replaced together with its content. */
export type DraftContent = MessageContent & Pick<MessageDoc, 'answers'>

/**
 * Replaces the content of a draft. The new blob must already be written. The draft keeps its id and gets a new UID (RFC 9051
 * 2.3.1.1: the message that a UID names never changes). Returns false when the draft changed meanwhile; the new blob is then
 * deleted.
 */
export async function replaceDraft(
  store: Store,
  { mailboxId, folderId, at, derive }: EditTarget,
  draft: MessageDoc,
  content: DraftContent,
): Promise<boolean> {
  const token = newToken()
  const bytes = content.sizeBytes - draft.sizeBytes
  const { _id, uid, modseq, threadId } = draft
  await markBlobsInDoubt(store, [draft.blob.id, content.blob.id], at)
  const claim = { folderId, mailboxId, uids: 1, total: 0, unread: 0, bytes, changedUids: [uid], threads: [threadId] }
  const reserved = (await reserve(store, [claim], { token, at })).get(folderId)
  const replacing = ({ uid, modseq: next }: Numbers) =>
    updateIn(
      store.messages,
      { mailboxId, _id, folderId, modseq },
      {
        $set: { ...content, uid, modseq: next, receivedAt: at },
        ...(content.answers === undefined && { $unset: { answers: '' as const } }),
      },
      { mustMatch: true },
    )
  const replaced =
    reserved !== undefined && (await store.writeTogether([holding(store, claim, token), replacing(reserved)])) === null
  await releaseBlobs(store, [{ blobId: replaced ? draft.blob.id : content.blob.id, users: [_id] }])
  await derive([threadId])
  await closeReservations(store, [
    { folderId, mailboxId, token, ...(!replaced && { overcounted: { total: 0, unread: 0, bytes } }) },
  ])
  return replaced
}
