/**
 * Lists by sender, recipient or subject, in mailboxes too large to be read through: the index of search names messages that
 * may match, and the same conditions as without it decide. What the index may not have yet is read directly, so the answers
 * are the same.
 */

import type { Query, Words } from '../../mail/search/query.ts'
import { piecesOf, wantedTokens } from '../../mail/search/tokens.ts'
import { idAt, timeOfId } from '../../schemas/ids.ts'
import type { FolderDoc } from '../../store/documents/mail.ts'
import { type ListedMessage, listMessages, type MessageQuery } from '../../store/messages.ts'
import { findSegments } from '../../store/search.ts'
import type { Context } from '../process/context.ts'
import { StaleSegment } from './block-cache.ts'
import { pieceMark } from './indexing.ts'
import { searchableUpTo } from './sweep.ts'
import { walkSegments } from './walk.ts'

/** Up to so many messages a mailbox is read through. */
const readThroughMax = 2_000
const candidatesAtOnce = 500
/** Beyond it there are so many candidates that reading through is no dearer. */
const candidatesMax = 5_000
/** Of a long subject the first narrow enough. */
const piecesMax = 12

/** A page of `store.listMessages`, by the index where that is cheaper. */
export async function listByIndex(
  ctx: Context,
  query: MessageQuery,
  { before, limit, folders }: { before: string | null; limit: number; folders: readonly FolderDoc[] },
): Promise<ListedMessage[]> {
  const words = wordsOf(query)
  const total = folders.reduce((sum, folder) => sum + folder.total, 0)
  if (words === null || total <= readThroughMax) return listMessages(ctx.store, query, { before, limit })
  const indexed = timeOfId(await searchableUpTo(ctx))
  const since = query.since !== undefined && query.since > indexed ? query.since : indexed
  const fresh = await listMessages(ctx.store, { ...query, since }, { before, limit })
  if (fresh.length >= limit || (query.since !== undefined && query.since >= indexed)) return fresh
  const [edge = null] = [idAt('msg', indexed), ...(before === null ? [] : [before])].sort()
  const older = await listOlder(ctx, query, { words, before: edge, limit: limit - fresh.length, folders })
  return [...fresh, ...older]
}

/** Messages before an id, all of which are indexed. */
async function listOlder(
  ctx: Context,
  query: MessageQuery,
  {
    words,
    before,
    limit,
    folders,
  }: { words: Query; before: string | null; limit: number; folders: readonly FolderDoc[] },
): Promise<readonly ListedMessage[]> {
  // Drafts change, and what they say now may not be indexed yet.
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
  let looked = 0
  let isEnd = false
  let last = before
  try {
    for (let matched = 0; matched < limit && looked < candidatesMax && !isEnd; ) {
      const candidates = await walk.next(Math.min(candidatesAtOnce, limit * 2))
      isEnd = candidates.length === 0
      looked += candidates.length
      last = candidates.at(-1)?.id ?? last
      const ids = candidates.map(({ id }) => id)
      for (const message of isEnd ? [] : await listMessages(ctx.store, { ...query, ids }, { before, limit })) {
        if (!found.has(message._id)) matched += 1
        found.set(message._id, message)
      }
    }
  } catch (error) {
    if (!(error instanceof StaleSegment)) throw error
    looked = candidatesMax
  }
  if (looked >= candidatesMax && !isEnd) {
    const rest = await listMessages(ctx.store, query, { before: last, limit })
    for (const message of rest) found.set(message._id, message)
  }
  return [...found.values()].sort((a, b) => (a._id < b._id ? 1 : -1)).slice(0, limit)
}

/** The words that a message must have to pass, as far as the index has them; null when it cannot say. */
function wordsOf({ from, to, subject }: MessageQuery): Query | null {
  const parts = [wordsIn('from', from), wordsIn('to', to), piecesIn(subject)].flat()
  const [first] = parts
  return first === undefined ? null : parts.length === 1 ? first : { kind: 'and', parts }
}

function wordsIn(field: 'from' | 'to', text: string | undefined): Words[] {
  if (text === undefined) return []
  const tokens = wantedTokens(text, { prefix: false })
  return tokens.length === 0 ? [] : [{ kind: 'words', field, text, prefix: false, tokens }]
}

function piecesIn(subject: string | undefined): Query[] {
  const pieces = subject === undefined ? [] : piecesOf(subject).slice(0, piecesMax).map(pieceIn)
  return pieces.length === 0 ? [] : [{ kind: 'or', parts: [{ kind: 'and', parts: pieces }, pieceIn('')] }]
}

function pieceIn(piece: string): Words {
  const text = pieceMark + piece
  return { kind: 'words', field: 'subject', text, prefix: false, tokens: [{ text, at: 0, prefix: false }] }
}
