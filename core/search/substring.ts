/**
 * Finds the messages that may contain a text, also within words: the index lists all words, and the words that contain the text
 * lead to the messages.
 */
import { wantedTokens } from '../../mail/search/tokens.ts'
import { eachMessage, findEntriesWith, type WordList, wordsOf } from '../../store/postings.ts'
import { blockId, findSegments, pageId } from '../../store/search.ts'
import { pageRows, rowAt } from '../../store/segment-table.ts'
import type { Context } from '../process/context.ts'
import { perProcess } from '../process/per-process.ts'
import { readBlocks, StaleSegment } from './block-cache.ts'
import { createYield } from './indexing.ts'

/** Shortest piece of a word that is looked up: shorter ones are in too many messages. */
const pieceMin = 3
const triesMax = 3

/** The ids of indexed messages that have a word with the text in it; null when the text has no piece that the index could find. */
export async function idsWithText(ctx: Context, mailboxId: string, text: string): Promise<readonly string[] | null> {
  const piece = pieceOf(text)
  if (piece === null) return null
  for (let tries = 1; ; tries++) {
    try {
      return await idsWith(ctx, mailboxId, piece)
    } catch (error) {
      if (!(error instanceof StaleSegment)) throw error
      if (tries === triesMax) return null
    }
  }
}

/** The longest ASCII word of a text, in its indexed form: in other scripts a piece of a text need not be a piece of a word. */
function pieceOf(text: string): string | null {
  const words = wantedTokens(text, { prefix: false }).map((token) => token.text)
  const longest = words.filter((word) => /^[a-z0-9]+$/.test(word)).sort((a, b) => b.length - a.length)[0]
  return longest === undefined || longest.length < pieceMin ? null : longest
}

/** The word lists of cached blocks (core/search/block-cache.ts): about a third of the blocks' size, and freed with them. */
const wordLists = perProcess(() => new WeakMap<Buffer, WordList>())

function wordsIn(ctx: Context, block: Buffer): WordList {
  const lists = wordLists(ctx)
  const known = lists.get(block) ?? wordsOf(block)
  lists.set(block, known)
  return known
}

async function idsWith(ctx: Context, mailboxId: string, piece: string): Promise<readonly string[]> {
  const yieldNow = createYield()
  const ids = new Set<string>()
  for (const segment of await findSegments(ctx.store, mailboxId)) {
    const blockIds = segment.words.map((_, n) => blockId(segment._id, n))
    const blocks = await readBlocks(ctx, blockIds, [segment])
    const rows = new Set<number>()
    for (const block of blocks.values()) {
      for (const entry of findEntriesWith(block, wordsIn(ctx, block), piece)) eachMessage(entry, (n) => rows.add(n))
      await yieldNow()
    }
    const pageIds = new Set([...rows].map((n) => pageId(segment._id, Math.floor(n / pageRows))))
    const pages = await readBlocks(ctx, [...pageIds], [segment])
    for (const n of rows) ids.add(rowAt(pages.get(pageId(segment._id, Math.floor(n / pageRows)))!, n % pageRows).id)
  }
  return [...ids]
}
