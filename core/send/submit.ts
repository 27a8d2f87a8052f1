/**
 * Message submission by mail programs (RFC 6409): the rules, allowance and commit of any send, with the bytes that the
 * program wrote. A repeat after a lost connection returns the first send. A mail that has none of Message-ID, Date and
 * Received is never taken for a repeat.
 */
import { createHash } from 'node:crypto'
import { forgedResults, withoutRanges } from '../../mail/authentication/authentication-results.ts'
import { dkimSign } from '../../mail/authentication/dkim-sign.ts'
import { finishSubmission, originatorsOf, strayLine } from '../../mail/compose/submission.ts'
import { withCrlfLines } from '../../mail/encoding/line-ends.ts'
import { formatNamedAddress, normaliseAddress, splitAddress } from '../../mail/message/address.ts'
import { isDistinct, readHeaders } from '../../mail/message/headers.ts'
import type { ParsedMessage } from '../../mail/message/parse.ts'
import { ancestors } from '../../mail/message/threading.ts'
import { Failure } from '../../schemas/failures.ts'
import { newToken } from '../../schemas/ids.ts'
import type { MailboxDoc, MessageDoc, Named } from '../../store/documents/mail.ts'
import { findMessagesByHeader } from '../../store/messages.ts'
import { requireAllowed } from '../access/account-record.ts'
import { noteAudit } from '../access/audit.ts'
import { type BegunRequest, beginIdempotent } from '../access/idempotency.ts'
import type { Login } from '../account/login.ts'
import { findSend } from '../deliver/approval-state.ts'
import { signingKeys } from '../mailbox/domains.ts'
import { dayMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { codeOf } from '../process/database-away.ts'
import { allowanceOfSend } from './allowance.ts'
import { askApproval } from './approval-requests.ts'
import { draftIdOf, sendIdOf, writeSend } from './commit.ts'
import type { Composed } from './send-fields.ts'
import { decideRecipients } from './send-rules.ts'
import { mailboxSender } from './sender.ts'

export type Submission = {
  readonly raw: Buffer
  /** Reverse-path of the envelope. Only whether it is '', the null sender, is used. */
  readonly reversePath: string
  /** The recipients of the envelope, in canonical form. */
  readonly recipients: readonly string[]
  /** Network address of the client. */
  readonly peerAddress: string
}

/** How long the same bytes to the same recipients count as a repeat, unless two mails may have the same bytes. */
const repeatMs = dayMs

/** An accepted message: the id of its send, and whether the send waits for approval. */
export type Submitted = { readonly id: string; readonly isWaiting: boolean }

/**
 * Accepts a submitted message. Fails with `payload_too_large` (the header), `invalid_request` (a header line that is not a field, or
 * NUL), `invalid_sender` (no author, or several), `forbidden` and `domain_not_on_account` (From or Sender is not an address
 * of the mailbox), as `beginIdempotent` does, and by the rules of sending as `commitSend` does.
 */
export async function submit(ctx: Context, login: Login, submission: Submission): Promise<Submitted> {
  const { accountId, keyId } = login.principal
  const note = (outcome: string) =>
    ctx.background.begin(accountId, () =>
      noteAudit(ctx, {
        accountId,
        keyId,
        action: 'submission.send',
        target: login.mailbox.address,
        outcome,
        address: submission.peerAddress,
      }),
    )
  try {
    const { id, isRepeated } = await submitIdempotent(ctx, login, submission)
    if (!isRepeated) await note('done')
    const send = login.principal.waitsForApproval ? await findSend(ctx, { accountId, emailId: id }) : null
    return { id, isWaiting: send?.approval?.status === 'waiting' }
  } catch (error) {
    await note(codeOf(error))
    throw error
  }
}

async function submitIdempotent(
  ctx: Context,
  login: Login,
  submission: Submission,
): Promise<{ id: string; isRepeated: boolean }> {
  const { accountId, marksUnder, keyId } = login.principal
  const key = createHash('sha256')
    .update(submission.recipients.join(' '))
    .update('\0')
    .update(isDistinct(readHeaders(submission.raw).fields) ? '' : newToken())
    .update(submission.raw)
    .digest('hex')
  const path = `submission ${login.mailbox._id}`
  const mark = { accountId: marksUnder, keyId, path, key, fingerprint: key, keepMs: repeatMs }
  const request = await beginIdempotent(ctx, mark)
  if (request.done) return { id: request.body, isRepeated: true }
  try {
    const draftId = draftIdOf(request.onceId)
    const id = sendIdOf(draftId)
    const earlier = request.mayRepeat ? await findSend(ctx, { accountId, emailId: id }) : null
    if (earlier === null) await submitOnce(ctx, login, { ...submission, id, draftId, request })
    else await request.finish(answerOf(id))
    return { id, isRepeated: earlier !== null }
  } catch (error) {
    await (error instanceof Failure ? request.abandon() : request.release())
    throw error
  }
}

/** The stored answer, which a repeated submission gets. */
const answerOf = (id: string) => ({ status: 202, body: id })

type NewSubmission = Submission & { readonly id: string; readonly draftId: string; readonly request: BegunRequest }

async function submitOnce(
  ctx: Context,
  { principal, mailbox }: Login,
  { raw: given, reversePath, recipients, id, draftId, request }: NewSubmission,
): Promise<void> {
  // Lines are normalised before the checks: text behind a bare CR cannot turn into a header field later.
  const raw = withoutResults(ctx, await withCrlfLines(given))
  const description = await ctx.parsing.run('description', { raw })
  const { parsed } = description
  // Header fields past the limit would be neither checked nor, if they are Bcc, removed.
  if (readHeaders(raw).truncated) {
    throw new Failure('payload_too_large', 'The header of the message is too large.', {
      fix: 'Send it with fewer or shorter header fields.',
    })
  }
  const stray = strayLine(raw)
  if (stray !== null)
    throw new Failure(
      'invalid_request',
      `Line ${stray} of the message is neither a header field nor the continuation of one; an empty line ends the header.`,
      {
        fix: 'Put an empty line between header and body, and begin continuation lines of a field with a space.',
      },
    )
  if (raw.subarray(0, parsed.root.bodyStart).includes(0))
    throw new Failure('invalid_request', 'The header of the message contains a NUL character.', {
      fix: 'Remove NUL from the header fields.',
    })
  const origin = originatorsOf(parsed)
  if (origin === null)
    throw new Failure('invalid_sender', 'The message must have exactly one From field with exactly one address.')
  requireAllowed(principal.account, 'reply')
  const parent = await parentOf(ctx, mailbox, parsed)
  const to = recipients.map((address) => ({ name: '', address }))
  const { from, decided } = await decideRecipients(ctx, principal, {
    mailbox,
    parent,
    recipients: to,
    strict: true,
    sender: () => originator(ctx, mailbox, origin),
  })
  const send = {
    id,
    mailbox,
    parent,
    from,
    recipients: to,
    sendAt: null,
    keepsCopy: true,
    origin: 'submission',
    nullSender: reversePath === '',
    input: { ...recipientFields(parsed, recipients), subject: parsed.subject ?? undefined },
  } as const
  const whole = finishMessage(ctx, { raw, parsed, from, id })
  if (principal.waitsForApproval) {
    await askApproval(ctx, principal, { ...send, draftId, composed: whole })
    await request.finish(answerOf(id))
    return
  }
  const accepted = decided.flatMap(({ email, decision }) => (decision === 'send' ? [email] : []))
  const allowance = await allowanceOfSend(ctx, principal, {
    sender: from.address,
    recipients: accepted,
    parent,
    mailboxId: mailbox._id,
    purpose: id,
    // A later try may find an approval that an earlier one stored, and others can commit that as well.
    ...(!request.mayRepeat && { hold: request.hold }),
  })
  const keys = await signingKeys(ctx, splitAddress(from.address).domain)
  await writeSend(ctx, principal, {
    ...send,
    files: [],
    decided,
    allowance,
    sender: async () => from,
    composed: { ...whole, raw: await dkimSign(whole.raw, keys, ctx.clock.now()) },
    ...(whole.raw === raw && { description }),
    finishing: request.finishing(answerOf(id)),
  })
}

/**
 * Removes Authentication-Results in our name (RFC 8601 5). Nothing has been checked yet, and on the way to mailboxes of ours the
 * message does not pass the inbound door, which removes such fields.
 */
function withoutResults({ hostname }: Context, raw: Buffer): Buffer {
  return withoutRanges(raw, forgedResults(raw, hostname, Number.POSITIVE_INFINITY) ?? [])
}

/** The author, if both From and Sender are addresses of the mailbox. Fails as `mailboxSender` does. */
async function originator(
  ctx: Context,
  mailbox: MailboxDoc,
  { author, sender }: NonNullable<ReturnType<typeof originatorsOf>>,
): Promise<Named> {
  if (sender !== null) await mailboxSender(ctx, mailbox, { from: formatNamedAddress(sender) })
  return mailboxSender(ctx, mailbox, { from: formatNamedAddress(author), fromName: author.name })
}

/** The message as it is sent, unsigned: without Bcc and overlong lines, and with the header fields that a message must have. */
function finishMessage(
  ctx: Context,
  { raw, parsed, from, id }: { raw: Buffer; parsed: ParsedMessage; from: Named; id: string },
): Composed {
  const messageIdHeader = parsed.messageId ?? `${id}@${splitAddress(from.address).domain}`
  const whole = finishSubmission(raw, { parsed, date: ctx.clock.now(), messageId: messageIdHeader })
  const { inReplyTo, references } = parsed
  return { raw: whole, messageIdHeader, inReplyTo, references }
}

async function parentOf(ctx: Context, mailbox: MailboxDoc, parsed: ParsedMessage): Promise<MessageDoc | null> {
  const nearest = ancestors(parsed)
  const found = await findMessagesByHeader(ctx.store, { mailboxId: mailbox._id, messageIds: nearest })
  return nearest.flatMap((id) => found.find(({ messageIdHeader }) => messageIdHeader === id) ?? [])[0] ?? null
}

/** The recipients in the header; the other recipients of the envelope become Bcc. */
function recipientFields(
  { to, cc }: ParsedMessage,
  recipients: readonly string[],
): { to: readonly Named[]; cc: readonly Named[]; bcc: readonly Named[] } {
  const named = new Set([...to, ...cc].map(({ address }) => normaliseAddress(address)))
  const bcc = recipients.filter((address) => !named.has(address)).map((address) => ({ name: '', address }))
  return { to, cc, bcc }
}
