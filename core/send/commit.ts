/**
 * The one way out. Every send ends here: its rules in the contract's order, the allowance, one MIME with its DKIM signature,
 * and the insert of the `emails` document with all its recipients, which is the commit point. What follows from it is
 * derived by `settle`. A dry run goes the same way and stops before anything is taken.
 */

import { dkimSign } from '../../mail/authentication/dkim-sign.ts'
import { ComposeError, compose, type DraftAttachment } from '../../mail/compose/compose.ts'
import { splitAddress } from '../../mail/message/address.ts'
import { readHeaders } from '../../mail/message/headers.ts'
import { Failure } from '../../schemas/failures.ts'
import { deriveId, newId } from '../../schemas/ids.ts'
import { insertBlob, packBlob } from '../../store/blobs.ts'
import type { BlobDoc, MailboxDoc, MessageDoc, Named } from '../../store/documents/mail.ts'
import type { DeliveryStatus, EmailDoc, EmailRecipient } from '../../store/documents/sending.ts'
import { findEmail, insertEmails } from '../../store/emails.ts'
import type { Principal } from '../access/principal.ts'
import { signingKeys } from '../mailbox/domains.ts'
import { fitsStorage, foldersOfMailbox } from '../mailbox/storage-limit.ts'
import { ownThreadId } from '../mailbox/threading.ts'
import { noteDue, noteFailed } from '../process/alarms.ts'
import type { Context } from '../process/context.ts'
import { createGroupCommit } from '../process/group-commit.ts'
import { perProcess } from '../process/per-process.ts'
import { sendRefusal, type Taken, takeSendAllowance } from './allowance.ts'
import { filesOf, recipientsOf, type SendInput, sendTimeOf } from './content.ts'
import { type Decided, decide, requireSendingAllowed } from './send-rules.ts'
import { settle } from './settle.ts'

/** A send on its way to the commit. */
export type Outgoing = {
  /** Null: a transactional send from an address without a mailbox. */
  readonly mailbox: MailboxDoc | null
  /** The message it answers or forwards. */
  readonly parent: MessageDoc | null
  readonly input: SendInput
  /** Whose name and address it bears; asked in its place among the rules. */
  readonly sender: () => Promise<Named>
  /** Whether a copy lies in Sent afterwards. */
  readonly keepsCopy: boolean
  readonly origin?: EmailDoc['origin']
  readonly tags?: readonly string[]
}

export type SendResult = {
  readonly id: string
  readonly messageId: string | null
  readonly threadId: string | null
  readonly status: 'queued' | 'scheduled'
  readonly sendAt?: Date
  readonly recipients: readonly { readonly email: string; readonly status: DeliveryStatus }[]
  readonly suppressed: readonly string[]
}

/** What a send would be. */
export type DryRun = {
  readonly sizeBytes: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly recipients: readonly Decided[]
}

const referencesMax = 50
/** Sends whose documents are written together. */
const groupMax = 100
const smallBlobBytes = 64 * 1024

/**
 * Accepts one mail for sending. Fails as the contract's order of checks says (decisions.md 3): `validation_error`,
 * `attachments_too_large`, `account_suspended`, `account_paused`, `sending_paused`, `CLAIM_REQUIRED`, what `sender` fails
 * with, `forbidden` (a list of the mailbox), `all_recipients_suppressed`, `AGENT_EMAIL_LIMIT`, `send_limit_reached`,
 * `shared_domain_send_limit`, `send_rate_limited`.
 */
export async function commitSend(ctx: Context, principal: Principal, outgoing: Outgoing): Promise<SendResult> {
  const { accountId } = principal
  const earlier = ctx.onceId === null ? null : await findEmail(ctx.store, { accountId, emailId: sendId(ctx) })
  if (earlier !== null) return resultOf(earlier)
  const written = await readInput(ctx, principal, outgoing)
  requireSendingAllowed(principal.account)
  const { from, decided } = await decide(ctx, principal, { ...outgoing, ...written, strict: true })
  const writes = decided.flatMap(({ email, decision }) => (decision === 'send' ? [email] : []))
  const id = sendId(ctx)
  const allowance = await takeSendAllowance(ctx, principal, {
    sender: from.address,
    recipients: writes,
    parent: outgoing.parent,
    purpose: id,
  })
  try {
    return resultOf(await writeSend(ctx, principal, { ...outgoing, ...written, id, from, decided, allowance }))
  } catch (error) {
    // Only a refusal says that nothing was committed; of anything else the sweep finds out (core/send/open-allowances.ts).
    if (error instanceof Failure) await allowance.giveBack()
    const committed = error instanceof Failure ? null : await findEmail(ctx.store, { accountId, emailId: id })
    if (committed === null) throw error
    // By this try, or by another one at the same time.
    if (committed.takenBy !== allowance.token) await allowance.giveBack()
    return resultOf(committed)
  }
}

/** What `commitSend` would do, without doing it. Fails as it does, but for what is decided of each recipient. */
export async function dryRun(ctx: Context, principal: Principal, outgoing: Outgoing): Promise<DryRun> {
  const written = await readInput(ctx, principal, outgoing)
  requireSendingAllowed(principal.account)
  const { from, decided } = await decide(ctx, principal, { ...outgoing, ...written, strict: false })
  const writes = decided.flatMap(({ email, decision }) => (decision === 'send' ? [email] : []))
  const refusal = await sendRefusal(ctx, principal, {
    sender: from.address,
    recipients: writes,
    parent: outgoing.parent,
  })
  const { raw } = await composeSigned(ctx, { ...outgoing, ...written, id: newId('em', ctx.clock.now()), from })
  return {
    sizeBytes: raw.length,
    headers: readHeaders(raw).fields.map(({ name, value }): [string, string] => [name, value]),
    recipients: decided.map((each) =>
      each.decision === 'send' && refusal !== null
        ? { ...each, decision: 'over_limit' as const, reason: refusal.message }
        : each,
    ),
  }
}

/** The answer of a send that was committed. */
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

type Written = {
  readonly recipients: readonly Named[]
  readonly files: readonly DraftAttachment[]
  readonly sendAt: Date | null
}

async function readInput(ctx: Context, principal: Principal, { mailbox, input }: Outgoing): Promise<Written> {
  const recipients = recipientsOf(input)
  if (input.text === undefined && input.html === undefined)
    throw new Failure('validation_error', 'Give a "text" or an "html" body.', { param: 'text' })
  const sendAt = sendTimeOf(ctx.clock.now(), input.sendAt)
  const files = await filesOf(ctx, principal, { mailbox: mailbox?.address ?? null, attachments: input.attachments })
  return { recipients, files, sendAt }
}

type Composing = Outgoing & Written & { readonly id: string; readonly from: Named }
/** A signed message. */
type Composed = { readonly raw: Buffer; readonly messageIdHeader: string; readonly references: readonly string[] }

async function composeSigned(ctx: Context, { id, from, parent, input, files, sendAt }: Composing): Promise<Composed> {
  const at = sendAt ?? ctx.clock.now()
  const { domain } = splitAddress(from.address)
  const messageIdHeader = `${id}@${domain}`
  const references = referencesTo(parent)
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
    references,
    messageId: messageIdHeader,
    date: at,
    inReplyTo: parent?.messageIdHeader ?? null,
    headers: Object.entries(headers),
  }
  const { raw } = await compose(draft).catch(asValidationError)
  return { raw: await dkimSign(raw, await signingKeys(ctx, domain), ctx.clock.now()), messageIdHeader, references }
}

/** The threading headers of an answer (RFC 5322 3.6.4). */
export function referencesTo(parent: MessageDoc | null): readonly string[] {
  if (parent?.messageIdHeader === undefined) return []
  const before = parent.references.length > 0 ? parent.references : parent.inReplyTo === null ? [] : [parent.inReplyTo]
  return [...before, parent.messageIdHeader].slice(-referencesMax)
}

export type Accepted = Composing & {
  readonly decided: readonly Decided[]
  readonly allowance: Pick<Taken, 'taken' | 'token' | 'close'>
  readonly batchId?: string
  /** The message, when it is written already. */
  readonly composed?: Composed
}

/** Commits a send whose rules were asked: composed, signed, inserted, settled. Rejects when its id was committed before. */
export async function writeSend(
  ctx: Context,
  { accountId, keyId, account }: Pick<Principal, 'accountId' | 'account'> & { readonly keyId: string | null },
  accepted: Accepted,
): Promise<EmailDoc> {
  const { id, mailbox, parent, input, decided, from, sendAt, origin, batchId, tags, allowance } = accepted
  const at = ctx.clock.now()
  const { raw, messageIdHeader, references } = accepted.composed ?? (await composeSigned(ctx, accepted))
  const folders = accepted.keepsCopy && mailbox !== null ? await foldersOfMailbox(ctx, mailbox._id) : []
  const keepsCopy = accepted.keepsCopy && mailbox !== null && fitsStorage(account, folders, raw.length)
  const messageId = keepsCopy ? newId('msg', sendAt ?? at) : null
  const users = messageId === null ? [id] : [id, messageId]
  const { ref, chunks } = await packBlob({ id: newId('blb', at), bytes: raw, users, at })
  const email: EmailDoc = {
    _id: id,
    accountId,
    keyId,
    mailboxId: mailbox?._id ?? null,
    mailbox: mailbox?.address ?? null,
    from,
    to: input.to ?? [],
    cc: input.cc ?? [],
    bcc: input.bcc ?? [],
    subject: input.subject ?? null,
    messageIdHeader,
    blob: ref,
    messageId,
    references,
    taken: allowance.taken,
    takenBy: allowance.token,
    createdAt: at,
    threadId: threadIdOf({ id: messageId, mailbox, parent, messageIdHeader }),
    inReplyTo: parent?.messageIdHeader ?? null,
    ...(origin !== undefined && { origin }),
    ...(batchId !== undefined && { batchId }),
    ...(tags !== undefined && { tags }),
    ...(sendAt !== null && { sendAt, scheduledFor: sendAt }),
    planned: false,
    rev: 0,
    todoAt: sendAt ?? at,
    recipients: decided.map(({ email: address, decision }) => recipientRow(address, decision === 'suppressed', at)),
  }
  await writeBlob(ctx, chunks)
  if (!(await commits(ctx)({ ctx, email }))) throw new Error(`Another try of ${id} was committed meanwhile.`)
  // Accepted is accepted: the sweeps do what this could not.
  const later = (error: unknown) => {
    ctx.log.error({ err: error, emailId: id }, 'send is to be settled later')
    noteFailed(ctx, 'sends')
  }
  if (sendAt !== null) noteDue(ctx, 'sends', sendAt)
  await Promise.all([
    allowance.close().catch(later),
    sendAt === null ? settle(ctx, email, { raw, folders }).catch(later) : undefined,
  ])
  return email
}

/** Of the Sent copy; null without one. */
function threadIdOf({
  id,
  mailbox,
  parent,
  messageIdHeader: messageId,
}: Pick<Outgoing, 'mailbox' | 'parent'> & { readonly id: string | null; readonly messageIdHeader: string }):
  | string
  | null {
  if (id === null || mailbox === null) return null
  return parent?.threadId ?? ownThreadId({ id, mailboxId: mailbox._id }, { messageId })
}

type NewBlob = { readonly ctx: Context; readonly chunks: readonly BlobDoc[] }

const blobs = perProcess(() =>
  createGroupCommit<NewBlob>(groupMax, async (group) => {
    await insertBlob(
      group[0]!.ctx.store,
      group.flatMap(({ chunks }) => chunks),
    )
    return []
  }),
)

/** Small blobs are written together. */
function writeBlob(ctx: Context, chunks: readonly BlobDoc[]): Promise<void> {
  const sizeBytes = chunks.reduce((sum, { data }) => sum + data.length(), 0)
  return sizeBytes > smallBlobBytes ? insertBlob(ctx.store, chunks) : blobs(ctx)({ ctx, chunks })
}

const commits = perProcess(() =>
  createGroupCommit<{ readonly ctx: Context; readonly email: EmailDoc }, boolean>(groupMax, async (group) => {
    const before = await insertEmails(
      group[0]!.ctx.store,
      group.map(({ email }) => email),
    )
    return group.map((_, n) => !before.has(n))
  }),
)

function recipientRow(email: string, suppressed: boolean, at: Date): EmailRecipient {
  const untried = { at, mx: null, response: null, tls: null, attempts: 0, announced: null }
  return suppressed
    ? { email, status: 'failed', reason: 'suppressed', ...untried }
    : { email, status: 'queued', reason: null, ...untried }
}

/** The id of this send: every try under one Idempotency-Key has the same, so that it is committed once. */
function sendId({ onceId, clock }: Context): string {
  return onceId === null ? newId('em', clock.now()) : deriveId('em', onceId, 'send')
}

/** What the composer refuses is the caller's to mend. */
export function asValidationError(error: unknown): never {
  if (error instanceof ComposeError) throw new Failure('validation_error', error.message, { param: error.field })
  throw error
}
