/**
 * Drafts: messages in the Drafts folder, which mail programs see too. A draft keeps its id while its content changes; in
 * the folder, each version of the content is a new message with its own UID. The id of the send of a draft is derived
 * from the draft, so that it is sent once.
 */

import { isDeepStrictEqual } from 'node:util'
import { readBody } from '../../mail/body/body.ts'
import { compose, typeWithParameters } from '../../mail/compose/compose.ts'
import { formatNamedAddress, normaliseAddress, splitAddress } from '../../mail/message/address.ts'
import { contentAt, partAt } from '../../mail/message/attached-message.ts'
import { parseMessage } from '../../mail/message/parse.ts'
import { Failure } from '../../schemas/failures.ts'
import { newId } from '../../schemas/ids.ts'
import { mailboxFull, noParent, notAnAddress } from '../../schemas/refusals.ts'
import { insertBlob, packBlob } from '../../store/blobs.ts'
import type { BlobDoc, MailboxDoc, MessageDoc, Named } from '../../store/documents/mail.ts'
import type { EmailDoc } from '../../store/documents/sending.ts'
import { type DraftContent, replaceDraft } from '../../store/drafts.ts'
import { findEmail } from '../../store/emails.ts'
import { findMessage, findMessagesByHeader } from '../../store/messages.ts'
import type { Principal } from '../access/principal.ts'
import { changeOf } from '../mailbox/bulk-changes.ts'
import { reachMailbox } from '../mailbox/mailboxes.ts'
import { type ReachedMessage, reachMessage } from '../mailbox/messages.ts'
import { fitsStorage, foldersToFill } from '../mailbox/storage-limit.ts'
import { requireAgentInbox, threadIdOf } from '../mailbox/threading.ts'
import type { Context } from '../process/context.ts'
import { bytesOf } from '../read/bodies.ts'
import { describe } from '../receive/message-document.ts'
import { type Answering, answerTo, markAnswered, withoutAnswer } from './answer.ts'
import { sendSubmittedDraft } from './approvals.ts'
import {
  asValidationError,
  commitSend,
  draftIdOf,
  resultOf,
  type SendResult,
  sendIdOf,
  threadFieldsOf,
} from './commit.ts'
import { filesOf, type SendInput, signedBy } from './content.ts'
import { announceChange, removeDraft, writeDraft } from './draft-message.ts'
import type { ThreadFields } from './send-fields.ts'
import { mailboxSender } from './sender.ts'

export type DraftInput = Omit<SendInput, 'sendAt'> & Answering

const triesMax = 5

/**
 * Creates a draft. Returns its id. Fails with `mailbox_not_found`, `agent_inbox_only`, `validation_error`,
 * `unprocessable` (mailbox full), and as `mailboxSender` does.
 */
export async function createDraft(
  ctx: Context,
  principal: Principal,
  { address, ...input }: { address: string } & DraftInput,
): Promise<string> {
  const mailbox = await reachDraftsOf(ctx, principal, address)
  const id = ctx.onceId === null ? newId('msg', ctx.clock.now()) : draftIdOf(ctx.onceId)
  const { content, chunks, parsed } = await composeDraft(ctx, principal, { mailbox, id, input })
  const threadId = await threadIdOf(ctx, { id, mailboxId: mailbox._id, parsed })
  await writeDraft(ctx, mailbox, { id, content, chunks, threadId })
  return id
}

/**
 * Changes the given fields and keeps the others. The body is an exception: if only one of text and HTML is given with new content,
 * the other is removed. Fails as `createDraft` does, and with `not_found`, `conflict`.
 */
export async function updateDraft(
  ctx: Context,
  principal: Principal,
  { address, draftId, ...change }: { address: string; draftId: string } & DraftInput,
): Promise<void> {
  for (let tries = 0; tries < triesMax; tries++) {
    const { mailbox, message, folder } = await reachDraft(ctx, principal, { address, draftId })
    const { input: read, givenThread, seenText } = await readDraft(ctx, message)
    const { to = [], subject = '', ...draft } = read
    const shown: { readonly [field: string]: unknown } = { ...read, text: seenText }
    const given = Object.fromEntries(
      Object.entries(change).filter(([field, value]) => value !== undefined && !isDeepStrictEqual(value, shown[field])),
    )
    // A missing recipient or subject is filled in from the message that the draft is now to answer.
    const isFilled = change.inReplyTo !== undefined && (to.length === 0 || subject === '')
    // Nothing changes, so the message is not replaced: a person may be about to approve it as it is.
    if (Object.keys(given).length === 0 && !isFilled) return
    const kept = { ...((to.length > 0 || !isFilled) && { to }), ...((subject !== '' || !isFilled) && { subject }) }
    const input = { ...draft, ...kept, ...given, ...replacedBody(change, given) }
    const { content, chunks } = await composeDraft(ctx, principal, { mailbox, id: message._id, input, givenThread })
    await insertBlob(ctx.store, chunks)
    if (await replaceDraft(ctx.store, changeOf(ctx, folder, [message]), message, content)) {
      await announceChange(ctx, message)
      return
    }
  }
  throw new Failure('conflict', 'The draft is being changed by another request.', { fix: 'Repeat the request.' })
}

/**
 * Makes a new draft of a scheduled send that was a draft and is not going out. It gets a new id, since the id of the first draft
 * belongs to the send. It may exceed the storage limit of the mailbox. If the mailbox may no longer send from the given address,
 * the mailbox's own address becomes the sender.
 */
export async function makeDraftAgain(
  ctx: Context,
  principal: Principal,
  { mailbox, email }: { mailbox: MailboxDoc; email: EmailDoc },
): Promise<string> {
  const id = newId('msg', ctx.clock.now())
  const { input: written, givenThread } = await readDraft(ctx, { ...email, mailboxId: mailbox._id })
  const { from: _, ...ofMailbox } = written
  const isSender = await mailboxSender(ctx, mailbox, written).then(() => true, isRefused)
  const input = isSender ? written : ofMailbox
  const { content, chunks, parsed } = await composeDraft(ctx, principal, {
    mailbox,
    id,
    input,
    givenThread,
    mayExceed: true,
  })
  const threadId = await threadIdOf(ctx, { id, mailboxId: mailbox._id, parsed })
  await writeDraft(ctx, mailbox, { id, content, chunks, threadId })
  return id
}

function isRefused(error: unknown): false {
  if (error instanceof Failure) return false
  throw error
}

/** Deletes a draft permanently. Fails with `mailbox_not_found`, `not_found`, `agent_inbox_only`. */
export async function deleteDraft(
  ctx: Context,
  principal: Principal,
  which: { address: string; draftId: string },
): Promise<void> {
  const { message, folder } = await reachDraft(ctx, principal, which)
  await removeDraft(ctx, folder, message)
}

/**
 * Sends a draft and deletes it; the result names its copy in Sent. A draft whose send waits for approval is kept until then.
 * Fails with `mailbox_not_found`, `not_found`, `agent_inbox_only`, and as `commitSend` does.
 */
export async function sendDraft(
  ctx: Context,
  principal: Principal,
  { address, draftId, sendAt }: { address: string; draftId: string; sendAt?: Date },
): Promise<SendResult> {
  const sent = ctx.mayRepeat ? await sentEarlier(ctx, principal, { address, draftId }) : null
  if (sent !== null) return resultOf(sent)
  const { mailbox, message, folder } = await reachDraft(ctx, principal, { address, draftId })
  if ([message.to, message.cc, message.bcc].every(({ length }) => length === 0))
    throw new Failure('validation_error', `The draft ${draftId} has no recipient.`, {
      param: 'to',
      fix: 'Add one in "to", "cc" or "bcc" by changing the draft (PATCH, update_draft), then send it.',
    })
  const submitted = await sendSubmittedDraft(ctx, principal, { draft: message, sendAt })
  if (submitted !== null) return resultOf(submitted)
  const { input: read, givenThread } = await readDraft(ctx, message)
  const input = signedBy(mailbox, read)
  const parent = await parentOf(ctx, mailbox, input.inReplyTo)
  // The draft's id serves as the idempotency id. If the draft is sent again after a crash between the send and the deletion,
  // the first send is found.
  const result = await commitSend({ ...ctx, onceId: message._id, mayRepeat: true }, principal, {
    mailbox,
    parent,
    givenThread,
    input: { ...input, ...(sendAt !== undefined && { sendAt }) },
    sender: () => mailboxSender(ctx, mailbox, input),
    keepsCopy: true,
    isReply: parent !== null,
    draft: message,
  })
  if (result.status === 'waiting_for_approval') return result
  await removeDraft(ctx, folder, message)
  if (parent !== null) await markAnswered(ctx, principal, { address, messageId: parent._id })
  return result
}

/**
 * The send of a draft that does not exist any more, because an earlier try sent and deleted it; else null. Fails with
 * `mailbox_not_found`, `agent_inbox_only`.
 */
async function sentEarlier(
  ctx: Context,
  principal: Principal,
  { address, draftId }: { readonly address: string; readonly draftId: string },
): Promise<EmailDoc | null> {
  const { _id: mailboxId } = await reachDraftsOf(ctx, principal, address)
  if ((await findMessage(ctx.store, { mailboxId, messageId: draftId })) !== null) return null
  const email = await findEmail(ctx.store, { accountId: principal.accountId, emailId: sendIdOf(draftId) })
  return email?.mailboxId === mailboxId ? email : null
}

/** Reads a draft with its mailbox and folder. Fails with `mailbox_not_found`, `not_found`, `agent_inbox_only`. */
export async function reachDraft(
  ctx: Context,
  principal: Principal,
  { address, draftId }: { address: string; draftId: string },
): Promise<Pick<ReachedMessage, 'mailbox' | 'message' | 'folder'>> {
  await reachDraftsOf(ctx, principal, address)
  const reached = await reachMessage(ctx, principal, { address, messageId: draftId })
  if (reached.folder.role !== 'drafts') {
    throw new Failure('not_found', `There is no draft ${draftId}.`, {
      fix: 'Use the id of an unsent draft from the list of drafts (msg_...).',
    })
  }
  return reached
}

/** Reads a mailbox that can have drafts, which only an agent's can. Fails with `mailbox_not_found`, `agent_inbox_only`. */
export async function reachDraftsOf(ctx: Context, principal: Principal, address: string): Promise<MailboxDoc> {
  const mailbox = await reachMailbox(ctx, principal, address)
  requireAgentInbox(mailbox)
  return mailbox
}

/** Empties the body that a change leaves out if the given one has new content: otherwise the two would contradict each other. */
function replacedBody(change: Bodies, given: Bodies): Bodies {
  const { text = '', html = '' } = given
  return {
    ...(change.html === undefined && text !== '' && { html: '' }),
    ...(change.text === undefined && html !== '' && { text: '' }),
  }
}

type Bodies = Pick<DraftInput, 'text' | 'html'>

type DraftToCompose = {
  readonly mailbox: MailboxDoc
  readonly id: string
  readonly input: DraftInput
  /** The thread fields that the draft has so far. */
  readonly givenThread?: ThreadFields
  /** Whether the draft may exceed the storage limit of the mailbox. */
  readonly mayExceed?: boolean
}

/** Composes the message of a draft and packs its bytes, without storing them. */
async function composeDraft(
  ctx: Context,
  principal: Principal,
  { mailbox, id, input: given, givenThread, mayExceed = false }: DraftToCompose,
) {
  const at = ctx.clock.now()
  const { inReplyTo, replyAll, ...own } = given
  const parent = await parentOf(ctx, mailbox, inReplyTo)
  const input =
    parent === null
      ? withoutAnswer(replyAll, own)
      : answerTo(principal, { mailbox, message: parent, replyAll, input: own })
  const { to = [], cc = [], bcc = [], replyTo = [], subject = '', text = '', html = '', headers = {} } = input
  for (const [field, people] of Object.entries({ to, cc, bcc, replyTo })) requireAddresses(field, people)
  const files = await filesOf(ctx, principal, { mailbox: mailbox.address, attachments: input.attachments })
  const from = await mailboxSender(ctx, mailbox, input)
  const { raw } = await compose({
    from,
    to,
    cc,
    bcc,
    replyTo,
    subject,
    attachments: files,
    date: at,
    unsent: true,
    text: text === '' && html !== '' ? null : text,
    html: html === '' ? null : html,
    messageId: `${id}@${splitAddress(from.address).domain}`,
    ...threadFieldsOf(parent, givenThread),
    headers: Object.entries(headers),
  }).catch(asValidationError)
  if (!mayExceed && !fitsStorage(principal.account, await foldersToFill(ctx, mailbox._id), raw.length))
    throw mailboxFull(mailbox.address)
  const packed: { ref: MessageDoc['blob']; chunks: readonly BlobDoc[] } = await packBlob(ctx.store, {
    id: newId('blb', at),
    bytes: raw,
    users: [id],
    at,
  })
  const description = await ctx.parsing.run('description', { raw })
  const content: DraftContent = {
    ...describe(description, packed.ref),
    ...(parent !== null && { answers: parent._id }),
  }
  return { content, chunks: packed.chunks, parsed: description.parsed }
}

type DraftMessage = Pick<MessageDoc, '_id' | 'mailboxId' | 'blob' | 'bcc' | 'answers'>

/** Reads a draft as the input of a send, with the thread fields of its header and the text that it shows, also if it has only HTML. */
async function readDraft(
  ctx: Context,
  message: DraftMessage,
): Promise<{ input: DraftInput; givenThread: ThreadFields; seenText: string }> {
  const raw = await bytesOf(ctx, message)
  const parsed = parseMessage(raw)
  const { text, html } = readBody(raw, parsed)
  const { inReplyTo, references } = parsed
  const answers = await answeredBy(ctx, message, inReplyTo)
  const input = {
    to: parsed.to,
    cc: parsed.cc,
    // From the message document: a draft that waits for approval has no Bcc field.
    bcc: message.bcc,
    replyTo: parsed.replyTo,
    subject: parsed.subject ?? '',
    ...(parsed.from !== null && { from: formatNamedAddress(parsed.from) }),
    ...(parsed.hasText || !parsed.hasHtml ? { text } : {}),
    ...(parsed.hasHtml && html !== null && { html }),
    ...(answers !== null && { inReplyTo: answers._id }),
    headers: Object.fromEntries(
      parsed.headers.filter(({ name }) => /^(?:X|List)-/i.test(name)).map(({ name, value }) => [name, value]),
    ),
    attachments: parsed.attachments.map(({ partId, name, contentType, contentId, inline }) => ({
      name,
      contentType: typeWithParameters(contentType, partAt(raw, parsed, partId)?.params ?? new Map()),
      content: contentAt(raw, parsed, partId) ?? Buffer.alloc(0),
      ...(inline && contentId !== null && { contentId }),
    })),
  }
  return { input, givenThread: { inReplyTo, references }, seenText: text }
}

/** The message that a draft answers; null if it is not in the mailbox. Mail programs name it only in the header. */
async function answeredBy(
  ctx: Context,
  { _id, answers: messageId, mailboxId }: DraftMessage,
  inReplyTo: string | null,
): Promise<MessageDoc | null> {
  const known = messageId === undefined ? null : await findMessage(ctx.store, { mailboxId, messageId })
  if (known !== null || inReplyTo === null) return known
  const named = await findMessagesByHeader(ctx.store, { mailboxId, messageIds: [inReplyTo] })
  return named.find((message) => message._id !== _id) ?? null
}

async function parentOf(ctx: Context, mailbox: MailboxDoc, inReplyTo: string | undefined): Promise<MessageDoc | null> {
  if (inReplyTo === undefined) return null
  const parent = await findMessage(ctx.store, { mailboxId: mailbox._id, messageId: inReplyTo })
  if (parent === null) throw noParent(inReplyTo, mailbox.address)
  return parent
}

/** Fails with `validation_error` if a recipient of a draft is not a valid address; a draft without recipients is fine. */
function requireAddresses(field: string, people: readonly Named[]): void {
  for (const [n, { address }] of people.entries()) {
    if (normaliseAddress(address) === null) throw notAnAddress(address, `${field}[${n}]`)
  }
}
