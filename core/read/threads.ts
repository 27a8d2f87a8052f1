/** Lists and reads threads. */
import { Failure } from '../../schemas/failures.ts'
import type { ThreadDoc } from '../../store/documents/mail.ts'
import { listMessages } from '../../store/messages.ts'
import * as store from '../../store/threads.ts'
import { encodeIdCursor, type Page, pageOf, readIdCursor } from '../access/paging.ts'
import type { Principal } from '../access/principal.ts'
import { getFolder } from '../mailbox/folders.ts'
import { foldersHolding, foldersIn, pathsOf } from '../mailbox/known-folders.ts'
import { reachMailbox } from '../mailbox/mailboxes.ts'
import { type Message, messageOf } from '../mailbox/messages.ts'
import { deriveThreads, requireAgentInbox } from '../mailbox/threading.ts'
import type { Context } from '../process/context.ts'
import { canonicalFilter, type Listing } from './list.ts'

export type Thread = Omit<ThreadDoc, '_id' | 'labels'> & { readonly id: string; readonly labels: readonly string[] }

/**
 * Lists threads by their newest message, newest first. Fails with `mailbox_not_found`, `not_found` (folder),
 * `agent_inbox_only`, `validation_error` (cursor).
 */
export async function listThreads(
  ctx: Context,
  principal: Principal,
  { address, folder, limit, before, ...filters }: Omit<Listing, 'threadId'>,
): Promise<Page<Thread>> {
  const mailbox = await reachMailbox(ctx, principal, address)
  requireAgentInbox(mailbox)
  const query = {
    ...canonicalFilter(filters),
    mailboxId: mailbox._id,
    ...(folder !== undefined && { folderId: (await getFolder(ctx, mailbox._id, folder))._id }),
  }
  const rows = await store.listThreads(ctx.store, query, { before: readIdCursor(before, 'msg'), limit: limit + 1 })
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  const next = rows.length > limit && last !== undefined ? encodeIdCursor(last.lastMessageId) : null
  return { items: items.map(recordOf), next }
}

/** Messages in these folders belong to a thread only when it has no others. */
const setAsideRoles = new Set(['trash', 'spam', 'drafts'])

/**
 * Reads a thread with a page of its messages, oldest first: the newest ones, or those before `before`. Fails as
 * `listThreads` does.
 */
export async function getThread(
  ctx: Context,
  principal: Principal,
  { address, threadId, limit, before }: { address: string; threadId: string; limit: number; before?: string },
): Promise<Thread & { messages: readonly Message[]; next: string | null }> {
  const mailbox = await reachMailbox(ctx, principal, address)
  requireAgentInbox(mailbox)
  const page = { before: readIdCursor(before, 'msg'), limit: limit + 1 }
  const read = (folderIds?: readonly string[]) =>
    listMessages(ctx.store, { mailboxId: mailbox._id, threadId, folderIds }, page)
  const find = () => store.findThread(ctx.store, { mailboxId: mailbox._id, threadId })
  const [known, rows] = await Promise.all([find(), read(), foldersIn(ctx, mailbox._id)])
  const folders = await foldersHolding(ctx, mailbox._id, rows)
  // A new message is stored a moment before its thread document is updated.
  const setAside = new Set(folders.filter(({ role }) => setAsideRoles.has(role ?? '')).map(({ _id }) => _id))
  const newest = rows.find(({ folderId }) => !setAside.has(folderId)) ?? rows[0]
  const isBehind = newest !== undefined && before === undefined && (known?.lastMessageId ?? '') < newest._id
  if (isBehind) await deriveThreads(ctx, [{ mailboxId: mailbox._id, threadId }])
  const thread = isBehind ? await find() : known
  if (thread === null) {
    throw new Failure('not_found', `There is no thread ${threadId} in ${mailbox.address}.`, {
      fix: 'Use the thread_id of a message in this mailbox (thr_...).',
    })
  }
  const shown = thread.live ? folders.filter(({ _id }) => !setAside.has(_id)) : folders
  const folderIds = shown.map(({ _id }) => _id)
  // Most threads have no message in a folder that is set aside, so a second read is rarely needed.
  const isShown = rows.every(({ folderId }) => folderIds.includes(folderId))
  const { items, next } = pageOf(isShown ? rows : await read(folderIds), limit)
  const pathOf = await pathsOf(ctx, mailbox._id, items)
  const messages = items.map((message) => messageOf(message, pathOf.get(message.folderId) ?? 'INBOX')).reverse()
  return { ...recordOf(thread), messages, next }
}

function recordOf({ _id, labels = [], ...thread }: ThreadDoc): Thread {
  return { ...thread, id: _id, labels }
}
