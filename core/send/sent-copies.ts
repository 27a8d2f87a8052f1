import { setTimeout as sleep } from 'node:timers/promises'
import type { NewMessage } from '../../store/arrivals.ts'
import { readBlob } from '../../store/blobs.ts'
import type { FolderDoc, MessageDoc } from '../../store/documents/mail.ts'
import type { ApprovalDoc, EmailDoc } from '../../store/documents/sending.ts'
import { findFoldersOf } from '../../store/folders.ts'
import { findMessagesByHeader, findMessagesIn } from '../../store/messages.ts'
import { folderIn, getFolder } from '../mailbox/folders.ts'
import { usageByMailbox, warnOfStorage } from '../mailbox/storage-limit.ts'
import { deriveNewThreads } from '../mailbox/threading.ts'
import type { Description } from '../parsing/jobs.ts'
import { after, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { describe } from '../receive/message-document.ts'
import { shownBytes, traceOfSent } from '../receive/trace-headers.ts'

/** What is still in memory of a send that was just committed: its bytes, its parsed description, and the folders of its mailbox. */
export type FreshSend = {
  readonly raw: Buffer
  readonly folders: readonly FolderDoc[]
  readonly description: Description | undefined
}

type CommittedSend = { readonly email: EmailDoc; readonly fresh?: FreshSend }
type SendWithCopy = CommittedSend & {
  readonly mailboxId: string
  readonly mailbox: string
  readonly messageId: string
  readonly threadId: string
}

/** Writes the Sent copies of sends, under the message ids that the sends returned. Safe to repeat. */
export async function writeSentCopies(ctx: Context, sends: readonly CommittedSend[]): Promise<void> {
  const withCopies = await withoutWritten(ctx, sends.flatMap(withCopyOf))
  if (withCopies.length === 0) return
  const mailboxIds = withCopies.flatMap(({ fresh, mailboxId }) => (fresh === undefined ? [mailboxId] : []))
  const found = mailboxIds.length === 0 ? [] : await findFoldersOf(ctx.store, mailboxIds)
  const foldersOf = ({ fresh, mailboxId }: SendWithCopy) =>
    fresh?.folders ?? found.filter((each) => each.mailboxId === mailboxId)
  const made = await Promise.all(withCopies.map((send) => copyOf(ctx, send, foldersOf(send))))
  const copies = made.filter((copy) => copy !== null)
  // All start in one turn of the event loop, so that they form one group.
  await Promise.all(copies.map((copy) => ctx.arrivals.write({ chunks: [], messages: [copy] })))
  ctx.changes.publish({
    kind: 'stored',
    ids: copies.map(({ _id }) => _id),
    mailboxIds: copies.map(({ mailboxId }) => mailboxId),
  })
  const folders = new Map(withCopies.flatMap(foldersOf).map((folder) => [folder._id, folder]))
  const held = usageByMailbox([...folders.values()]).map((each) => ({
    ...each,
    usedBytes: copies.reduce(
      (sum, { mailboxId, sizeBytes }) => sum + (mailboxId === each.mailboxId ? sizeBytes : 0),
      each.usedBytes,
    ),
  }))
  await Promise.all([deriveNewThreads(ctx, copies), warnOfStorage(ctx, held)])
}

function withCopyOf(sent: CommittedSend): SendWithCopy[] {
  const { mailboxId, mailbox, messageId, threadId, hasBroughtCopy } = sent.email
  if (hasBroughtCopy || mailboxId === null || mailbox === null || messageId === null || threadId === null) return []
  return [{ ...sent, mailboxId, mailbox, messageId, threadId }]
}

async function withoutWritten(ctx: Context, withCopies: readonly SendWithCopy[]): Promise<readonly SendWithCopy[]> {
  const maybeWritten = withCopies.filter(({ fresh }) => fresh === undefined)
  if (maybeWritten.length === 0) return withCopies
  const mailboxIds = [...new Set(maybeWritten.map(({ mailboxId }) => mailboxId))]
  const ids = maybeWritten.map(({ messageId }) => messageId)
  const written = new Set((await findMessagesIn(ctx.store, { mailboxIds, ids })).map(({ _id }) => _id))
  return withCopies.filter(({ messageId }) => !written.has(messageId))
}

/** A copy begun longer ago than this is either stored or never will be: its program removed it, or the writing process died. */
const begunMs = 10 * secondMs
const beginningTriesMax = 15
const beginningPauseMs = 10

/**
 * The copy of an approved send that the mail program put in Sent while the send waited; null if there is none. If the copy is still
 * being written, this waits for about a second. Of several copies, returns the one with the lowest UID, as APPEND does.
 */
export async function findBroughtCopy(
  ctx: Context,
  {
    mailboxId,
    messageIdHeader,
    copyBegunAt,
  }: Pick<ApprovalDoc, 'messageIdHeader' | 'copyBegunAt'> & { mailboxId: string },
): Promise<MessageDoc | null> {
  const { _id: folderId } = await getFolder(ctx, mailboxId, 'sent')
  const isBegun = copyBegunAt !== undefined && after(copyBegunAt, begunMs) > ctx.clock.now()
  for (let tries = 1; ; tries++) {
    const found = await findMessagesByHeader(ctx.store, { mailboxId, messageIds: [messageIdHeader] })
    const brought = found.filter((message) => message.folderId === folderId && message.emailId === undefined)
    const [first] = brought.sort((a, b) => a.uid - b.uid)
    if (first !== undefined) return first
    if (!isBegun || tries === beginningTriesMax) return null
    await sleep(beginningPauseMs * tries)
  }
}

async function copyOf(
  ctx: Context,
  { email, fresh, mailboxId, mailbox, messageId, threadId }: SendWithCopy,
  folders: readonly FolderDoc[],
): Promise<NewMessage | null> {
  const raw = fresh?.raw ?? (await readBlob(ctx.store, email.blob))
  if (raw === null) return null
  const trace = traceOfSent(email.bcc)
  return {
    _id: messageId,
    accountId: email.accountId,
    mailboxId,
    mailbox,
    folderId: folderIn(folders, 'sent')._id,
    threadId,
    receivedAt: email.sendAt ?? email.createdAt,
    seen: true,
    flagged: false,
    answered: false,
    ...describe(fresh?.description ?? (await ctx.parsing.run('description', { raw })), email.blob),
    bcc: email.bcc,
    trace,
    shownBytes: shownBytes({ trace }, email.blob.sizeBytes),
    deliveredTo: null,
    emailId: email._id,
  }
}
