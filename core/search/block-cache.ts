/** Blocks of the search index that were read lately: the same words are asked for again. One per process, bounded in bytes. */
import type { SearchBlockDoc, SegmentDoc } from '../../store/documents/search.ts'
import { blockId, decompress, findBlocks, pageId } from '../../store/search.ts'
import { minuteMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { createKept, type Kept } from '../process/kept.ts'
import { perProcess } from '../process/per-process.ts'

const cacheBytes = 64 * 1024 * 1024
/** What a buffer and its place in the map take beside its bytes. */
const overheadBytes = 200

/** By id. Blocks never change. */
const blocksOf = perProcess(({ clock }) =>
  createKept<Buffer>(clock, {
    max: cacheBytes,
    weigh: ({ length }) => length + overheadBytes,
    ttlMs: 10 * minuteMs,
    renewOnUse: true,
  }),
)

/** A block that a segment names is not there any more: another segment has taken its place. */
export class StaleSegment extends Error {}

/**
 * Blocks and pages by id: from the cache, from the segments' own documents, and the rest from the store in one go. Throws
 * StaleSegment when one is gone.
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
    else found.set(id, keep(kept, id, decompress(own)))
  }
  if (missing.length === 0) return found
  const fresh = await findBlocks(ctx.store, missing)
  for (const id of missing) {
    const block = fresh.get(id)
    if (block === undefined) throw new StaleSegment(id)
    found.set(id, keep(kept, id, block))
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

function keep(kept: Kept<Buffer>, id: string, block: Buffer): Buffer {
  kept.set(id, block)
  return block
}
