/**
 * Mail comes in. The insert of the message document is the commit point: `receive` resolves after the database says it is
 * on disk, and everything else (event, contact, webhook) is derived from that document, here or by the sweep.
 */

import { bindVerification } from '../../mail/codes/verification.ts'
import type { ParsedMessage } from '../../mail/message/parse.ts'
import { rootAndLatest } from '../../mail/message/threading.ts'
import { Failure } from '../../schemas/failures.ts'
import { newId } from '../../schemas/ids.ts'
import type { NewMessage, Stored, WriteArrival } from '../../store/arrivals.ts'
import { insertBlob, packBlob } from '../../store/blobs.ts'
import { toBinary } from '../../store/bytes.ts'
import type { BlobRef, MessageContent, Named } from '../../store/documents/mail.ts'
import { threadOf } from '../mailbox/threading.ts'
import type { ReadArrival } from '../parsing/jobs.ts'
import type { Context } from '../process/context.ts'
import { foldersFor } from './folder-choice.ts'
import { spendStorage, takeStorage } from './recipient-cache.ts'
import type { Recipient, RecipientMailbox } from './recipients.ts'
import { withoutReported } from './reports.ts'
import type { Verdict } from './sender-verdict.ts'
import { type Peer, traceOf } from './trace-headers.ts'
import { meet, trustIn } from './trust.ts'

export type Delivery = {
  readonly raw: Buffer
  /** '' is the null sender. */
  readonly reversePath: string
  readonly recipients: readonly Recipient[]
  readonly peer: Peer
  readonly transactionId: string
  /** What was found out about the sender; absent when nothing was looked at. */
  readonly verdict?: Verdict
}

/** A writer gives up after this long; what is then committed late is recognised when the sender repeats. */
const giveUpMs = 20_000
/** Addresses of one header kept on the document; the raw bytes have them all. */
const addressesMax = 100
const referencesMax = 20

/**
 * Stores a message for its recipients and resolves with the id it has in each mailbox, when all of that is on disk. A
 * repeat of the same bytes from the same reverse-path finds the first message. Fails with `unavailable` (451),
 * `payload_too_large` (552, MIME parts nested too deep), `unprocessable` (452, a mailbox has become full meanwhile) and
 * `forbidden` (550, no mailbox takes mail from this sender). A report
 * of mail we sent that came to its return path is taken in, and has no id.
 */
export async function receive(
  ctx: Context,
  { raw, reversePath, recipients, peer, transactionId, verdict }: Delivery,
): Promise<{ messageIds: readonly string[] }> {
  const at = ctx.clock.now()
  const arrival = await ctx.parsing.run('arrival', { raw, prefix: reversePath })
  const { parsed } = arrival
  if (parsed.depth > ctx.settings.limits.smtp.mimeDepth)
    throw new Failure(
      'payload_too_large',
      `The message has more than ${ctx.settings.limits.smtp.mimeDepth} levels of MIME parts.`,
    )
  const mailboxes = distinct(await withoutReported(ctx, { raw, parsed, recipients }))
  if (mailboxes.length === 0) return { messageIds: [] }
  const from = parsed.from?.address ?? null
  const folderIds = foldersFor(
    mailboxes.map(({ mailbox }) => mailbox),
    { reversePath, authors: parsed.authors.map(({ address }) => address), verdict },
  )
  const ids = mailboxes.map(() => newId('msg', at))
  const [{ ref, chunks }, meetings] = await Promise.all([
    packBlob({ id: newId('blb', at), bytes: raw, users: ids, at }),
    Promise.all(mailboxes.map(({ mailbox }) => meet(ctx, mailbox.mailboxId, from))),
  ])
  const fingerprint = toBinary(arrival.fingerprint)
  const common = {
    ...describe(arrival, ref),
    receivedAt: at,
    fingerprint,
    ...cutsOf(verdict),
    ...verificationOf(arrival, verdict),
  }
  const infos = verdict?.authentication.infos ?? null
  const make = async ({ mailbox, deliveredTo }: Addressee, n: number): Promise<NewMessage> => {
    const id = ids[n]!
    const folderId = folderIds[n]!
    const firstContact = meetings[n]!.first
    return {
      _id: id,
      accountId: mailbox.accountId,
      mailboxId: mailbox.mailboxId,
      mailbox: mailbox.address,
      folderId,
      threadId: await threadOf(ctx, { id, mailboxId: mailbox.mailboxId, parsed }),
      seen: false,
      flagged: false,
      answered: false,
      deliveredTo,
      trace: traceOf(ctx, { reversePath, peer, transactionId, deliveredTo, infos, at }),
      ...(folderId === mailbox.spamId && { discardedAt: at }),
      ...(verdict !== undefined && { trust: trustIn(ctx, verdict, { parsed, reversePath, mailbox, firstContact }) }),
      ...common,
    }
  }
  const write = async () => {
    const places = mailboxes.map(({ mailbox }) => mailbox)
    const giveBack = takeStorage(ctx, places, raw.length)
    try {
      const messages = await Promise.all(mailboxes.map(make))
      const found = await withinTime(ctx, stored(ctx, { chunks, messages }))
      const fresh = messages.filter((_, n) => found[n]?.repeated === false)
      for (const { mailboxId, sizeBytes } of fresh) spendStorage(ctx, mailboxId, sizeBytes)
      return { found, fresh }
    } finally {
      giveBack()
    }
  }
  const { found, fresh } = await write().catch((error: unknown) => {
    for (const { undo } of meetings) undo()
    throw error
  })
  if (fresh.length > 0) {
    const ids = fresh.map(({ _id }) => _id)
    ctx.changes.publish({ kind: 'messages', ids, mailboxIds: fresh.map(({ mailboxId }) => mailboxId) })
  }
  return { messageIds: found.map(({ id }) => id) }
}

/** Writes an arrival; a blob of several chunks goes ahead, so that what is written in one group with it need not wait for it. */
async function stored(ctx: Context, { chunks, messages }: WriteArrival): Promise<readonly Stored[]> {
  if (chunks.length === 1) return ctx.arrivals.write({ chunks, messages })
  await insertBlob(ctx.store, chunks)
  return ctx.arrivals.write({ chunks: [], messages })
}

/** What a message document says of the message itself. */
export function describe({ parsed, snippet }: Pick<ReadArrival, 'parsed' | 'snippet'>, blob: BlobRef): MessageContent {
  return {
    from: parsed.from === null ? null : named(parsed.from),
    to: parsed.to.slice(0, addressesMax).map(named),
    cc: parsed.cc.slice(0, addressesMax).map(named),
    bcc: parsed.bcc.slice(0, addressesMax).map(named),
    replyTo: parsed.replyTo.slice(0, addressesMax).map(named),
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
    blob,
  }
}

/** Whether the message names more addresses than are kept of it. */
export function hasMoreAddresses({ to, cc, bcc, replyTo }: ParsedMessage): boolean {
  return [to, cc, bcc, replyTo].some(({ length }) => length > addressesMax)
}

type Addressee = { readonly mailbox: RecipientMailbox; readonly deliveredTo: string }

/** Each mailbox once, whatever addresses of it were named. */
function distinct(recipients: readonly Recipient[]): Addressee[] {
  const byId = new Map<string, Addressee>()
  for (const { address, mailboxes } of recipients) {
    for (const mailbox of mailboxes)
      if (!byId.has(mailbox.mailboxId)) byId.set(mailbox.mailboxId, { mailbox, deliveredTo: address })
  }
  return [...byId.values()]
}

const verificationOf = ({ found }: ReadArrival, verdict: Verdict | undefined): Pick<NewMessage, 'verification'> =>
  found === null ? {} : { verification: bindVerification(found, verdict?.authentication.alignedFrom ?? null) }

const cutsOf = (verdict: Verdict | undefined): Pick<NewMessage, 'cuts'> =>
  verdict === undefined || verdict.cuts.length === 0 ? {} : { cuts: verdict.cuts }

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
