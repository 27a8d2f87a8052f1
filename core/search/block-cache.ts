/**
 * A cache of blocks of the search index, since the same words are searched repeatedly. One per process, bounded in
 * bytes.
 */
import type { SearchBlockDoc, SegmentDoc } from '../../store/documents/search.ts'
import { blockId, decompress, findBlocks, pageId } from '../../store/search.ts'
import { minuteMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { createKept, type Kept } from '../process/kept.ts'
import { perProcess } from '../process/per-process.ts'

const cacheBytes = 64 * 1024 * 1024
/** What a buffer and its map entry take in addition to its bytes. */
const overheadBytes = 200

/** Cached blocks by id. Blocks never change. */
const blocksOf = perProcess(({ clock }) =>
  createKept<Buffer>(clock, {
    max: cacheBytes,
    weigh: ({ length }) => length + overheadBytes,
    ttlMs: 10 * minuteMs,
    renewOnUse: true,
  }),
)

/** Thrown when a block of a segment does not exist any more, because a merge replaced the segment. */
export class StaleSegment extends Error {}

/**
 * Reads blocks and pages. Returns them by id: from the cache, from the segment documents that contain them, and the
 * rest from the store in one query. Throws `StaleSegment` when one is gone.
 */
export async function readBlocks(
  ctx: Context,
  ids: readonly string[],
  segments: readonly SegmentDoc[],
): Promise<ReadonlyMap<string, Buffer>> {
  const kept = blocksOf(ctx)
  const inline = inlineOf(segments)
  const found = new Map<string, Buffer>()
  const missing: string[] = []
  for (const id of new Set(ids)) {
    const known = kept.get(id)
    const own = inline.get(id)
    if (known !== undefined) found.set(id, known)
    else if (own === undefined) missing.push(id)
    else found.set(id, cache(kept, id, decompress(own)))
  }
  if (missing.length === 0) return found
  const stored = await findBlocks(ctx.store, missing)
  for (const id of missing) {
    const block = stored.get(id)
    if (block === undefined) throw new StaleSegment(id)
    found.set(id, cache(kept, id, block))
  }
  return found
}

function inlineOf(segments: readonly SegmentDoc[]): ReadonlyMap<string, SearchBlockDoc['data']> {
  const inline = new Map<string, SearchBlockDoc['data']>()
  for (const { _id, block, page } of segments) {
    if (block !== undefined) inline.set(blockId(_id, 0), block)
    if (page !== undefined) inline.set(pageId(_id, 0), page)
  }
  return inline
}

function cache(kept: Kept<Buffer>, id: string, block: Buffer): Buffer {
  kept.set(id, block)
  return block
}
