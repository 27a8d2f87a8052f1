/**
 * Asks people to approve a send (decisions.md 2, People). If the sends of a key wait for approval, `commitSend` and `submit` call
 * this module instead of committing. The message is composed as it will go out and stored with its hash. If the send has a
 * mailbox, the message is also put in Drafts, where people and the agent can see it. Invariants: the stored message is sent, even
 * if the draft has changed since; the id of the approval is derived from the id of the send, so a repeated request asks once.
 */
import { createHash } from 'node:crypto'
import { createSlice, nextTurn, sliceBytes } from '../../mail/slices.ts'
import { Failure } from '../../schemas/failures.ts'
import { newId } from '../../schemas/ids.ts'
import { mailboxFull } from '../../schemas/refusals.ts'
import * as store from '../../store/approvals.ts'
import { insertBlob, markBlobsInDoubt, packBlob, releaseBlobs } from '../../store/blobs.ts'
import type { MessageDoc, Named } from '../../store/documents/mail.ts'
import type { ApprovalDoc } from '../../store/documents/sending.ts'
import { findMessage } from '../../store/messages.ts'
import type { Principal } from '../access/principal.ts'
import { approvalIdOf, currentApprovals, endWaiting, isUnchanged, releaseMessage } from '../deliver/approval-state.ts'
import { getFolder } from '../mailbox/folders.ts'
import { fitsStorage, foldersToFill } from '../mailbox/storage-limit.ts'
import { threadIdOf } from '../mailbox/threading.ts'
import { noteDue } from '../process/alarms.ts'
import { after, dayMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { describe } from '../receive/message-document.ts'
import { removeDraft, writeDraft } from './draft-message.ts'
import { type Composed, type DescribedSend, sendFields } from './send-fields.ts'

/** Sends of one key that may wait at once. More than a person would read; bounds the storage they take. */
const waitingMax = 100
const keptMs = 90 * dayMs

/** A send that passed the rules, with its message as it would go out, but unsigned. */
export type SendToApprove = DescribedSend & {
  readonly id: string
  /** Id of the draft that shows the send; `id` is derived from it. */
  readonly draftId: string
  readonly recipients: readonly Named[]
  readonly sendAt: Date | null
  readonly keepsCopy: boolean
  readonly isReply?: boolean
  /** The existing draft that is being sent, if any. */
  readonly draft?: MessageDoc
  readonly composed: Composed
}

/**
 * Finds the approval that was requested earlier for this send: by the same request, or for the same draft if its content and
 * send time are unchanged. Null if there is none.
 */
export async function findAsked(
  ctx: Context,
  { accountId }: Principal,
  { emailId, draft, sendAt }: { emailId: string; draft?: MessageDoc; sendAt: Date | null },
): Promise<ApprovalDoc | null> {
  const id = { accountId, approvalId: approvalIdOf(emailId) }
  if (draft === undefined) return store.findApproval(ctx.store, id)
  const found = await store.findApprovalOfDraft(ctx.store, { accountId, messageId: draft._id })
  if (found === null) return null
  const [approval = found] = await currentApprovals(ctx, [found])
  if (approval.status !== 'waiting') return null
  if (isUnchanged(approval, draft) && approval.sendAt?.getTime() === sendAt?.getTime()) return approval
  await endWaiting(ctx, approval, { status: 'void' })
  return null
}

/**
 * Stores a send until a person decides about it. Fails with `unprocessable` if the mailbox has no room for the draft or too many
 * sends of the key are waiting.
 */
export async function askApproval(ctx: Context, principal: Principal, send: SendToApprove): Promise<ApprovalDoc> {
  const { accountId, keyId } = principal
  await requireRoomToWait(ctx, principal, { ...send, bytes: send.composed.raw.length })
  const at = ctx.clock.now()
  const _id = approvalIdOf(send.id)
  const earlier = await store.findApproval(ctx.store, { accountId, approvalId: _id })
  const { draft, blob } = await keepMessage(ctx, { send, approvalId: _id, at })
  const expiresAt = after(at, ctx.settings.keep.approvalDays * dayMs)
  const { recipients, sendAt, keepsCopy, isReply = false, parent, composed } = send
  const approval: ApprovalDoc = {
    _id,
    accountId,
    emailId: send.id,
    keyId,
    ...sendFields(send, composed),
    recipients,
    parentId: parent?._id ?? null,
    isReply,
    sendAt,
    keepsCopy,
    blob,
    hash: await hashOf(send),
    draft,
    status: 'waiting',
    createdAt: at,
    expiresAt,
    dueAt: expiresAt,
    untoldSince: at,
    removeAt: after(at, keptMs),
  }
  if (earlier !== null) await markBlobsInDoubt(ctx.store, [earlier.blob.id], at)
  if (await store.keepApproval(ctx.store, approval, earlier)) {
    if (earlier !== null && earlier.blob.id !== blob.id) await releaseMessage(ctx, earlier)
    noteDue(ctx, 'approvals', expiresAt)
    return approval
  }
  // Another try of the same request stored its approval first, with the same draft.
  await releaseBlobs(ctx.store, [{ blobId: blob.id, users: [_id] }])
  const first = await store.findApproval(ctx.store, { accountId, approvalId: _id })
  if (first === null) throw new Error(`The approval ${_id} was neither kept nor found.`)
  return first
}

/**
 * Fails with `unprocessable` if a send could not wait for approval: too many sends of the key are waiting, or the message needs a
 * new draft and the mailbox has no room for its `bytes`.
 */
export async function requireRoomToWait(
  ctx: Context,
  { account, accountId, keyId }: Principal,
  { mailbox, draft, bytes }: Pick<SendToApprove, 'mailbox' | 'draft'> & { readonly bytes: number },
): Promise<void> {
  if ((await store.countWaiting(ctx.store, { accountId, keyId }, waitingMax)) >= waitingMax)
    throw new Failure(
      'unprocessable',
      `${waitingMax} sends of this key are already waiting for approval, the most allowed.`,
      {
        fix: 'Wait until some of them are decided, or delete drafts that need not be sent.',
      },
    )
  if (mailbox === null || draft !== undefined) return
  if (!fitsStorage(account, await foldersToFill(ctx, mailbox._id), bytes)) throw mailboxFull(mailbox.address)
}

/** Removes the draft of an approval from Drafts, if it is still there and unchanged. */
export async function takeDraftAway(ctx: Context, approval: Pick<ApprovalDoc, 'mailboxId' | 'draft'>): Promise<void> {
  const { mailboxId, draft } = approval
  if (mailboxId === null || draft === null) return
  const message = await findMessage(ctx.store, { mailboxId, messageId: draft.messageId })
  if (message === null || !isUnchanged(approval, message)) return
  await removeDraft(ctx, await getFolder(ctx, message.mailboxId, 'drafts'), message)
}

/** Stores the message of a send, and the draft that shows it if there is a mailbox. */
async function keepMessage(
  ctx: Context,
  { send, approvalId, at }: { send: SendToApprove; approvalId: string; at: Date },
): Promise<Pick<ApprovalDoc, 'draft' | 'blob'>> {
  const { mailbox, parent, draft, draftId, composed, input } = send
  const { raw } = composed
  const isWritten = mailbox === null || draft !== undefined
  const users = isWritten ? [approvalId] : [approvalId, draftId]
  const { ref, chunks } = await packBlob(ctx.store, { id: newId('blb', at), bytes: raw, users, at })
  if (isWritten) {
    await insertBlob(ctx.store, chunks)
    return { blob: ref, draft: draft === undefined ? null : { messageId: draft._id, blobId: draft.blob.id } }
  }
  const description = await ctx.parsing.run('description', { raw })
  const content = {
    ...describe(description, ref),
    // The message has no Bcc field, so that no recipient sees these addresses.
    bcc: input.bcc ?? [],
    ...(parent !== null && { answers: parent._id }),
  }
  const { parsed } = description
  const threadId = parent?.threadId ?? (await threadIdOf(ctx, { id: draftId, mailboxId: mailbox._id, parsed }))
  if (await writeDraft(ctx, mailbox, { id: draftId, content, chunks, threadId }))
    return { blob: ref, draft: { messageId: draftId, blobId: ref.id } }
  // An earlier try that died wrote the draft, with the bytes that it had composed.
  const first = await findMessage(ctx.store, { mailboxId: mailbox._id, messageId: draftId })
  await releaseBlobs(ctx.store, [{ blobId: ref.id, users: [draftId] }])
  return { blob: ref, draft: { messageId: draftId, blobId: first?.blob.id ?? ref.id } }
}

/** What a person approves: the message, who sends it, to whom, and when. */
async function hashOf({ composed: { raw }, from, recipients, sendAt }: SendToApprove): Promise<string> {
  const hash = createHash('sha256')
  const to = recipients.map(({ address }) => address).sort()
  hash.update(`${JSON.stringify([from.address, to, sendAt?.toISOString() ?? null])}\n`)
  const slice = createSlice()
  for (let start = 0; start < raw.length; start += sliceBytes) {
    hash.update(raw.subarray(start, start + sliceBytes))
    if (slice.isOver(sliceBytes)) await nextTurn()
  }
  return hash.digest('hex')
}
