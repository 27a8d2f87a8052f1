/** Messages that a mail program brings: copies of what it sent, drafts, and mail from elsewhere. */
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
  /** When it was received; null: now. */
  readonly receivedAt: Date | null
  /** Identifies the message elsewhere from which it is imported; another with the same is refused by the database. */
  readonly importedFrom?: Buffer
}

/** Largest message that a mail program may bring, and that a person may receive. */
export const messageBytesMax = ({ settings }: Pick<Context, 'settings'>): number => settings.limits.smtp.messageBytes

const threadsMax = 100
/** How long the threads of messages that come one after another are put off, so that they are written together. */
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
 * Where a message lies now; `entry` is what was written, if nothing followed that changed it. One that `isRepeated` another one has brought
 * meanwhile, and its UID was taken for nothing.
 */
export type Placed = { readonly uid: number; readonly entry: Entry | null; readonly isRepeated?: true }

/**
 * Stores messages in a folder, all or none. Returns where they lie. Of a message that Sent has already (by its Message-ID: the
 * service keeps a copy of each send itself), and that is neither imported nor `isReplacing` one of the same folder, the place of that
 * one. They are `isShown` when the caller shows them to all mail sessions of this process. Fails with `unprocessable` (mailbox full),
 * `payload_too_large`, `not_found` (the folder is gone), `validation_error` (labels).
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
  // Keywords are given afterwards, by a change of their own.
  const isWhole = messages.every(({ labels }) => labels.length === 0)
  const shown = isShown && isWhole && { shownBy: ctx.changes.id }
  ctx.changes.publish({ kind: 'stored', ids: documents.map(({ _id }) => _id), mailboxIds: [mailbox._id], ...shown })
  const [usage] = usageByMailbox(folders)
  // After a crash the sweep does it.
  await ctx.background.begin(mailbox.accountId, async () => {
    try {
      await newThreads(ctx)({ ctx, documents })
      if (usage !== undefined) await warnOfStorage(ctx, [{ ...usage, usedBytes: usage.usedBytes + bytes }])
    } catch (error) {
      ctx.log.warn({ err: error, mailboxId: mailbox._id }, 'what follows from an APPEND could not be derived now')
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

/** The document of a message, or the UID of the one that Sent has already. */
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
  // What is imported is told apart by its mark: two mails of one Message-ID are both brought. What replaces a message may have its
  // Message-ID, and that one goes.
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

/** A program brings its copy right after its submission was answered, or as soon as it has another connection. */
const recentMs = minuteMs
/** How often Sent is asked for a copy that is still to be written; the pause grows with each try. Together about eight seconds. */
const copyTriesMax = 40
const copyPauseMs = 10

/**
 * The UID of the message that Sent has of this Message-ID. The copy of a send is written after its answer: that of one which was
 * sent a moment ago is waited for. When it is overdue the process that was to write it has died, and the service process is told of
 * it: its clock would find the send later than a program waits.
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
    // It may have been written since; it may also have been moved away.
    if (copy.planned) return find()
    if (copy.todoAt !== undefined && copy.todoAt <= ctx.clock.now())
      ctx.changes.publish({ kind: 'emails', ids: [copy._id], accountIds: [accountId] })
  }
  return null
}

/**
 * How it stands with the copy of a send that is being approved; null when none is. One that waits takes what is brought as its copy:
 * the approval, which ends the waiting, looks for what was begun before it.
 */
async function approvedCopy(ctx: Context, sent: Parameters<typeof findApprovedOf>[1]): ReturnType<typeof findSentCopy> {
  if (await noteCopyBegun(ctx.store, sent, ctx.clock.now())) return null
  const approved = await findApprovedOf(ctx.store, sent)
  if (approved === null) return null
  return (await findEmail(ctx.store, approved)) ?? { _id: approved.emailId, planned: false }
}

/** Several blobs, and one of several chunks, are written before the messages, which go together. */
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
      // Under its own id it was stored by an earlier try of this write.
      ...(id !== document._id && { isRepeated: true }),
    }
  })
}
