/**
 * Threads: which one a message belongs to, and the thread documents, which are derived from their messages. Invariant:
 * deriving reads the revision of a thread before its messages and replaces only that revision, so that of several
 * concurrent derivations the one that read last wins; deriving twice changes nothing.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { ancestors, baseSubject, isReplySubject, rootId, type ThreadHint } from '../../mail/message/threading.ts'
import { Failure } from '../../schemas/failures.ts'
import { deriveId, idAt, newToken } from '../../schemas/ids.ts'
import type { MailboxDoc, MessageDoc, Named, ThreadDoc } from '../../store/documents/mail.ts'
import { standardFolderId } from '../../store/folders.ts'
import { findThreadIdsByHeader } from '../../store/messages.ts'
import { findReceivedSince } from '../../store/received.ts'
import type { ThreadMessage, ThreadRef } from '../../store/threads.ts'
import * as store from '../../store/threads.ts'
import { createBatchedLookup } from '../process/batched-lookup.ts'
import { after, dayMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { perProcess } from '../process/per-process.ts'

/** How long after its last message a thread can still be found by its subject. */
const subjectMs = 30 * dayMs
/** Threads with the same subject that are searched for a participant. */
const sameSubjectMax = 20
const subjectKeyMax = 200
/** How long a new message may be missing from its thread document; and the most new messages searched for such ones. */
const lagMs = 5_000
const recentMax = 50
const participantsMax = 50
/**
 * Most attempts to derive a thread that another process writes between our read and our write. Each failed attempt means that another
 * one succeeded. The pause does not grow: the process that has lost most often would wait longest, and lose again.
 */
const triesMax = 100
const pauseMs = 5

/** The header fields that assign a message to a thread. */
export type ThreadingFields = ThreadHint & {
  readonly subject: string | null
  readonly from: { readonly address: string } | null
}

/**
 * The id of the thread that a message belongs to: that of its nearest ancestor in the mailbox; else the thread of other
 * messages that name the same root; else, when the subject marks it as a reply, the newest thread of the last 30 days
 * with that subject in which its sender takes part; else a thread of its own, which the root message joins if it
 * arrives later.
 */
export async function threadIdOf(
  ctx: Context,
  { id, mailboxId, parsed }: { id: string; mailboxId: string; parsed: ThreadingFields },
): Promise<string> {
  const nearest = ancestors(parsed)
  const found = await findThreadIdsByHeader(ctx.store, { mailboxId, messageIds: nearest })
  for (const ancestor of nearest) {
    const parent = found.find(({ messageIdHeader }) => messageIdHeader === ancestor)
    if (parent !== undefined) return parent.threadId
  }
  const own = ownThreadId({ id, mailboxId }, parsed)
  if (nearest.length === 0 && !isReplySubject(parsed.subject ?? '')) return own
  const known = await store.findThread(ctx.store, { mailboxId, threadId: own })
  return known === null ? ((await threadBySubject(ctx, mailboxId, parsed)) ?? own) : own
}

/** Concurrent derivations in one process run as one batch, so that they do not conflict with each other. */
const derivations = perProcess(() => createBatchedLookup<true>())

/** Derives thread documents from all their messages and writes them. Safe to repeat. */
export async function deriveThreads(ctx: Context, refs: readonly ThreadRef[]): Promise<void> {
  const ask = derivations(ctx)
  const keys = new Set(refs.map(({ mailboxId, threadId }) => `${mailboxId} ${threadId}`))
  await Promise.all([...keys].map((key) => ask(key, (several) => deriveBatch(ctx, several))))
}

/**
 * Like `deriveThreads`, for threads in which only flags and labels of messages changed: writes only the fields that show these.
 * All are derived in full when one has no document or was written by others meanwhile, or when they have too many messages.
 */
export async function deriveThreadFlags(
  ctx: Context,
  { mailboxId, threadIds }: { readonly mailboxId: string; readonly threadIds: readonly string[] },
): Promise<void> {
  const refs = threadIds.map((threadId) => ({ mailboxId, threadId }))
  const revisions = await store.findRevisions(ctx.store, refs)
  const messages = await store.findFlagsInThreads(ctx.store, { mailboxId, threadIds })
  if (messages === null) return deriveThreads(ctx, refs)
  const byThread = Map.groupBy(messages, ({ threadId }) => threadId)
  const setAside = setAsideIn(mailboxId)
  const edits = [...byThread].flatMap(([threadId, own]) => {
    const from = revisions.get(threadId)
    return from === undefined ? [] : [{ threadId, from, flags: store.threadFlagsOf(shownOf(own, setAside)) }]
  })
  const isWritten = await store.writeThreadFlags(ctx.store, mailboxId, edits)
  if (!isWritten || edits.length < refs.length) await deriveThreads(ctx, refs)
}

/**
 * Derives the threads of messages that were just written. A thread that these messages start is made from them alone,
 * without reading others; a thread that exists already is derived from all its messages.
 */
export async function deriveNewThreads(ctx: Context, messages: readonly WrittenMessage[]): Promise<void> {
  const started = [...Map.groupBy(messages, ({ threadId }) => threadId).values()].flatMap((own) => {
    const [first, ...others] = inOrder(own)
    return first !== undefined && startsThread(first) ? [threadFrom([first, ...others])] : []
  })
  const made = await store.insertThreads(ctx.store, started)
  await deriveThreads(
    ctx,
    messages.filter(({ threadId }) => !made.has(threadId)),
  )
}

type WrittenMessage = ThreadMessage & Pick<MessageDoc, 'messageIdHeader' | 'inReplyTo' | 'references'>

/** Whether a message may be the first one of its thread. */
function startsThread({
  _id: id,
  mailboxId,
  threadId,
  messageIdHeader,
  inReplyTo,
  references,
}: WrittenMessage): boolean {
  return threadId === ownThreadId({ id, mailboxId }, { messageId: messageIdHeader ?? null, inReplyTo, references })
}

/**
 * The id of the thread that a message starts: the same for all messages of a mailbox that name the same root, whichever
 * comes first.
 */
export function ownThreadId({ id, mailboxId }: { id: string; mailboxId: string }, hint: ThreadHint): string {
  const root = rootId(hint)
  return root === null ? deriveId('thr', id, 'thread') : deriveId('thr', mailboxId, `thread ${root}`)
}

/** Derives the threads that do not contain one of these messages yet: for the sweep. */
export async function deriveMissedThreads(
  ctx: Context,
  messages: readonly { readonly _id: string; readonly mailboxId: string; readonly threadId: string }[],
): Promise<void> {
  const newest = await store.findLastMessageIds(ctx.store, messages)
  await deriveThreads(
    ctx,
    messages.filter(({ _id, threadId }) => (newest.get(threadId) ?? '') < _id),
  )
}

/**
 * Makes the function that derives threads of one mailbox after their messages changed; `flagsOnly` when only flags and labels
 * did. The function returns false when deriving failed; the sweep then does it.
 */
export const threadDeriver =
  (ctx: Context, mailboxId: string, { flagsOnly = false } = {}) =>
  async (threadIds: readonly string[]): Promise<boolean> => {
    try {
      if (flagsOnly) await deriveThreadFlags(ctx, { mailboxId, threadIds })
      else
        await deriveThreads(
          ctx,
          threadIds.map((threadId) => ({ mailboxId, threadId })),
        )
      return true
    } catch (error) {
      ctx.log.warn({ err: error, mailboxId }, 'threads could not be derived now; the sweep will derive them')
      return false
    }
  }

/** Fails with `agent_inbox_only`: threads, labels and drafts are for agents (interface.md, Rules). */
export function requireAgentInbox({ kind }: Pick<MailboxDoc, 'kind'>): void {
  if (kind === 'person') throw new Failure('agent_inbox_only')
}

async function threadBySubject(
  ctx: Context,
  mailboxId: string,
  { subject, from }: ThreadingFields,
): Promise<string | null> {
  if (subject === null || from === null || !isReplySubject(subject)) return null
  const subjectKey = subjectKeyOf(subject)
  if (subjectKey === null) return null
  const since = after(ctx.clock.now(), -subjectMs)
  const threads = await store.findThreadsBySubject(ctx.store, { mailboxId, subjectKey, since, limit: sameSubjectMax })
  const fits = ({ lastMessageAt, participants }: ThreadDoc) =>
    lastMessageAt >= since && participants.some(({ address }) => address === from.address)
  const known = threads.find(fits)?._id
  if (known !== undefined) return known
  // A message that has just arrived may not be in its thread document yet.
  const recent = await findReceivedSince(ctx.store, {
    mailboxId,
    from: idAt('msg', after(ctx.clock.now(), -lagMs)),
    limit: recentMax,
  })
  const isOf = ({ subject: other, from: sender, to, cc }: MessageDoc) =>
    other !== null &&
    subjectKeyOf(other) === subjectKey &&
    [sender, ...to, ...cc].some((named) => named?.address === from.address)
  return recent.findLast(isOf)?.threadId ?? null
}

function subjectKeyOf(subject: string): string | null {
  const key = baseSubject(subject).normalize('NFC').toLowerCase().slice(0, subjectKeyMax)
  return key === '' ? null : key
}

async function deriveBatch(ctx: Context, keys: readonly string[]): Promise<ReadonlyMap<string, true>> {
  let waiting: readonly ThreadRef[] = keys.map((key) => {
    const [mailboxId = '', threadId = ''] = key.split(' ')
    return { mailboxId, threadId }
  })
  for (let tries = 0; waiting.length > 0; tries++) {
    if (tries === triesMax)
      throw new Error(`${waiting.length} threads are changed by other processes too often to be derived.`)
    if (tries > 0) await sleep(Math.random() * pauseMs)
    const conflicts = new Set(await deriveOnce(ctx, waiting))
    waiting = waiting.filter(({ threadId }) => conflicts.has(threadId))
  }
  return new Map()
}

/** Derives threads once. Returns the ids of those that another process wrote meanwhile. */
async function deriveOnce(ctx: Context, refs: readonly ThreadRef[]): Promise<readonly string[]> {
  const revisions = await store.findRevisions(ctx.store, refs)
  const messages = Map.groupBy(await store.findThreadMessages(ctx.store, refs), ({ threadId }) => threadId)
  return store.writeThreads(
    ctx.store,
    refs.map(({ mailboxId, threadId }) => {
      const [first, ...others] = inOrder(messages.get(threadId) ?? [])
      const from = revisions.get(threadId)
      const doc =
        first === undefined ? emptyThread({ mailboxId, threadId }, ctx.clock.now()) : threadFrom([first, ...others])
      return { doc, from }
    }),
  )
}

const inOrder = <T extends ThreadMessage>(messages: readonly T[]) =>
  messages.toSorted((a, b) => (a._id < b._id ? -1 : 1))

type Messages = readonly [ThreadMessage, ...ThreadMessage[]]

/** The thread document made from all messages of the thread, oldest first. */
function threadFrom(all: Messages): ThreadDoc {
  const [{ mailboxId, threadId }] = all
  const setAside = setAsideIn(mailboxId)
  const [firstLive, ...othersLive] = all.filter(({ folderId }) => !setAside.has(folderId))
  const live = firstLive !== undefined
  const shown: Messages = live ? [firstLive, ...othersLive] : all
  const last = shown.at(-1) ?? shown[0]
  const { subject } = shown[0]
  const subjectKey = subject === null ? null : subjectKeyOf(subject)
  const addresses = (named: readonly (Named | null)[]) =>
    [...new Set(named.flatMap((each) => (each === null ? [] : [each.address])))].slice(0, participantsMax)
  return {
    _id: threadId,
    mailboxId,
    rev: newToken(),
    live,
    subject,
    ...(subjectKey !== null && { subjectKey }),
    participants: participantsOf(shown),
    senders: addresses(shown.map(({ from }) => from)),
    recipients: addresses(shown.flatMap(({ to, cc }) => [...to, ...cc])),
    messageCount: shown.length,
    lastMessageId: last._id,
    lastMessageAt: last.receivedAt,
    awaiting: awaitingOf(last),
    folderIds: [...new Set(all.map(({ folderId }) => folderId))],
    ...store.threadFlagsOf(shown),
    hasAttachment: shown.some(({ attachments }) => attachments.length > 0),
  }
}

/** The folders whose messages a thread shows only when it has no messages elsewhere. */
const setAsideIn = (mailboxId: string): ReadonlySet<string> =>
  new Set(['Trash', 'Spam', 'Drafts'].map((path) => standardFolderId(mailboxId, path)))

/** The messages that a thread shows, of all that it has. */
function shownOf<M extends Pick<ThreadMessage, 'folderId'>>(
  all: readonly M[],
  setAside: ReadonlySet<string>,
): readonly M[] {
  const live = all.filter(({ folderId }) => !setAside.has(folderId))
  return live.length > 0 ? live : all
}

function emptyThread({ mailboxId, threadId }: ThreadRef, emptyAt: Date): ThreadDoc {
  return {
    _id: threadId,
    mailboxId,
    rev: newToken(),
    live: false,
    subject: null,
    participants: [],
    senders: [],
    recipients: [],
    messageCount: 0,
    lastMessageId: '',
    lastMessageAt: emptyAt,
    awaiting: 'none',
    folderIds: [],
    unread: false,
    flagged: false,
    hasAttachment: false,
    emptyAt,
  }
}

/** All addresses, each once, in the order of appearance, with the last name that was given for each. */
function participantsOf(messages: Messages): Named[] {
  const byAddress = new Map<string, Named>()
  for (const { from, to, cc } of messages) {
    for (const named of [...(from === null ? [] : [from]), ...to, ...cc]) {
      const known = byAddress.get(named.address)
      if (known === undefined ? byAddress.size < participantsMax : named.name !== '')
        byAddress.set(named.address, { name: named.name, address: named.address })
    }
  }
  return [...byAddress.values()]
}

/**
 * Whose turn it is to write after the last message. It is nobody's after automatic mail, mail that was archived or
 * discarded, or an unsent draft.
 */
function awaitingOf({ mailboxId, mailbox, folderId, from, trust, fingerprint }: ThreadMessage): ThreadDoc['awaiting'] {
  const ended = ['Archive', 'Trash', 'Spam', 'Drafts'].some((path) => standardFolderId(mailboxId, path) === folderId)
  if (ended || trust?.autoSubmitted === true) return 'none'
  // Only received mail has a fingerprint.
  return fingerprint === undefined || from?.address === mailbox ? 'them' : 'us'
}
