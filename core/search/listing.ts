/**
 * Lists messages by sender, recipient or subject in large mailboxes: the search index names messages that may match,
 * and the store checks them with the same conditions as without the index. Messages that may not be indexed yet are
 * read directly, so that the results are the same.
 */

import type { ParsedQuery, Words } from '../../mail/search/query.ts'
import { trigramsOf, wantedTokens } from '../../mail/search/tokens.ts'
import { idAt, timeOfId } from '../../schemas/ids.ts'
import type { FolderDoc } from '../../store/documents/mail.ts'
import { type ListedMessage, listMessages, type MessageQuery } from '../../store/messages.ts'
import { findSegments } from '../../store/search.ts'
import type { Context } from '../process/context.ts'
import { StaleSegment } from './block-cache.ts'
import { pieceMark } from './indexing.ts'
import { searchableUpTo } from './sweep.ts'
import { walkSegments } from './walk.ts'

/** Mailboxes with at most this many messages are read without the index. */
const readThroughMax = 2_000
const candidatesAtOnce = 500
/** With more candidates than this, reading without the index costs no more. */
const candidatesMax = 5_000
/** Pieces of a long subject that are looked up: the first ones narrow the list enough. */
const piecesMax = 12

/** Returns a page of `store.listMessages`, found by the index where that is cheaper. */
export async function listByIndex(
  ctx: Context,
  query: MessageQuery,
  { before, limit, folders }: { before: string | null; limit: number; folders: readonly FolderDoc[] },
): Promise<ListedMessage[]> {
  const words = queryOf(query)
  const total = folders.reduce((sum, folder) => sum + folder.total, 0)
  if (words === null || total <= readThroughMax) return listMessages(ctx.store, query, { before, limit })
  const indexed = timeOfId(await searchableUpTo(ctx))
  const since = query.since !== undefined && query.since > indexed ? query.since : indexed
  const recent = await listMessages(ctx.store, { ...query, since }, { before, limit })
  if (recent.length >= limit || (query.since !== undefined && query.since >= indexed)) return recent
  const [edge = null] = [idAt('msg', indexed), ...(before === null ? [] : [before])].sort()
  const older = await listOlder(ctx, query, { words, before: edge, limit: limit - recent.length, folders })
  return [...recent, ...older]
}

/** Lists messages before an id; all messages before it are indexed. */
async function listOlder(
  ctx: Context,
  query: MessageQuery,
  {
    words,
    before,
    limit,
    folders,
  }: { words: ParsedQuery; before: string | null; limit: number; folders: readonly FolderDoc[] },
): Promise<readonly ListedMessage[]> {
  // A draft changes, and its current content may not be indexed yet.
  const drafts = folders.find(({ role }) => role === 'drafts')?._id ?? ''
  const looksInDrafts = query.folderIds === undefined || query.folderIds.includes(drafts)
  const found = new Map<string, ListedMessage>()
  if (looksInDrafts) {
    const own = await listMessages(ctx.store, { ...query, folderIds: [drafts] }, { before, limit })
    for (const message of own) found.set(message._id, message)
  }
  const segments = await findSegments(ctx.store, query.mailboxId)
  const supply = segments.length === 0 ? [] : [segments]
  const walk = walkSegments(ctx, words, { supply: async () => supply.shift() ?? [], before })
  let candidatesRead = 0
  let isEnd = false
  let last = before
  try {
    for (let matched = 0; matched < limit && candidatesRead < candidatesMax && !isEnd; ) {
      const candidates = await walk.next(Math.min(candidatesAtOnce, limit * 2))
      isEnd = candidates.length === 0
      candidatesRead += candidates.length
      last = candidates.at(-1)?.id ?? last
      const ids = candidates.map(({ id }) => id)
      for (const message of isEnd ? [] : await listMessages(ctx.store, { ...query, ids }, { before, limit })) {
        if (!found.has(message._id)) matched += 1
        found.set(message._id, message)
      }
    }
  } catch (error) {
    if (!(error instanceof StaleSegment)) throw error
    candidatesRead = candidatesMax
  }
  if (candidatesRead >= candidatesMax && !isEnd) {
    const rest = await listMessages(ctx.store, query, { before: last, limit })
    for (const message of rest) found.set(message._id, message)
  }
  return [...found.values()].sort((a, b) => (a._id < b._id ? 1 : -1)).slice(0, limit)
}

/** The query for the words that a matching message must have in the index; null when the filter has no such words. */
function queryOf({ from, to, subject }: MessageQuery): ParsedQuery | null {
  const parts = [addressWords('from', from), addressWords('to', to), subjectPieces(subject)].flat()
  const [first] = parts
  return first === undefined ? null : parts.length === 1 ? first : { kind: 'and', parts }
}

function addressWords(field: 'from' | 'to', text: string | undefined): Words[] {
  if (text === undefined) return []
  const tokens = wantedTokens(text, { prefix: false })
  return tokens.length === 0 ? [] : [{ kind: 'words', field, text, prefix: false, tokens }]
}

function subjectPieces(subject: string | undefined): ParsedQuery[] {
  const pieces = subject === undefined ? [] : trigramsOf(subject).slice(0, piecesMax).map(pieceWord)
  return pieces.length === 0 ? [] : [{ kind: 'or', parts: [{ kind: 'and', parts: pieces }, pieceWord('')] }]
}

function pieceWord(piece: string): Words {
  const text = pieceMark + piece
  return { kind: 'words', field: 'subject', text, prefix: false, tokens: [{ text, at: 0, prefix: false }] }
}
