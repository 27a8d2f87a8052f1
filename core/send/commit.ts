/**
 * Commits sends. Every way to send ends here: the rules in the contract's order, the allowance, one MIME message with
 * its DKIM signature, and the insert of the `emails` document with all its recipients, which is the commit point.
 * `settle` derives everything else from that document. A dry run takes the same steps and stops before it takes anything.
 */

import { dkimSign } from '../../mail/authentication/dkim-sign.ts'
import { ComposeError, compose, type DraftAttachment, isMessageId } from '../../mail/compose/compose.ts'
import { splitAddress } from '../../mail/message/address.ts'
import { readHeaders } from '../../mail/message/headers.ts'
import { Failure } from '../../schemas/failures.ts'
import { deriveId, newId } from '../../schemas/ids.ts'
import { noBody } from '../../schemas/refusals.ts'
import { findApproval } from '../../store/approvals.ts'
import { insertBlob, packBlob } from '../../store/blobs.ts'
import type { BlobDoc, MessageDoc, Named } from '../../store/documents/mail.ts'
import type { ApprovalDoc, DeliveryStatus, EmailDoc, EmailRecipient } from '../../store/documents/sending.ts'
import { findEmail } from '../../store/emails.ts'
import { insertInto, type Write } from '../../store/writes.ts'
import { requireAllowed } from '../access/account-record.ts'
import type { Principal } from '../access/principal.ts'
import { signingKeys } from '../mailbox/domains.ts'
import { fitsStorage, foldersToFill } from '../mailbox/storage-limit.ts'
import { ownThreadId } from '../mailbox/threading.ts'
import type { Description } from '../parsing/jobs.ts'
import { noteDue, noteFailed } from '../process/alarms.ts'
import { after } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { isAway } from '../process/database-away.ts'
import { type Allowance, allowanceOfSend, allowanceRefusal, takeFirst, takeWith } from './allowance.ts'
import { askApproval, findAsked, requireRoomToWait } from './approval-requests.ts'
import { filesOf, recipientsIn, sendTimeOf } from './content.ts'
import { type Composed, type DescribedSend, sendFields, type ThreadFields } from './send-fields.ts'
import { type Decided, decideRecipients } from './send-rules.ts'
import { settle, settlingMs } from './settle.ts'

/** A send to be committed. */
export type Outgoing = Omit<DescribedSend, 'from'> & {
  /** Returns the name and address for From. Called at its place in the order of the rules, since it can fail. */
  readonly sender: () => Promise<Named>
  /** Whether a copy is kept in Sent. */
  readonly keepsCopy: boolean
  /** Whether the send answers `parent`, which is then marked as answered. */
  readonly isReply?: boolean
  /** The draft that is sent, if any. */
  readonly draft?: MessageDoc
  /** The thread fields in the draft's header; they may name messages that are not in the mailbox. */
  readonly givenThread?: ThreadFields
}

export type SendResult = {
  readonly id: string
  readonly messageId: string | null
  readonly threadId: string | null
  readonly status: 'queued' | 'scheduled' | 'waiting_for_approval'
  readonly sendAt?: Date
  /** The approval that the send waits for. */
  readonly approval?: ApprovalDoc
  readonly recipients: readonly { readonly email: string; readonly status: DeliveryStatus }[]
  readonly suppressed: readonly string[]
}

/** What a send would do. */
export type DryRun = {
  readonly sizeBytes: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly recipients: readonly Decided[]
}

const referencesMax = 50
/** A blob larger than this is written in pieces by commands of its own. */
const smallBlobBytes = 64 * 1024
/** A message larger than this is settled before the caller is answered, so that few large ones are in memory at once. */
const backgroundBytesMax = 256 * 1024

/**
 * Accepts one mail for sending. Fails in the contract's order of checks (decisions.md 3): `validation_error`,
 * `attachments_too_large`, `account_suspended`, `account_paused`, `sending_paused`, `CLAIM_REQUIRED`, what `sender`
 * fails with, `forbidden` (a list of the mailbox), `all_recipients_suppressed`, `AGENT_EMAIL_LIMIT`,
 * `send_limit_reached`, `shared_domain_send_limit`, `send_rate_limited`; with `send_failed` if it cannot be composed or
 * written; with `conflict` for a draft that was already sent with other content. If the key's sends wait for approval, the
 * mail is stored for a person to decide instead; then this fails as `askApproval` does.
 */
export async function commitSend(ctx: Context, principal: Principal, outgoing: Outgoing): Promise<SendResult> {
  const { accountId } = principal
  const { id, draftId } = idsOf(ctx, principal, outgoing)
  const earlier = ctx.mayRepeat ? await findEmail(ctx.store, { accountId, emailId: id }) : null
  if (earlier !== null) return sentBefore(ctx, earlier, outgoing)
  if (principal.waitsForApproval && ctx.mayRepeat) {
    const { draft, input } = outgoing
    const asked = { emailId: id, sendAt: input.sendAt ?? null, ...(draft !== undefined && { draft }) }
    const approval = await findAsked(ctx, principal, asked)
    if (approval !== null) return waitingResult(approval)
  }
  const checked = await readInput(ctx, principal, outgoing)
  requireAllowed(principal.account, 'reply')
  const { from, decided } = await decideRecipients(ctx, principal, { ...outgoing, ...checked, strict: true })
  const accepted = decided.flatMap(({ email, decision }) => (decision === 'send' ? [email] : []))
  if (principal.waitsForApproval) {
    const composed = await composeUnsigned(ctx, { ...outgoing, ...checked, id, from })
    return waitingResult(await askApproval(ctx, principal, { ...outgoing, ...checked, id, draftId, from, composed }))
  }
  const allowance = await allowanceOfSend(ctx, principal, {
    sender: from.address,
    recipients: accepted,
    parent: outgoing.parent,
    mailboxId: outgoing.mailbox?._id ?? null,
    purpose: id,
    isNew: ctx.onceId === null,
  })
  try {
    const wasDraft = outgoing.draft !== undefined
    const send = { ...outgoing, ...checked, id, from, decided, allowance, wasDraft }
    return resultOf(await writeSend(ctx, principal, send))
  } catch (error) {
    if (error instanceof Failure) throw error
    // It is unknown what was written. If this try was not committed, a sweep settles its allowance
    // (core/send/open-allowances.ts).
    const committed = await findEmail(ctx.store, { accountId, emailId: id })
    if (committed === null) throw isAway(error) ? error : new Failure('send_failed', undefined, { cause: error })
    return sentBefore(ctx, committed, outgoing)
  }
}

/**
 * The result of a send that another try, or the approval of the same draft, has committed. Fails with `conflict` if the draft's
 * content differs from what was sent.
 */
async function sentBefore(ctx: Context, email: EmailDoc, { draft }: Outgoing): Promise<SendResult> {
  if (draft === undefined) return resultOf(email)
  const { accountId, approvalId, createdAt } = email
  const approval = approvalId === undefined ? null : await findApproval(ctx.store, { accountId, approvalId })
  const isOther = approval === null ? draft.receivedAt > createdAt : approval.draft?.blobId !== draft.blob.id
  if (!isOther) return resultOf(email)
  throw new Failure('conflict', `The draft was sent as ${email._id}, and its content changed after that.`, {
    fix: 'Create a draft with the changed content and send that, or delete this one.',
  })
}

/** Reports what `commitSend` would do. Fails as it does, except for what is decided per recipient. */
export async function dryRun(ctx: Context, principal: Principal, outgoing: Outgoing): Promise<DryRun> {
  const checked = await readInput(ctx, principal, outgoing)
  requireAllowed(principal.account, 'reply')
  const { from, decided } = await decideRecipients(ctx, principal, { ...outgoing, ...checked, strict: false })
  const id = newId('em', ctx.clock.now())
  const { raw } = await composeSigned(ctx, { ...outgoing, ...checked, id, from })
  const accepted = decided.flatMap(({ email, decision }) => (decision === 'send' ? [email] : []))
  const held = principal.waitsForApproval
    ? await approvalNeeded(ctx, principal, { ...outgoing, bytes: raw.length })
    : await overLimit(ctx, principal, { sender: from.address, recipients: accepted, parent: outgoing.parent })
  return {
    sizeBytes: raw.length,
    headers: readHeaders(raw).fields.map(({ name, value }): [string, string] => [name, value]),
    recipients: decided.map((each) => (each.decision === 'send' && held !== null ? { ...each, ...held } : each)),
  }
}

type Held = Pick<Decided, 'decision' | 'reason'>

/** The decision for recipients of a send that needs approval. Fails as `askApproval` does. */
async function approvalNeeded(
  ctx: Context,
  principal: Principal,
  what: Pick<Outgoing, 'mailbox' | 'draft'> & { readonly bytes: number },
): Promise<Held> {
  await requireRoomToWait(ctx, principal, what)
  return {
    decision: 'waits_for_approval',
    reason: 'A person has to approve what this caller sends before it goes out.',
  }
}

async function overLimit(...asked: Parameters<typeof allowanceRefusal>): Promise<Held | null> {
  const refusal = await allowanceRefusal(...asked)
  return refusal === null ? null : { decision: 'over_limit', reason: refusal.message }
}

/** The result of a send that waits for approval. */
function waitingResult(approval: ApprovalDoc): SendResult {
  return {
    id: approval.emailId,
    messageId: null,
    threadId: null,
    status: 'waiting_for_approval',
    ...(approval.sendAt !== null && { sendAt: approval.sendAt }),
    approval,
    recipients: approval.recipients.map(({ address: email }) => ({ email, status: 'queued' })),
    suppressed: [],
  }
}

/** The result of a committed send. */
export function resultOf({ _id, messageId, threadId, recipients, scheduledFor }: EmailDoc): SendResult {
  return {
    id: _id,
    messageId,
    threadId,
    status: scheduledFor === undefined ? 'queued' : 'scheduled',
    ...(scheduledFor !== undefined && { sendAt: scheduledFor }),
    recipients: recipients.map(({ email, status }) => ({ email, status })),
    suppressed: recipients.flatMap(({ email, reason }) => (reason === 'suppressed' ? [email] : [])),
  }
}

type CheckedInput = {
  readonly recipients: readonly Named[]
  readonly files: readonly DraftAttachment[]
  readonly sendAt: Date | null
}

async function readInput(ctx: Context, principal: Principal, { mailbox, input }: Outgoing): Promise<CheckedInput> {
  const recipients = recipientsIn(input)
  if (input.text === undefined && input.html === undefined) throw noBody()
  const sendAt = sendTimeOf(ctx.clock.now(), input.sendAt)
  const files = await filesOf(ctx, principal, { mailbox: mailbox?.address ?? null, attachments: input.attachments })
  return { recipients, files, sendAt }
}

type SendToCompose = Outgoing & CheckedInput & { readonly id: string; readonly from: Named }

async function composeSigned(ctx: Context, send: SendToCompose): Promise<Composed> {
  const { raw, ...composed } = await composeUnsigned(ctx, send)
  const keys = await signingKeys(ctx, splitAddress(send.from.address).domain)
  return { ...composed, raw: await dkimSign(raw, keys, ctx.clock.now()) }
}

async function composeUnsigned(
  ctx: Context,
  { id, from, parent, givenThread, input, files, sendAt, origin }: SendToCompose,
): Promise<Composed> {
  const at = sendAt ?? ctx.clock.now()
  const { domain } = splitAddress(from.address)
  const messageIdHeader = `${id}@${domain}`
  const threadFields = threadFieldsOf(parent, givenThread)
  const { to = [], cc = [], bcc = [], replyTo = [], subject = '', text = null, html = null, headers = {} } = input
  const draft = {
    from,
    to,
    cc,
    bcc,
    replyTo,
    subject,
    text,
    html,
    attachments: files,
    ...threadFields,
    messageId: messageIdHeader,
    date: at,
    headers: Object.entries(headers),
    autoSubmitted: origin === 'auto reply' ? 'auto-replied' : null,
  }
  const { raw } = await compose(draft).catch(asValidationError)
  return { raw, messageIdHeader, ...threadFields }
}

const noThread: ThreadFields = { inReplyTo: null, references: [] }

/**
 * In-Reply-To and References of an answer (RFC 5322 3.6.4); without `parent`, those that its draft names. Other programs wrote
 * these ids, so any that is not a valid Message-ID is left out.
 */
export function threadFieldsOf(parent: MessageDoc | null, givenThread = noThread): ThreadFields {
  const { inReplyTo, references } = parent === null ? givenThread : answerFieldsOf(parent)
  const isWritten = inReplyTo !== null && isMessageId(inReplyTo)
  return { inReplyTo: isWritten ? inReplyTo : null, references: references.filter(isMessageId) }
}

function answerFieldsOf(parent: MessageDoc): ThreadFields {
  if (parent.messageIdHeader === undefined) return noThread
  const before = parent.references.length > 0 ? parent.references : parent.inReplyTo === null ? [] : [parent.inReplyTo]
  const references = [...before, parent.messageIdHeader].slice(-referencesMax)
  return { inReplyTo: parent.messageIdHeader, references }
}

export type AcceptedSend = SendToCompose & {
  readonly decided: readonly Decided[]
  readonly allowance: Allowance
  readonly batchId?: string
  readonly approvalId?: string
  /** Whether the send was in Drafts before, as it also is while it waits for approval. */
  readonly wasDraft?: boolean
  /** The copy that the mail program already put in Sent. */
  readonly broughtCopy?: MessageDoc | null
  /** For a notice of the service itself: its recipient, and the account that it is about. */
  readonly noticeTo?: string
  readonly noticeOf?: string
  /** The message, if it is already composed. */
  readonly composed?: Composed
  /** The description parsed from the composed message, if it was parsed. */
  readonly description?: Description
  /** The write that finishes the request for this send, made together with the send. */
  readonly finishing?: Write
}

/**
 * Commits a send that passed the rules: composes, signs, inserts and settles it. Rejects if a send with its id was already
 * committed.
 */
export async function writeSend(
  ctx: Context,
  { accountId, keyId, account }: Pick<Principal, 'accountId' | 'account'> & { readonly keyId: string | null },
  accepted: AcceptedSend,
): Promise<EmailDoc> {
  const { id, mailbox, parent, decided, sendAt, origin, batchId, approvalId, allowance } = accepted
  const { noticeTo, noticeOf, description, finishing, broughtCopy = null } = accepted
  const at = ctx.clock.now()
  const composed = accepted.composed ?? (await composeSigned(ctx, accepted))
  const { raw } = composed
  const wantsCopy = accepted.keepsCopy && broughtCopy === null
  const folders = wantsCopy && mailbox !== null ? await foldersToFill(ctx, mailbox._id) : []
  const keepsCopy = wantsCopy && mailbox !== null && fitsStorage(account, folders, raw.length)
  const copyId = keepsCopy ? newId('msg', sendAt ?? at) : null
  const users = copyId === null ? [id] : [id, copyId]
  const { ref, chunks } = await packBlob(ctx.store, { id: newId('blb', at), bytes: raw, users, at })
  const email: EmailDoc = {
    _id: id,
    accountId,
    keyId,
    ...sendFields(accepted, composed),
    blob: ref,
    ...(broughtCopy === null
      ? { messageId: copyId, threadId: threadIdOf({ id: copyId, mailbox, parent, composed }) }
      : { messageId: broughtCopy._id, threadId: broughtCopy.threadId, hasBroughtCopy: true }),
    taken: allowance.taken,
    takenBy: allowance.token,
    createdAt: at,
    ...(batchId !== undefined && { batchId }),
    ...(noticeTo !== undefined && { noticeTo }),
    ...(noticeOf !== undefined && { noticeOf }),
    ...(approvalId !== undefined && { approvalId }),
    ...ctx.tracing.cause(),
    ...(sendAt !== null && { sendAt, scheduledFor: sendAt, ...(accepted.wasDraft && { wasDraft: true }) }),
    planned: false,
    rev: 0,
    todoAt: sendAt ?? after(at, settlingMs),
    recipients: decided.map(({ email: address, decision }) => recipientRow(address, decision === 'suppressed', at)),
  }
  await commit(ctx, { email, chunks, allowance, finishing })
  ctx.metrics.count('mailroom_sends_total', { origin: origin ?? 'message' })
  // The send is accepted. If settling fails here, the alarm or a sweep does it later.
  const later = (error: unknown) => {
    ctx.log.error({ err: error, emailId: id }, 'send could not be settled at once; it is tried again')
    noteFailed(ctx, 'sends')
  }
  const settleNow = () => settle(ctx, email, { raw, folders, description }).catch(later)
  if (sendAt !== null) noteDue(ctx, 'sends', sendAt)
  else if (raw.length > backgroundBytesMax) await settleNow()
  else await ctx.background.begin(accountId, settleNow)
  return email
}

/** The thread of the copy in Sent; null if there is no copy. */
function threadIdOf({
  id,
  mailbox,
  parent,
  composed: { messageIdHeader: messageId, inReplyTo, references },
}: Pick<Outgoing, 'mailbox' | 'parent'> & { readonly id: string | null; readonly composed: Composed }): string | null {
  if (id === null || mailbox === null) return null
  return parent?.threadId ?? ownThreadId({ id, mailboxId: mailbox._id }, { messageId, inReplyTo, references })
}

/** Writes a send with its blob, its allowance and the end of its request, all in one command if the blob is small. */
async function commit(
  ctx: Context,
  {
    email,
    chunks,
    allowance,
    finishing,
  }: { email: EmailDoc; chunks: readonly BlobDoc[]; allowance: Allowance; finishing: Write | undefined },
): Promise<void> {
  const { store } = ctx
  const isSmall = chunks.reduce((sum, { data }) => sum + data.length(), 0) <= smallBlobBytes
  const taken = isSmall ? allowance : await takeFirst(ctx, allowance)
  if (!isSmall) await insertBlob(store, chunks)
  const isWritten = await takeWith(ctx, taken, [
    ...(isSmall ? chunks.map((chunk) => insertInto(store.blobs, chunk, chunk.data.length())) : []),
    insertInto(store.emails, email),
    // After the send: if a crash cuts the list short, a repeated request finds the send.
    ...(finishing === undefined ? [] : [finishing]),
  ])
  if (!isWritten) throw new Error(`Another try of the send ${email._id} was committed meanwhile.`)
}

function recipientRow(email: string, suppressed: boolean, at: Date): EmailRecipient {
  const untried = { at, mx: null, response: null, tls: null, attempts: 0, announced: null }
  return suppressed
    ? { email, status: 'failed', reason: 'suppressed', ...untried }
    : { email, status: 'queued', reason: null, ...untried }
}

/** The id of the draft that a request creates for its send. */
export const draftIdOf = (onceId: string): string => deriveId('msg', onceId, 'draft')

/** The id of the send of a draft. Whoever sends the draft, it is committed once. */
export const sendIdOf = (draftId: string): string => deriveId('em', draftId, 'send')

/**
 * The id of this send, and of its draft: the one that is sent, or the one that shows the send while it waits for approval. Both are
 * the same for every try with one Idempotency-Key, so the send is committed once.
 */
function idsOf({ onceId, clock }: Context, { waitsForApproval }: Principal, { draft }: Outgoing) {
  const draftId = draft?._id ?? (onceId === null ? newId('msg', clock.now()) : draftIdOf(onceId))
  const isFirst = onceId === null && !waitsForApproval
  return { draftId, id: isFirst ? newId('em', clock.now()) : sendIdOf(draftId) }
}

/** Turns an error of the composer into `validation_error`. */
export function asValidationError(error: unknown): never {
  if (error instanceof ComposeError)
    throw new Failure('validation_error', error.message, { param: error.field, fix: error.fix })
  throw error
}
