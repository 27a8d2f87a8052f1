/**
 * Conversations: which one a message belongs to, and what each is, derived from its messages. Deriving reads the revision
 * of a thread before its messages and writes over that revision only, so of several who derive at once the last to read is
 * the one that stays; doing it twice changes nothing.
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

/** A subject names a thread only this long after its last message. */
const subjectMs = 30 * dayMs
/** Threads of one subject that are asked for a participant. */
const sameSubjectMax = 20
const subjectKeyMax = 200
/** A message is in its thread after this time, and so many may have come meanwhile. */
const lagMs = 5_000
const recentMax = 50
const participantsMax = 50
/** Another process may write a thread between our read and our write; then it is derived again, after a growing pause. */
const triesMax = 20
const pauseMs = 5

/** What places a message in a thread. */
export type Placed = ThreadHint & {
  readonly subject: string | null
  readonly from: { readonly address: string } | null
}

/**
 * The thread a message belongs to: that of its nearest ancestor in the mailbox; else that of others which name the same root;
 * else, when its subject says that it is an answer, the newest of the last 30 days with that subject in which its sender takes
 * part; else one of its own, which its root joins when it comes later.
 */
export async function threadOf(
  ctx: Context,
  { id, mailboxId, parsed }: { id: string; mailboxId: string; parsed: Placed },
): Promise<string> {
  const nearest = ancestors(parsed)
  const found = await findThreadIdsByHeader(ctx.store, { mailboxId, messageIds: nearest })
  for (const ancestor of nearest) {
    const parent = found.find(({ messageIdHeader }) => messageIdHeader === ancestor)
    if (parent !== undefined) return parent.threadId
  }
  const own = ownThread({ id, mailboxId }, parsed)
  if (nearest.length === 0 && !isReplySubject(parsed.subject ?? '')) return own
  const known = await store.findThread(ctx.store, { mailboxId, threadId: own })
  return known === null ? ((await threadBySubject(ctx, mailboxId, parsed)) ?? own) : own
}

/** Those who derive in this process go together, so that they do not get in each other's way. */
const together = perProcess(() => createBatchedLookup<true>())

/** Derives threads anew from their messages. Safe to repeat. */
export async function deriveThreads(ctx: Context, refs: readonly ThreadRef[]): Promise<void> {
  const ask = together(ctx)
  const keys = new Set(refs.map(({ mailboxId, threadId }) => `${mailboxId} ${threadId}`))
  await Promise.all([...keys].map((key) => ask(key, (several) => deriveRound(ctx, several))))
}

/**
 * Derives the threads of messages that were just written. One that begins with them is made of them without a look at the
 * others: where it is there already, somebody else derived it, and it is derived from all its messages.
 */
export async function deriveWritten(ctx: Context, messages: readonly Written[]): Promise<void> {
  const begun = [...Map.groupBy(messages, ({ threadId }) => threadId).values()].flatMap((own) => {
    const [first, ...others] = inOrder(own)
    return first !== undefined && begins(first) ? [{ doc: threadFrom([first, ...others]), from: undefined }] : []
  })
  const met = new Set(await store.writeThreads(ctx.store, begun))
  const made = new Set(begun.map(({ doc }) => doc._id).filter((id) => !met.has(id)))
  await deriveThreads(
    ctx,
    messages.filter(({ threadId }) => !made.has(threadId)),
  )
}

type Written = ThreadMessage & Pick<MessageDoc, 'messageIdHeader' | 'inReplyTo' | 'references'>

/** Whether a message may be the first that is known of its thread. */
function begins({ _id: id, mailboxId, threadId, messageIdHeader, inReplyTo, references }: Written): boolean {
  return threadId === ownThread({ id, mailboxId }, { messageId: messageIdHeader ?? null, inReplyTo, references })
}

/** The thread that a message begins: the same one for all messages of a mailbox that name one root, whichever comes first. */
export function ownThread({ id, mailboxId }: { id: string; mailboxId: string }, hint: ThreadHint): string {
  const root = rootId(hint)
  return root === null ? deriveId('thr', id, 'thread') : deriveId('thr', mailboxId, `thread ${root}`)
}

/** Derives the threads that do not know of a message yet: for the sweep. */
export async function deriveMissed(
  ctx: Context,
  messages: readonly { readonly _id: string; readonly mailboxId: string; readonly threadId: string }[],
): Promise<void> {
  const newest = await store.findLastMessageIds(
    ctx.store,
    messages.map(({ threadId }) => threadId),
  )
  await deriveThreads(
    ctx,
    messages.filter(({ _id, threadId }) => (newest.get(threadId) ?? '') < _id),
  )
}

/** Derives threads of one mailbox after their messages changed. False when it could not be done: the sweep will. */
export const deriveOf =
  (ctx: Context, mailboxId: string) =>
  async (threadIds: readonly string[]): Promise<boolean> => {
    try {
      await deriveThreads(
        ctx,
        threadIds.map((threadId) => ({ mailboxId, threadId })),
      )
      return true
    } catch (error) {
      ctx.log.warn({ err: error, mailboxId }, 'threads could not be derived; the sweep will')
      return false
    }
  }

/** Fails with `agent_inbox_only`: threads, labels and drafts are for agents (interface.md, Rules). */
export function requireAgentInbox({ kind }: Pick<MailboxDoc, 'kind'>): void {
  if (kind === 'person') throw new Failure('agent_inbox_only')
}

async function threadBySubject(ctx: Context, mailboxId: string, { subject, from }: Placed): Promise<string | null> {
  if (subject === null || from === null || !isReplySubject(subject)) return null
  const subjectKey = subjectKeyOf(subject)
  if (subjectKey === null) return null
  const since = after(ctx.clock.now(), -subjectMs)
  const threads = await store.findThreadsBySubject(ctx.store, { mailboxId, subjectKey, since, limit: sameSubjectMax })
  const fits = ({ lastMessageAt, participants }: ThreadDoc) =>
    lastMessageAt >= since && participants.some(({ address }) => address === from.address)
  const known = threads.find(fits)?._id
  if (known !== undefined) return known
  // What came a moment ago may not be in its thread yet.
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

async function deriveRound(ctx: Context, keys: readonly string[]): Promise<ReadonlyMap<string, true>> {
  let waiting: readonly ThreadRef[] = keys.map((key) => {
    const [mailboxId = '', threadId = ''] = key.split(' ')
    return { mailboxId, threadId }
  })
  for (let tries = 0; waiting.length > 0; tries++) {
    if (tries === triesMax) throw new Error(`${waiting.length} threads are written by others all the time.`)
    if (tries > 0) await sleep(Math.random() * pauseMs * tries)
    const again = new Set(await deriveOnce(ctx, waiting))
    waiting = waiting.filter(({ threadId }) => again.has(threadId))
  }
  return new Map()
}

/** Returns the ids of threads that others wrote meanwhile. */
async function deriveOnce(ctx: Context, refs: readonly ThreadRef[]): Promise<readonly string[]> {
  const revisions = await store.findRevisions(
    ctx.store,
    refs.map(({ threadId }) => threadId),
  )
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

/** A thread from its messages, oldest first. */
function threadFrom(all: Messages): ThreadDoc {
  const [{ mailboxId, threadId }] = all
  const aside = new Set(['Trash', 'Spam', 'Drafts'].map((path) => standardFolderId(mailboxId, path)))
  const [firstLive, ...othersLive] = all.filter(({ folderId }) => !aside.has(folderId))
  const live = firstLive !== undefined
  const shown: Messages = live ? [firstLive, ...othersLive] : all
  const last = shown.at(-1) ?? shown[0]
  const { subject } = shown[0]
  const subjectKey = subject === null ? null : subjectKeyOf(subject)
  const labels = [...new Set(shown.flatMap(({ labels: own = [] }) => own))].sort()
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
    ...(labels.length > 0 && { labels }),
    awaiting: awaitingOf(last),
    folderIds: [...new Set(all.map(({ folderId }) => folderId))],
    unread: shown.some(({ seen }) => !seen),
    flagged: shown.some(({ flagged }) => flagged),
    hasAttachment: shown.some(({ attachments }) => attachments.length > 0),
  }
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

/** Each address once, in the order of appearance, with the last name it was given. */
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

/** Who has the next word after a message: nobody after automatic mail, after mail that was put away, and before a draft is sent. */
function awaitingOf({ mailboxId, mailbox, folderId, from, trust, fingerprint }: ThreadMessage): ThreadDoc['awaiting'] {
  const ended = ['Archive', 'Trash', 'Spam', 'Drafts'].some((path) => standardFolderId(mailboxId, path) === folderId)
  if (ended || trust?.autoSubmitted === true) return 'none'
  // Only mail that came in has a fingerprint.
  return fingerprint === undefined || from?.address === mailbox ? 'them' : 'us'
}
