/** Lists messages. */
import { normaliseAddress, parseNamedAddress } from '../../mail/message/address.ts'
import type { FolderDoc } from '../../store/documents/mail.ts'
import { findFolders } from '../../store/folders.ts'
import type * as store from '../../store/messages.ts'
import type { MessageFilter } from '../../store/messages.ts'
import { type Page, pageOf, readIdCursor } from '../access/paging.ts'
import type { Principal } from '../access/principal.ts'
import {
  type ArrivalCursor,
  cursorAfter,
  cursorEdge,
  cursorOfPage,
  encodeArrivalCursor,
  newestNow,
} from '../mailbox/arrival-cursor.ts'
import { folderIn } from '../mailbox/folders.ts'
import { foldersIn, pathsOf } from '../mailbox/known-folders.ts'
import { canonicalLabel } from '../mailbox/labels.ts'
import { reachMailbox } from '../mailbox/mailboxes.ts'
import { type Message, messageOf } from '../mailbox/messages.ts'
import { requireAgentInbox } from '../mailbox/threading.ts'
import type { Context } from '../process/context.ts'
import { listByIndex } from '../search/listing.ts'
import { newestMessages } from './newest.ts'

/** Which messages of a mailbox to list. `folder` is a path or a role; addresses and the label may be in any form. */
export type Listing = MessageFilter & {
  readonly address: string
  readonly folder?: string
  readonly limit: number
  readonly before?: string
}

/**
 * Lists messages, newest first. `cursor` marks the time of the answer, for a wait that continues from there. Fails with
 * `mailbox_not_found`, `not_found` (folder), `agent_inbox_only`, `validation_error` (cursor).
 */
export async function listMessages(
  ctx: Context,
  principal: Principal,
  { address, folder, limit, before, ...filters }: Listing,
): Promise<Page<Message> & { cursor: string }> {
  const mailbox = await reachMailbox(ctx, principal, address)
  if (filters.label !== undefined || filters.threadId !== undefined) requireAgentInbox(mailbox)
  const asked = { ...filters, folder, limit, before: readIdCursor(before, 'msg') }
  const isPlain = [before, folder, ...Object.values(filters)].every((each) => each === undefined)
  const read = (isPlain ? await readNewest(ctx, mailbox._id, limit) : null) ?? (await readPage(ctx, mailbox._id, asked))
  const page = pageOf(read.rows, limit)
  const shown = page.items.map(({ _id }) => _id)
  return {
    items: read.messages ?? (await messagesOf(ctx, mailbox._id, page.items)),
    next: page.next,
    cursor: encodeArrivalCursor(read.cursorAfter(shown)),
  }
}

async function messagesOf(
  ctx: Context,
  mailboxId: string,
  rows: readonly store.ListedMessage[],
): Promise<readonly Message[]> {
  const pathOf = await pathsOf(ctx, mailboxId, rows)
  return rows.map((row) => messageOf(row, pathOf.get(row.folderId) ?? 'INBOX'))
}

/**
 * A page with one row more than is returned, and the arrival cursor after what the mailbox held when it was read and what is
 * `shown`. `messages` are the records of the page when the process keeps them; null when they are still to be made.
 */
type PageRead = {
  readonly rows: readonly store.ListedMessage[]
  readonly messages: readonly Message[] | null
  cursorAfter(shown: readonly string[]): ArrivalCursor
}

/**
 * Reads the newest messages without any filter, from which the arrival cursor can mostly be made without another query.
 * Returns null when they do not reach back far enough for that.
 */
async function readNewest(ctx: Context, mailboxId: string, limit: number): Promise<PageRead | null> {
  const edge = cursorEdge(ctx)
  const [{ rows, messages }] = await Promise.all([newestMessages(ctx, mailboxId, limit), foldersIn(ctx, mailboxId)])
  const cursor = cursorOfPage(edge, { newest: rows.map(({ _id }) => _id), isWhole: rows.length <= limit })
  return cursor && { rows, messages, cursorAfter: () => cursor }
}

async function readPage(
  ctx: Context,
  mailboxId: string,
  { folder, limit, before, ...filters }: Omit<Listing, 'address' | 'before'> & { readonly before: string | null },
): Promise<PageRead> {
  // The newest ids are read before the rows: a message that arrives in between is then shown or found by the next wait,
  // and never lost.
  const [newest, folders] = await Promise.all([newestNow(ctx, mailboxId), findFolders(ctx.store, mailboxId)])
  const folderIds = folderIdsToSearch(folders, folder, filters)
  const query = { ...canonicalFilter(filters), mailboxId, folderIds }
  const rows = await listByIndex(ctx, query, { before, limit: limit + 1, folders })
  return { rows, messages: null, cursorAfter: (shown) => cursorAfter(newest, shown) }
}

/** The filter with its addresses and label in canonical form, as messages have them. An address may have a name: `Ann <a@b>`. */
export function canonicalFilter<F extends MessageFilter>(filter: F): F {
  const { from, to, label } = filter
  const canonical = (text: string) => normaliseAddress(text) ?? parseNamedAddress(text)?.address ?? text.toLowerCase()
  return {
    ...filter,
    ...(from !== undefined && { from: canonical(from) }),
    ...(to !== undefined && { to: canonical(to) }),
    ...(label !== undefined && { label: canonicalLabel(label) }),
  }
}

/**
 * The folders to search; undefined when the query needs none. Flags and attachments are indexed by folder, so without a
 * given folder all are searched (store/messages.ts, MessageQuery).
 */
function folderIdsToSearch(
  folders: readonly FolderDoc[],
  folder: string | undefined,
  { unread, flagged, hasAttachment }: MessageFilter,
): readonly string[] | undefined {
  if (folder !== undefined) return [folderIn(folders, folder)._id]
  const byFolder = unread !== undefined || flagged === true || hasAttachment === true
  return byFolder ? folders.map(({ _id }) => _id) : undefined
}
