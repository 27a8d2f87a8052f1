/** Blocks of the search index that were read lately: the same words are asked for again. One per process, bounded in bytes. */
import type { SearchBlockDoc, SegmentDoc } from '../../store/documents/search.ts'
import { blockId, findBlocks, pageId, unpack } from '../../store/search.ts'
import type { Context } from '../process/context.ts'
import { perStore } from '../process/per-process.ts'

const cacheBytes = 64 * 1024 * 1024
/** What a buffer and its place in the map take beside its bytes. */
const overheadBytes = 200

type Cache = { readonly blocks: Map<string, Buffer>; bytes: number }

const caches = perStore((): Cache => ({ blocks: new Map(), bytes: 0 }))

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
  const cache = caches(ctx)
  const inline = inlineOf(segments)
  const found = new Map<string, Buffer>()
  const missing: string[] = []
  for (const id of new Set(ids)) {
    const known = cache.blocks.get(id)
    const own = inline.get(id)
    if (known !== undefined) {
      // The last in the map are those used last.
      cache.blocks.delete(id)
      cache.blocks.set(id, known)
      found.set(id, known)
    } else if (own === undefined) missing.push(id)
    else found.set(id, keep(cache, id, unpack(own)))
  }
  if (missing.length === 0) return found
  const fresh = await findBlocks(ctx.store, missing)
  for (const id of missing) {
    const block = fresh.get(id)
    if (block === undefined) throw new StaleSegment(id)
    found.set(id, keep(cache, id, block))
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

function keep(cache: Cache, id: string, block: Buffer): Buffer {
  if (!cache.blocks.has(id)) cache.bytes += block.length + overheadBytes
  cache.blocks.set(id, block)
  for (const [oldest, bytes] of cache.blocks) {
    if (cache.bytes <= cacheBytes) break
    cache.blocks.delete(oldest)
    cache.bytes -= bytes.length + overheadBytes
  }
  return block
}
