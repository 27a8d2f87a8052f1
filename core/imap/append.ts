/** Stores messages that a mail program brings: copies of what it sent, drafts, and mail from elsewhere. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../../schemas/failures.ts'
import { newId } from '../../schemas/ids.ts'
import { mailboxFull } from '../../schemas/refusals.ts'
import { findApprovedOf, noteCopyBegun } from '../../store/approvals.ts'
import type { NewMessage } from '../../store/arrivals.ts'
import { insertBlob, packBlob } from '../../store/blobs.ts'
import { toBinary } from '../../store/bytes.ts'
import { findEmail, findSentCopy } from '../../store/emails.ts'
import { findUidByHeader } from '../../store/folder-entries.ts'
import type { Login } from '../account/login.ts'
import type { KnownFolder } from '../mailbox/known-folders.ts'
import { requireFewLabels, requireLabels } from '../mailbox/labels.ts'
import { fitsStorage, foldersToFill, usageByMailbox, warnOfStorage } from '../mailbox/storage-limit.ts'
import { deriveNewThreads, threadIdOf } from '../mailbox/threading.ts'
import { after, minuteMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { createGroupCommit } from '../process/group-commit.ts'
import { perProcess } from '../process/per-process.ts'
import { describe } from '../receive/message-document.ts'
import { changeFlags, type SystemFlag } from './flags.ts'
import type { Entry } from './folder-state.ts'
import { folderRef } from './message-groups.ts'

export type Appended = {
  readonly raw: Buffer
  readonly flags: ReadonlySet<SystemFlag>
  readonly labels: readonly string[]
  /** When it was received; null means now. */
  readonly receivedAt: Date | null
  /** The mark of an imported message, which identifies its original; the database refuses a second message with the same mark. */
  readonly importedFrom?: Buffer
}

/** Largest message that a mail program may bring, the same as for mail that arrives. */
export const messageBytesMax = ({ settings }: Pick<Context, 'settings'>): number => settings.limits.smtp.messageBytes

const threadsMax = 100
/** How long deriving the threads of messages is put off, so that those of messages in quick succession are written together. */
const threadsPauseMs = 25

const newThreads = perProcess(() =>
  createGroupCommit<{ readonly ctx: Context; readonly documents: readonly NewMessage[] }>(
    threadsMax,
    async (several) => {
      const documents = several.flatMap((each) => each.documents)
      await deriveNewThreads(several[0]!.ctx, documents)
      return []
    },
    { pauseMs: threadsPauseMs },
  ),
)

/**
 * The place of a message. `entry` is the message as it was written; null when it was not, or was changed afterwards. `isRepeated` says
 * that another writer has stored the message meanwhile: this one was not stored, and its UID stays unused.
 */
export type Placed = { readonly uid: number; readonly entry: Entry | null; readonly isRepeated?: true }

/**
 * Stores messages in a folder, all or none. Returns their places. A message whose Message-ID is in Sent already (the service keeps a
 * copy of each send itself) is not stored again: the place of the copy is returned. This does not apply to imported messages, nor when
 * `isReplacing` a message of the folder. `isShown`: the caller shows the messages to all mail sessions of this process. Fails with
 * `unprocessable` (mailbox full), `payload_too_large`, `not_found` (the folder is gone), `validation_error` (labels).
 */
export async function appendMessages(
  ctx: Context,
  login: Login,
  folder: KnownFolder,
  messages: readonly Appended[],
  { isShown = false, isReplacing = false } = {},
): Promise<readonly Placed[]> {
  const { principal, mailbox } = login
  const tooLarge = messages.find(({ raw }) => raw.length > messageBytesMax(ctx))
  if (tooLarge !== undefined)
    throw new Failure('payload_too_large', `A message may have at most ${messageBytesMax(ctx)} bytes.`)
  const folders = await foldersToFill(ctx, mailbox._id)
  for (const { labels } of messages) {
    requireLabels(labels)
    requireFewLabels(folders, labels)
  }
  const read = await Promise.all(messages.map((message) => documentOf(ctx, login, { folder, message, isReplacing })))
  const fresh = read.filter((each) => 'document' in each)
  const bytes = fresh.reduce((sum, { document }) => sum + document.sizeBytes, 0)
  if (bytes > 0 && !fitsStorage(principal.account, folders, bytes)) throw mailboxFull(mailbox.address)
  const placed = await write(ctx, fresh)
  const documents = fresh.flatMap(({ document }, n) => (placed[n]!.isRepeated ? [] : [document]))
  // Keywords are added afterwards, by a change of their own.
  const isWhole = messages.every(({ labels }) => labels.length === 0)
  const shown = isShown && isWhole && { shownBy: ctx.changes.id }
  ctx.changes.publish({ kind: 'stored', ids: documents.map(({ _id }) => _id), mailboxIds: [mailbox._id], ...shown })
  const [usage] = usageByMailbox(folders)
  // After a crash the sweep derives this.
  await ctx.background.begin(mailbox.accountId, async () => {
    try {
      await newThreads(ctx)({ ctx, documents })
      if (usage !== undefined) await warnOfStorage(ctx, [{ ...usage, usedBytes: usage.usedBytes + bytes }])
    } catch (error) {
      ctx.log.warn(
        { err: error, mailboxId: mailbox._id },
        'what follows from stored messages could not be derived now; the sweep will derive it',
      )
    }
  })
  for (const [n, { message }] of fresh.entries()) {
    if (message.labels.length > 0 && !placed[n]!.isRepeated)
      await changeFlags(ctx, folder, [placed[n]!.uid], { mode: 'add', flags: new Set(), labels: message.labels })
  }
  return read.map((each) => ('document' in each ? placed[fresh.indexOf(each)]! : { uid: each.uid, entry: null }))
}

type Fresh = {
  readonly message: Appended
  readonly document: NewMessage
  readonly chunks: Awaited<ReturnType<typeof packBlob>>['chunks']
}

/** The document of a message, or the UID of the copy that Sent has already. */
async function documentOf(
  ctx: Context,
  login: Login,
  {
    folder,
    message,
    isReplacing,
  }: { readonly folder: KnownFolder; readonly message: Appended; readonly isReplacing: boolean },
): Promise<Fresh | { readonly uid: number }> {
  const at = ctx.clock.now()
  const { mailbox } = login
  const { raw, flags, importedFrom } = message
  const description = await ctx.parsing.run('description', { raw })
  const messageIdHeader = description.parsed.messageId
  // Imported messages are identified by their mark: two with one Message-ID are both stored. A message that replaces another may have
  // the same Message-ID, and the other is deleted.
  if (folder.role === 'sent' && messageIdHeader !== null && importedFrom === undefined && !isReplacing) {
    const uid = await uidInSent(ctx, login, { folder, messageIdHeader })
    if (uid !== null) return { uid }
  }
  const id = newId('msg', at)
  const { ref, chunks } = await packBlob(ctx.store, { id: newId('blb', at), bytes: raw, users: [id], at })
  const isDiscarded = folder.role === 'trash' || folder.role === 'spam'
  const document: NewMessage = {
    _id: id,
    accountId: mailbox.accountId,
    mailboxId: mailbox._id,
    mailbox: mailbox.address,
    folderId: folder._id,
    receivedAt: message.receivedAt ?? at,
    savedAt: at,
    seen: flags.has('seen'),
    flagged: flags.has('flagged'),
    answered: flags.has('answered'),
    ...(flags.has('deleted') && { deleted: true }),
    ...(flags.has('draft') && { draft: true }),
    ...(isDiscarded && { discardedAt: at }),
    ...(importedFrom !== undefined && { importedFrom: toBinary(importedFrom) }),
    trace: '',
    deliveredTo: null,
    ...describe(description, ref),
    threadId: await threadIdOf(ctx, { id, mailboxId: mailbox._id, parsed: description.parsed }),
  }
  return { message, document, chunks }
}

/** How recent a send must be: programs bring their copy right after the submission is answered, or on their next connection. */
const recentMs = minuteMs
/** Most look-ups in Sent for a copy that is still to be written; the pause grows with each. Together they take about eight seconds. */
const copyTriesMax = 40
const copyPauseMs = 10

/**
 * The UID of the message in Sent with this Message-ID; null when there is none. The copy of a send is written after the send is
 * answered, so the copy of a recent send is waited for. When it is overdue, the process that was to write it has died. A change note
 * then tells the service process, whose clock would find the send later than a program waits.
 */
async function uidInSent(
  ctx: Context,
  { principal, mailbox }: Login,
  { folder, messageIdHeader }: { readonly folder: KnownFolder; readonly messageIdHeader: string },
): Promise<number | null> {
  const find = () => findUidByHeader(ctx.store, { ...folderRef(folder), messageIdHeader })
  const { accountId, _id: mailboxId } = mailbox
  const since = after(ctx.clock.now(), -recentMs)
  const sent = { accountId, mailboxId, messageIdHeader, since }
  for (let tries = 0; tries < copyTriesMax; tries++) {
    if (tries > 0) await sleep(copyPauseMs * tries)
    const uid = await find()
    if (uid !== null) return uid
    const copy =
      (await findSentCopy(ctx.store, sent)) ?? (principal.waitsForApproval ? await approvedCopy(ctx, sent) : null)
    if (copy === null) return null
    // The copy may have been written since `find`; it may also have been moved away.
    if (copy.planned) return find()
    if (copy.todoAt !== undefined && copy.todoAt <= ctx.clock.now())
      ctx.changes.publish({ kind: 'emails', ids: [copy._id], accountIds: [accountId] })
  }
  return null
}

/**
 * The state of the copy of a send that was approved, or is being approved; null when there is none. A send that still waits for its
 * approval takes the message that is being brought as its copy: the approval looks for copies that were begun before it.
 */
async function approvedCopy(ctx: Context, sent: Parameters<typeof findApprovedOf>[1]): ReturnType<typeof findSentCopy> {
  if (await noteCopyBegun(ctx.store, sent, ctx.clock.now())) return null
  const approved = await findApprovedOf(ctx.store, sent)
  if (approved === null) return null
  return (await findEmail(ctx.store, approved)) ?? { _id: approved.emailId, planned: false }
}

/** Writes messages together. A single blob of one chunk goes with its message; all others are written before. */
async function write(ctx: Context, fresh: readonly Fresh[]): Promise<readonly Placed[]> {
  const chunks = fresh.flatMap((each) => each.chunks)
  const messages = fresh.map(({ document }) => document)
  if (messages.length === 0) return []
  const isAlone = chunks.length === 1
  if (!isAlone) await insertBlob(ctx.store, chunks)
  const written = await ctx.arrivals.write({ chunks: isAlone ? chunks : [], messages })
  return written.map(({ id, uid, modseq, repeated }, n) => {
    const { document, message } = fresh[n]!
    const { shownBytes } = document
    const isAsWritten = !repeated && message.labels.length === 0 && shownBytes !== undefined
    return {
      uid,
      entry: isAsWritten ? { ...document, shownBytes, uid, modseq } : null,
      // A repeat with the same id was stored by an earlier try of this write.
      ...(id !== document._id && { isRepeated: true }),
    }
  })
}
