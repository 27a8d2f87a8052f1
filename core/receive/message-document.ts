/** Makes message documents from what a message says about itself and from the mailbox it is delivered to. */
import { bindVerification } from '../../mail/codes/verification.ts'
import { normaliseAddress, withoutTag } from '../../mail/message/address.ts'
import type { ParsedMessage } from '../../mail/message/parse.ts'
import { rootAndLatest } from '../../mail/message/threading.ts'
import type { NewMessage } from '../../store/arrivals.ts'
import { toBinary } from '../../store/bytes.ts'
import type { BlobRef, MessageContent, Named } from '../../store/documents/mail.ts'
import { threadIdOf } from '../mailbox/threading.ts'
import type { Description, ReadArrival } from '../parsing/jobs.ts'
import type { Context } from '../process/context.ts'
import type { RecipientMailbox } from './recipient-cache.ts'
import type { Verdict } from './sender-verdict.ts'
import { type Peer, shownBytes, traceOf } from './trace-headers.ts'
import { isAuthentic, isAutomaticMail, trustOf } from './trust.ts'

/** Most addresses of one header field that the document keeps; the raw bytes have all of them. */
const addressesMax = 100
const referencesMax = 20

/** A received message, parsed and packed, with the envelope and the connection it came by. */
export type AcceptedMessage = {
  readonly arrival: ReadArrival
  readonly blob: BlobRef
  /** Reverse-path of the envelope; '' is the null sender. */
  readonly reversePath: string
  readonly peer: Peer
  readonly transactionId: string
  /** The result of verifying the sender; absent when it was not verified. */
  readonly verdict?: Verdict
}

/** One mailbox that the message is delivered to, with its id there. */
export type Placement = {
  readonly id: string
  /** When it is received. Lists are bounded by ids, so that the id is made for the same time. */
  readonly at: Date
  readonly mailbox: RecipientMailbox
  readonly folderId: string
  /** The recipient address of the envelope. */
  readonly deliveredTo: string
  /** Whether this is the first mail of its author to the mailbox. */
  readonly firstContact: boolean
}

/** Makes the document of a message for one mailbox. `ctx` has the clock of the mailbox's account. */
export async function documentOf(
  ctx: Context,
  { arrival, blob, reversePath, peer, transactionId, verdict }: AcceptedMessage,
  { id, at, mailbox, folderId, deliveredTo, firstContact }: Placement,
): Promise<NewMessage> {
  const { parsed, alternativesDiffer } = arrival
  const { mailboxId, accountId, address } = mailbox
  const infos = verdict?.authentication.infos ?? null
  const isAuthored = isAuthentic({ parsed, reversePath, peer }, verdict)
  const trace = traceOf(ctx, { reversePath, peer, transactionId, deliveredTo, infos, at })
  return {
    _id: id,
    accountId,
    mailboxId,
    mailbox: address,
    folderId,
    threadId: await threadIdOf(ctx, { id, mailboxId, parsed }),
    seen: false,
    flagged: false,
    answered: false,
    deliveredTo,
    trace,
    ...(folderId === mailbox.spamId && { discardedAt: at }),
    ...(isAuthored && { authentic: true }),
    ...(isAuthored &&
      folderId !== mailbox.spamId &&
      wantsReply(mailbox, { parsed, reversePath, deliveredTo }) && { autoReplyDue: true }),
    ...(verdict !== undefined && {
      trust: trustOf(ctx, verdict, { parsed, reversePath, mailbox, firstContact, alternativesDiffer }),
    }),
    ...describe(arrival, blob),
    shownBytes: shownBytes({ trace, cuts: verdict?.cuts }, blob.sizeBytes),
    receivedAt: at,
    fingerprint: toBinary(arrival.fingerprint),
    ...cutsOf(verdict),
    ...ctx.tracing.cause(),
    ...verificationOf(arrival, verdict),
  }
}

/**
 * Whether an authentic message is due the automatic reply of a mailbox (RFC 3834 2): a person wrote it, from another address, and
 * To or Cc names the mailbox. Mail to a list or a hidden recipient does not name it.
 */
function wantsReply(
  { autoReplies, address }: RecipientMailbox,
  { parsed, reversePath, deliveredTo }: { parsed: ParsedMessage; reversePath: string; deliveredTo: string },
): boolean {
  if (!autoReplies || isAutomaticMail(parsed, reversePath)) return false
  const own = [address, deliveredTo]
  const isOwn = (given: Named) => {
    const canonical = normaliseAddress(given.address) ?? ''
    return own.includes(canonical) || own.includes(withoutTag(canonical).base)
  }
  return [...parsed.to, ...parsed.cc].some(isOwn) && parsed.from !== null && !isOwn(parsed.from)
}

/** The fields of a message document that describe the message itself. */
export function describe({ parsed, snippet }: Description, blob: BlobRef): MessageContent {
  return {
    from: parsed.from === null ? null : named(parsed.from),
    ...(parsed.authorName !== null && { authorName: parsed.authorName }),
    to: parsed.to.slice(0, addressesMax).map(named),
    cc: parsed.cc.slice(0, addressesMax).map(named),
    bcc: parsed.bcc.slice(0, addressesMax).map(named),
    replyTo: parsed.replyTo.slice(0, addressesMax).map(named),
    ...((parsed.authors.length > 1 || parsed.hasGroups) && { namesMore: true }),
    subject: parsed.subject,
    snippet: snippet || null,
    date: parsed.date,
    ...(parsed.messageId !== null && { messageIdHeader: parsed.messageId }),
    inReplyTo: parsed.inReplyTo,
    references: rootAndLatest(parsed.references, referencesMax),
    attachments: parsed.attachments.map(({ partId, name, contentType, sizeBytes, inline, contentId }) => ({
      partId,
      name,
      contentType,
      sizeBytes,
      inline,
      contentId,
    })),
    encrypted: parsed.encrypted,
    sizeBytes: blob.sizeBytes,
    shownBytes: blob.sizeBytes,
    blob,
  }
}

/** Whether a header field of the message has more addresses than the document keeps. */
export function hasMoreAddresses({ to, cc, bcc, replyTo }: ParsedMessage): boolean {
  return [to, cc, bcc, replyTo].some(({ length }) => length > addressesMax)
}

const verificationOf = ({ found }: ReadArrival, verdict: Verdict | undefined): Pick<NewMessage, 'verification'> =>
  found === null ? {} : { verification: bindVerification(found, verdict?.authentication.alignedFrom ?? null) }

const cutsOf = (verdict: Verdict | undefined): Pick<NewMessage, 'cuts'> =>
  verdict === undefined || verdict.cuts.length === 0 ? {} : { cuts: verdict.cuts }

const named = ({ name, address }: Named): Named => ({ name, address })
