/**
 * Mail goes out. Every way of sending ends in `commitSend`: rules, allowance, one MIME with its DKIM signature, and the
 * insert of the `emails` document with all its recipients, which is the commit point. What follows from it is derived by
 * `settle`.
 */
import { normaliseAddress, parseMailbox, splitAddress, withoutTag } from '../mail/address.ts'
import { ComposeError, compose, type DraftAttachment, replySubject } from '../mail/compose.ts'
import { dkimSign } from '../mail/sign.ts'
import { Failure } from '../schemas/failures.ts'
import { deriveId, newId } from '../schemas/ids.ts'
import { allowanceOf } from '../schemas/plans.ts'
import { insertBlob, packBlob } from '../store/blobs.ts'
import type { MailboxDoc, MessageDoc, Named } from '../store/documents/mail.ts'
import type { DeliveryStatus, EmailDoc } from '../store/documents/sending.ts'
import { findEmail, insertEmail } from '../store/emails.ts'
import { storageUsed } from '../store/folders.ts'
import { findDomain } from '../store/mailboxes.ts'
import { findMessage } from '../store/messages.ts'
import { requireClaim, takeSendAllowance } from './allowance.ts'
import type { Context } from './context.ts'
import { signingKeys } from './domains.ts'
import { reachMailbox } from './mailboxes.ts'
import { changeMessage } from './message-changes.ts'
import { reachMessage } from './messages.ts'
import type { Principal } from './principal.ts'
import { readAttachment } from './reading.ts'
import { settle } from './settle.ts'

export type NewAttachment =
  | { readonly name: string; readonly contentType: string; readonly content: Buffer; readonly contentId?: string }
  | { readonly messageId: string; readonly attachmentId: string }

export type SendInput = {
  readonly to?: readonly Named[]
  readonly cc?: readonly Named[]
  readonly bcc?: readonly Named[]
  readonly from?: string
  readonly fromName?: string
  readonly replyTo?: readonly Named[]
  readonly subject?: string
  readonly text?: string
  readonly html?: string
  readonly attachments?: readonly NewAttachment[]
  /** A message id of the mailbox: sets the threading headers. */
  readonly inReplyTo?: string
  readonly headers?: { readonly [name: string]: string }
}

export type SendResult = {
  readonly id: string
  readonly messageId: string | null
  readonly threadId: string | null
  readonly status: 'queued'
  readonly recipients: readonly { readonly email: string; readonly status: DeliveryStatus }[]
  readonly suppressed: readonly string[]
}

const recipientsMax = 50
const attachmentsMax = 10
const attachmentBytesMax = 10 * 1024 * 1024
const referencesMax = 50

/**
 * Accepts one mail for sending. Fails as the contract's order of checks says (decisions.md 3): `mailbox_not_found`,
 * `validation_error`, `attachments_too_large`, `account_paused`, `sending_paused`, `CLAIM_REQUIRED`, `invalid_sender`,
 * `domain_not_on_account`, `forbidden`, `AGENT_EMAIL_LIMIT`, `send_limit_reached`, `shared_domain_send_limit`,
 * `send_rate_limited`.
 */
export async function sendMessage(
  ctx: Context,
  principal: Principal,
  { address, ...input }: { address: string } & SendInput,
): Promise<SendResult> {
  const mailbox = await reachMailbox(ctx, principal, address)
  const parent = input.inReplyTo === undefined ? null : await parentOf(ctx, mailbox, input.inReplyTo)
  return commitSend(ctx, principal, { mailbox, parent, input })
}

/**
 * Answers a message: to its sender (its Reply-To once the account is claimed), or to all it went to. Subject and threading
 * headers follow the message; it is marked answered.
 */
export async function replyToMessage(
  ctx: Context,
  principal: Principal,
  {
    address,
    messageId,
    all = false,
    ...input
  }: { address: string; messageId: string; all?: boolean } & Omit<SendInput, 'to' | 'inReplyTo'>,
): Promise<SendResult> {
  const { mailbox, message } = await reachMessage(ctx, principal, { address, messageId })
  const unclaimed = principal.account.status === 'unclaimed'
  const answerTo =
    !unclaimed && message.replyTo.length > 0 ? message.replyTo : message.from === null ? [] : [message.from]
  const own = (named: Named) => withoutTag(normaliseAddress(named.address) ?? '').base === mailbox.address
  // Answering one's own mail goes on to those it was sent to.
  const to = answerTo.every(own) && message.to.length > 0 ? message.to : answerTo
  const others = all ? [...message.to, ...message.cc].filter((named) => !own(named) && !to.some(sameAs(named))) : []
  const result = await commitSend(ctx, principal, {
    mailbox,
    parent: message,
    input: {
      ...input,
      to,
      cc: [...(input.cc ?? []), ...others],
      subject: input.subject ?? replySubject(message.subject),
    },
  })
  await changeMessage(ctx, principal, { address, messageId, answered: true }).catch((error: unknown) => {
    // The reply is on its way: a message moved or deleted meanwhile does not undo it.
    if (!(error instanceof Failure)) throw error
  })
  return result
}

/** The rules of sending, then the commit. */
async function commitSend(
  ctx: Context,
  principal: Principal,
  { mailbox, parent, input }: { mailbox: MailboxDoc; parent: MessageDoc | null; input: SendInput },
): Promise<SendResult> {
  const earlier =
    ctx.onceId === null ? null : await findEmail(ctx.store, { accountId: principal.accountId, emailId: sendId(ctx) })
  if (earlier !== null) return resultOf(earlier)
  const recipients = recipientsOf(input)
  if (input.text === undefined && input.html === undefined)
    throw new Failure('validation_error', 'Give a "text" or an "html" body.', { param: 'text' })
  const attachments = await attachmentsOf(ctx, principal, mailbox, input.attachments ?? [])
  requireSendingAllowed(principal)
  const addresses = recipients.map(({ address }) => address)
  await requireClaim(ctx, principal, { mailbox, recipients: addresses, parent })
  const from = await senderOf(ctx, mailbox, input)
  const giveBack = await takeSendAllowance(ctx, principal, { mailbox, recipients: addresses })
  try {
    return await writeSend(ctx, principal, { mailbox, parent, input, recipients, attachments, from })
  } catch (error) {
    await giveBack()
    throw error
  }
}

type Composed = {
  readonly mailbox: MailboxDoc
  readonly parent: MessageDoc | null
  readonly input: SendInput
  readonly recipients: readonly Named[]
  readonly attachments: readonly DraftAttachment[]
  readonly from: Named
}

async function writeSend(
  ctx: Context,
  principal: Principal,
  { mailbox, parent, input, recipients, attachments, from }: Composed,
): Promise<SendResult> {
  const at = ctx.clock.now()
  const id = sendId(ctx)
  const { domain } = splitAddress(from.address)
  const messageIdHeader = `${id}@${domain}`
  const parentId = parent?.messageIdHeader
  const references =
    parent === null || parentId === undefined
      ? []
      : [
          ...(parent.references.length > 0 ? parent.references : parent.inReplyTo === null ? [] : [parent.inReplyTo]),
          parentId,
        ].slice(-referencesMax)
  const draft = {
    ...{
      from,
      to: input.to ?? [],
      cc: input.cc ?? [],
      bcc: input.bcc ?? [],
      replyTo: input.replyTo ?? [],
      subject: input.subject ?? '',
    },
    ...{
      text: input.text ?? null,
      html: input.html ?? null,
      attachments,
      messageId: messageIdHeader,
      date: at,
      inReplyTo: parentId ?? null,
      references,
    },
    headers: Object.entries(input.headers ?? {}),
  }
  const { raw } = await compose(draft).catch(asValidationError)
  const signed = await dkimSign(raw, await signingKeys(ctx, domain), at)
  const room = allowanceOf(principal.account).storagePerInboxBytes - (await storageUsed(ctx.store, mailbox._id))
  const keepsCopy = signed.length <= room
  const messageId = keepsCopy ? newId('msg', at) : null
  const { ref, chunks } = await packBlob({ id: newId('blb', at), bytes: signed, refs: keepsCopy ? 2 : 1, at })
  const email: EmailDoc = {
    ...{
      _id: id,
      accountId: principal.accountId,
      mailboxId: mailbox._id,
      mailbox: mailbox.address,
      keyId: principal.keyId,
    },
    ...{
      from,
      to: draft.to,
      cc: draft.cc,
      bcc: draft.bcc,
      subject: input.subject ?? null,
      messageIdHeader,
      blob: ref,
      messageId,
    },
    threadId: messageId === null ? null : (parent?.threadId ?? deriveId('thr', messageId, 'thread')),
    ...{ inReplyTo: parentId ?? null, references, createdAt: at, planned: false, rev: 0, todoAt: at },
    recipients: recipients.map(({ address }) => ({
      email: address,
      status: 'queued',
      reason: null,
      at,
      mx: null,
      response: null,
      tls: null,
      attempts: 0,
      announced: null,
    })),
  }
  await insertBlob(ctx.store, chunks)
  if (!(await insertEmail(ctx.store, email))) throw new Error(`Another try of ${id} was committed meanwhile.`)
  await settle(ctx, email).catch((error: unknown) => {
    // Accepted is accepted: the sweep settles what this could not.
    ctx.log.error({ err: error, emailId: id }, 'send is to be settled later')
  })
  return resultOf(email)
}

/** The id of this send: every try under one Idempotency-Key has the same, so that it is committed once. */
function sendId({ onceId, clock }: Context): string {
  return onceId === null ? newId('em', clock.now()) : deriveId('em', onceId, 'send')
}

function resultOf({ _id, messageId, threadId, recipients }: EmailDoc): SendResult {
  return {
    ...{ id: _id, messageId, threadId, status: 'queued', suppressed: [] },
    recipients: recipients.map(({ email, status }) => ({ email, status })),
  }
}

/** Every recipient once, in canonical form. */
function recipientsOf({ to = [], cc = [], bcc = [] }: SendInput): Named[] {
  const fields = { to, cc, bcc }
  const recipients = new Map<string, Named>()
  for (const [field, list] of Object.entries(fields)) {
    for (const [n, { name, address }] of list.entries()) {
      const canonical = normaliseAddress(address)
      if (canonical === null)
        throw new Failure('validation_error', `"${address}" is not a mail address.`, { param: `${field}[${n}]` })
      recipients.set(canonical, { name, address: canonical })
    }
  }
  if (recipients.size === 0) throw new Failure('validation_error', 'There is no recipient.', { param: 'to' })
  if (recipients.size > recipientsMax)
    throw new Failure('validation_error', `More than ${recipientsMax} recipients in one send.`, { param: 'to' })
  return [...recipients.values()]
}

/** The mailbox itself or its plus form, with the name recipients see. */
async function senderOf(ctx: Context, mailbox: MailboxDoc, { from, fromName }: SendInput): Promise<Named> {
  const given = from === undefined ? { name: '', address: mailbox.address } : parseMailbox(from)
  const address = given === null ? null : normaliseAddress(given.address)
  if (given === null || address === null) throw new Failure('invalid_sender', undefined, { param: 'from' })
  if (withoutTag(address).base !== mailbox.address) {
    const owner = await findDomain(ctx.store, splitAddress(address).domain)
    if (owner === null || owner.accountId !== mailbox.accountId)
      throw new Failure('domain_not_on_account', `The domain of ${address} is not on this account.`)
    throw new Failure('forbidden', `This mailbox sends as ${mailbox.address}, not as ${address}.`)
  }
  const domain = await findDomain(ctx.store, mailbox.domain)
  const name = fromName ?? (given.name !== '' ? given.name : (mailbox.displayName ?? domain?.defaultDisplayName ?? ''))
  return { name, address }
}

async function attachmentsOf(
  ctx: Context,
  principal: Principal,
  mailbox: MailboxDoc,
  attachments: readonly NewAttachment[],
): Promise<DraftAttachment[]> {
  if (attachments.length > attachmentsMax)
    throw new Failure('attachments_too_large', `More than ${attachmentsMax} files.`)
  const files = await Promise.all(
    attachments.map(async (attachment): Promise<DraftAttachment> => {
      if ('content' in attachment) return { ...attachment, inline: attachment.contentId !== undefined }
      return readAttachment(ctx, principal, { address: mailbox.address, ...attachment })
    }),
  )
  const bytes = files.reduce((sum, { content }) => sum + content.length, 0)
  if (bytes > attachmentBytesMax) throw new Failure('attachments_too_large', 'The files have more than 10 MB in total.')
  return files
}

async function parentOf(ctx: Context, mailbox: MailboxDoc, messageId: string): Promise<MessageDoc> {
  const parent = await findMessage(ctx.store, { mailboxId: mailbox._id, messageId })
  if (parent === null)
    throw new Failure('validation_error', `There is no message ${messageId} in this mailbox.`, { param: 'inReplyTo' })
  return parent
}

function requireSendingAllowed({ account }: Principal): void {
  if (account.status === 'suspended') throw new Failure('account_suspended')
  if (account.status === 'paused') throw new Failure('account_paused')
  if (account.sendingPaused !== null)
    throw new Failure('sending_paused', `Sending is paused: ${account.sendingPaused.reason}.`)
}

function asValidationError(error: unknown): never {
  if (error instanceof ComposeError) throw new Failure('validation_error', error.message, { param: error.field })
  throw error
}

const sameAs = (a: Named) => (b: Named) => a.address === b.address
