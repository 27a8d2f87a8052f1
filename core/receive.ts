/**
 * Mail comes in. The insert of the message document is the commit point: `receive` resolves after the database says it is
 * on disk, and everything else (event, contact, webhook) is derived from that document, here or by the sweep.
 */
import { createHash } from 'node:crypto'
import { quickSnippet } from '../mail/body.ts'
import { type ParsedMessage, parseMessage } from '../mail/parse.ts'
import { ancestors } from '../mail/threading.ts'
import { Failure } from '../schemas/failures.ts'
import { deriveId, newId } from '../schemas/ids.ts'
import type { NewMessage } from '../store/arrivals.ts'
import { packBlob } from '../store/blobs.ts'
import { toBinary } from '../store/bytes.ts'
import type { BlobRef, Named } from '../store/documents/mail.ts'
import { findByHeader } from '../store/messages.ts'
import type { Context } from './context.ts'
import type { Recipient, RecipientMailbox } from './recipients.ts'

export type Delivery = {
  readonly raw: Buffer
  /** '' is the null sender. */
  readonly reversePath: string
  readonly recipients: readonly Recipient[]
  readonly peer: Peer
  readonly transactionId: string
}

export type Peer = {
  readonly address: string
  readonly helo: string /** As in RFC 3848: ESMTP, ESMTPS ... */
  readonly protocol: string
  readonly cipher: string | null
}

/** A writer gives up after this long; what is then committed late is recognised when the sender repeats. */
const giveUpMs = 20_000
/** Addresses of one header kept on the document; the raw bytes have them all. */
const addressesMax = 100
const referencesMax = 20

/**
 * Stores a message for its recipients and resolves with the id it has in each mailbox, when all of that is on disk. A
 * repeat of the same bytes from the same reverse-path finds the first message. Fails with `unavailable` (451) and
 * `payload_too_large` (552, MIME parts nested too deep).
 */
export async function receive(
  ctx: Context,
  { raw, reversePath, recipients, peer, transactionId }: Delivery,
): Promise<{ messageIds: readonly string[] }> {
  const at = ctx.clock.now()
  const parsed = parseMessage(raw)
  if (parsed.depth > ctx.settings.limits.smtp.mimeDepth)
    throw new Failure(
      'payload_too_large',
      `The message has more than ${ctx.settings.limits.smtp.mimeDepth} levels of MIME parts.`,
    )
  const mailboxes = distinct(recipients)
  const { ref, chunks } = await packBlob({ id: newId('blb', at), bytes: raw, refs: mailboxes.length, at })
  const fingerprint = toBinary(createHash('sha256').update(`${reversePath}\0`).update(raw).digest())
  const common = { ...describe(raw, parsed, ref), receivedAt: at, fingerprint }
  const messages = await Promise.all(
    mailboxes.map(async ({ mailbox, deliveredTo }): Promise<NewMessage> => {
      const id = newId('msg', at)
      return {
        _id: id,
        accountId: mailbox.accountId,
        mailboxId: mailbox.mailboxId,
        mailbox: mailbox.address,
        folderId: mailbox.inboxId,
        threadId: await threadOf(ctx, { id, mailboxId: mailbox.mailboxId, parsed }),
        seen: false,
        flagged: false,
        answered: false,
        deliveredTo,
        trace: traceOf(ctx, { reversePath, peer, transactionId, deliveredTo, at }),
        ...common,
      }
    }),
  )
  const stored = await withinTime(ctx, ctx.arrivals.write({ chunks, messages }))
  const fresh = stored.filter(({ repeated }) => !repeated).map(({ id }) => id)
  if (fresh.length > 0) ctx.changes.publish({ kind: 'messages', ids: fresh })
  return { messageIds: stored.map(({ id }) => id) }
}

/** What a message document says of the message itself. */
export function describe(
  raw: Buffer,
  parsed: ParsedMessage,
  blob: BlobRef,
): Pick<
  NewMessage,
  | 'from'
  | 'to'
  | 'cc'
  | 'bcc'
  | 'replyTo'
  | 'subject'
  | 'snippet'
  | 'date'
  | 'messageIdHeader'
  | 'inReplyTo'
  | 'references'
  | 'attachments'
  | 'encrypted'
  | 'sizeBytes'
  | 'blob'
> {
  return {
    from: parsed.from === null ? null : named(parsed.from),
    to: parsed.to.slice(0, addressesMax).map(named),
    cc: parsed.cc.slice(0, addressesMax).map(named),
    bcc: parsed.bcc.slice(0, addressesMax).map(named),
    replyTo: parsed.replyTo.slice(0, addressesMax).map(named),
    subject: parsed.subject,
    snippet: quickSnippet(raw, parsed) || null,
    date: parsed.date,
    ...(parsed.messageId !== null && { messageIdHeader: parsed.messageId }),
    inReplyTo: parsed.inReplyTo,
    references: parsed.references.slice(-referencesMax),
    attachments: parsed.attachments.map(({ partId, name, contentType, sizeBytes, inline, contentId }) => ({
      partId,
      name,
      contentType,
      sizeBytes,
      inline,
      contentId,
    })),
    encrypted: parsed.encrypted,
    sizeBytes: raw.length,
    blob,
  }
}

/** The thread of the nearest ancestor that is in the mailbox, else one of its own. */
export async function threadOf(
  ctx: Context,
  {
    id,
    mailboxId,
    parsed,
  }: { id: string; mailboxId: string; parsed: Pick<ParsedMessage, 'messageId' | 'inReplyTo' | 'references'> },
): Promise<string> {
  const nearest = ancestors(parsed)
  const found = await findByHeader(ctx.store, { mailboxId, messageIds: nearest })
  for (const ancestor of nearest) {
    const parent = found.find(({ messageIdHeader }) => messageIdHeader === ancestor)
    if (parent !== undefined) return parent.threadId
  }
  return deriveId('thr', id, 'thread')
}

/** Each mailbox once, whatever addresses of it were named. */
function distinct(recipients: readonly Recipient[]): { mailbox: RecipientMailbox; deliveredTo: string }[] {
  const byId = new Map<string, { mailbox: RecipientMailbox; deliveredTo: string }>()
  for (const { address, mailboxes } of recipients) {
    for (const mailbox of mailboxes)
      if (!byId.has(mailbox.mailboxId)) byId.set(mailbox.mailboxId, { mailbox, deliveredTo: address })
  }
  return [...byId.values()]
}

/** Return-Path and Received (RFC 5321 4.4), kept beside the raw bytes. */
function traceOf(
  ctx: Context,
  {
    reversePath,
    peer,
    transactionId,
    deliveredTo,
    at,
  }: { reversePath: string; peer: Peer; transactionId: string; deliveredTo: string; at: Date },
): string {
  const clean = (text: string) => text.replaceAll(/[^\x21-\x7e]/g, '?').slice(0, 255)
  const cipher = peer.cipher === null ? '' : ` (${clean(peer.cipher)})`
  const date = at.toUTCString().replace('GMT', '+0000')
  return [
    `Return-Path: <${clean(reversePath)}>`,
    `Received: from ${clean(peer.helo)} ([${clean(peer.address)}])`,
    `\tby ${clean(ctx.hostname)} with ${clean(peer.protocol)} id ${clean(transactionId)}${cipher}`,
    `\tfor <${clean(deliveredTo)}>; ${date}`,
    '',
  ].join('\r\n')
}

async function withinTime<T>(ctx: Context, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer of the database within ${giveUpMs} ms.`)), giveUpMs)
  })
  try {
    return await Promise.race([work, late])
  } catch (error) {
    ctx.log.error({ err: error }, 'mail could not be stored')
    throw new Failure('unavailable', 'The message could not be stored; please try again later.', { cause: error })
  } finally {
    clearTimeout(timer)
  }
}

const named = ({ name, address }: Named): Named => ({ name, address })
