/**
 * The search index of mailboxes: segments with their blocks and table pages, and the visible texts of messages. Invariants:
 * The document of a segment is written after its blocks and deleted before them, so a reader that finds a block missing has
 * to read the segments again. While a segment exists together with the segments that it replaces, readers use only the new one.
 */
import zlib from 'node:zlib'
import { Binary } from 'mongodb'
import { newToken } from '../schemas/ids.ts'
import type { SearchBlockDoc, SegmentDoc, SegmentParts } from './documents/search.ts'
import { isDuplicate, onlyDuplicates, type Store } from './open.ts'
import { readMany, readOne } from './reads.ts'

/** A segment to be written, without the block and the page that a small segment stores in its document. */
export type NewSegment = Omit<SegmentDoc, 'block' | 'page'>

const params = { [zlib.constants.ZSTD_c_compressionLevel]: 1 }
/**
 * Below these sizes data is stored uncompressed, because decompressing would cost more than reading the larger document. Text
 * compresses well; blocks do not.
 */
const plainTextBytes = 2 * 1024
const plainBlockBytes = 12 * 1024
const [plainMark, zstdMark] = [0, 1]
/**
 * Up to these sizes the block and the page are stored in the segment's document, so that one query reads a small segment.
 */
const inlineBlockBytes = 4 * 1024
const inlinePageBytes = 16 * 1024

export const blockId = (segmentId: string, n: number) => `${segmentId}#w${n}`
export const pageId = (segmentId: string, n: number) => `${segmentId}#p${n}`

/** Writes small segments in two round trips. The table of each has a single page. */
export async function insertSegments(
  store: Store,
  segments: readonly { readonly segment: NewSegment; readonly blocks: readonly Buffer[]; readonly page: Buffer }[],
): Promise<void> {
  if (segments.length === 0) return
  const outside: SearchBlockDoc[] = []
  const docs = segments.map(({ segment, blocks, page }): SegmentDoc => {
    const compressed = {
      blocks: blocks.map((bytes) => compress(bytes, plainBlockBytes)),
      page: compress(page, plainBlockBytes),
    }
    const [only] = compressed.blocks
    const block = compressed.blocks.length === 1 && only !== undefined && only.length <= inlineBlockBytes ? only : null
    if (block === null) outside.push(...compressed.blocks.map((bytes, n) => blockDoc(blockId(segment._id, n), bytes)))
    if (compressed.page.length > inlinePageBytes) outside.push(blockDoc(pageId(segment._id, 0), compressed.page))
    return {
      ...segment,
      ...(block !== null && { block: new Binary(block) }),
      ...(compressed.page.length <= inlinePageBytes && { page: new Binary(compressed.page) }),
    }
  })
  if (outside.length > 0) await store.searchBlocks.insertMany(outside, { ordered: false })
  await store.searchSegments.insertMany(docs, { ordered: false })
}

/** Writes blocks or pages of a segment whose document is not written yet. */
export async function insertBlocks(
  store: Store,
  blocks: readonly { readonly id: string; readonly bytes: Buffer }[],
): Promise<void> {
  if (blocks.length === 0) return
  await store.searchBlocks.insertMany(
    blocks.map(({ id, bytes }) => blockDoc(id, compress(bytes, plainBlockBytes))),
    { ordered: false },
  )
}

/** Writes the document of a segment whose blocks and pages are written, and deletes the segments it replaces. */
export async function replaceSegments(store: Store, segment: SegmentDoc): Promise<void> {
  await store.searchSegments.insertOne(segment)
  await finishReplacement(store, segment)
}

/** Deletes the segments that a segment replaces. Safe to repeat. */
export async function finishReplacement(store: Store, { _id, mailboxId, replaces }: SegmentDoc): Promise<void> {
  if (replaces === undefined) return
  await removeSegments(store, { mailboxId, segments: replaces })
  await store.searchSegments.updateOne({ _id, mailboxId }, { $unset: { replaces: '' } })
}

export async function removeSegments(
  store: Store,
  { mailboxId, segments }: { mailboxId: string; segments: readonly SegmentParts[] },
): Promise<void> {
  await store.searchSegments.deleteMany({ mailboxId, _id: { $in: segments.map(({ id }) => id) } })
  const ids = segments.flatMap(({ id, blocks, pages }) => [
    ...Array.from({ length: blocks }, (_, n) => blockId(id, n)),
    ...Array.from({ length: pages }, (_, n) => pageId(id, n)),
  ])
  for (let from = 0; from < ids.length; from += idsMax)
    await store.searchBlocks.deleteMany({ _id: { $in: ids.slice(from, from + idsMax) } })
}

/** How many block and page documents a segment has besides its own document. */
export function partsOf({ _id, words, pages, block, page }: SegmentDoc): SegmentParts {
  return { id: _id, blocks: block === undefined ? words.length : 0, pages: page === undefined ? pages.length : 0 }
}

/** The segments of a mailbox, newest first, without those that another segment replaces. */
export async function findSegments(store: Store, mailboxId: string): Promise<SegmentDoc[]> {
  return withoutReplaced(
    await readMany(store, 'searchSegments', { mailboxId }, { sort: { mailboxId: -1, newest: -1 } }),
  )
}

/**
 * The segments of an account's mailboxes, newest first, at most `limit`, starting after the segment `from`. `only` restricts
 * them to some mailboxes; null: all. Includes replaced segments.
 */
export async function findSegmentsOfAccount(
  store: Store,
  {
    accountId,
    only,
    from,
    limit,
  }: {
    accountId: string
    only: readonly string[] | null
    from: { readonly newest: string; readonly id: string } | null
    limit: number
  },
): Promise<SegmentDoc[]> {
  const after =
    from === null ? {} : { $or: [{ newest: { $lt: from.newest } }, { newest: from.newest, _id: { $lt: from.id } }] }
  return readMany(
    store,
    'searchSegments',
    { accountId, ...(only !== null && { mailboxId: { $in: [...only] } }), ...after },
    { sort: { accountId: -1, newest: -1, _id: -1 }, limit },
  )
}

/** The given segments, except those that another of them replaces. */
export function withoutReplaced(segments: readonly SegmentDoc[]): SegmentDoc[] {
  const replaced = new Set(segments.flatMap(({ replaces = [] }) => replaces.map(({ id }) => id)))
  return replaced.size === 0 ? [...segments] : segments.filter(({ _id }) => !replaced.has(_id))
}

/** The mailboxes of the segments that are due to be tidied, looking at `limit` segments at most, for the sweep. */
export async function findMailboxesToTidy(store: Store, now: Date, limit: number): Promise<readonly string[]> {
  const found = await readMany(
    store,
    'searchSegments',
    { tidyAt: { $lte: now } },
    { projection: { mailboxId: 1 }, sort: { tidyAt: 1 }, limit },
  )
  return [...new Set(found.map(({ mailboxId }) => mailboxId))]
}

/** Records that a segment needs no tidying until `tidyAt`. */
export async function postponeTidying(
  store: Store,
  { _id, mailboxId }: Pick<SegmentDoc, '_id' | 'mailboxId'>,
  tidyAt: Date,
): Promise<void> {
  await store.searchSegments.updateOne({ _id, mailboxId }, { $set: { tidyAt } })
}

/** The tables of the segments of these mailboxes that may contain messages with ids from `oldest` to `newest`. */
export function findTables(
  store: Store,
  { mailboxIds, oldest, newest }: { mailboxIds: readonly string[]; oldest: string; newest: string },
): Promise<Pick<SegmentDoc, '_id' | 'pages' | 'page'>[]> {
  return readMany(
    store,
    'searchSegments',
    { mailboxId: { $in: [...mailboxIds] }, newest: { $gte: oldest }, oldest: { $lte: newest } },
    { projection: { pages: 1, page: 1 } },
  )
}

/** Blocks and pages by id, decompressed; deleted ones are missing from the map. */
export async function findBlocks(store: Store, ids: readonly string[]): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>()
  for (let from = 0; from < ids.length; from += idsMax) {
    const docs = await readMany(store, 'searchBlocks', { _id: { $in: ids.slice(from, from + idsMax) } })
    for (const { _id, data } of docs) found.set(_id, decompress(data))
  }
  return found
}

/** The bytes of a block, a page or a text, decompressed. */
export function decompress(data: Binary): Buffer {
  const compressed = data.buffer.subarray(0, data.position)
  const bytes = compressed.subarray(1)
  // A copy, so that the buffer of the database's whole reply can be freed.
  return compressed[0] === zstdMark ? zlib.zstdDecompressSync(bytes) : Buffer.from(bytes)
}

/** Stores the visible texts of blobs. Safe to repeat. */
export async function insertTexts(
  store: Store,
  texts: readonly { readonly blobId: string; readonly text: string }[],
): Promise<void> {
  if (texts.length === 0) return
  try {
    await store.searchTexts.insertMany(
      texts.map(({ blobId, text }) => ({ _id: blobId, data: new Binary(compress(Buffer.from(text), plainTextBytes)) })),
      { ordered: false },
    )
  } catch (error) {
    if (!onlyDuplicates(error)) throw error
  }
}

/** The visible texts of those blobs for which one is stored, by blob id. */
export async function findTexts(store: Store, blobIds: readonly string[]): Promise<Map<string, string>> {
  const docs = await readMany(store, 'searchTexts', { _id: { $in: [...blobIds] } })
  return new Map(docs.map(({ _id, data }) => [_id, decompress(data).toString()]))
}

/**
 * Claims the merging of a mailbox's segments until `until`, to write the segment `output`. Returns null when another process
 * has claimed it. `abandoned` is the segment that the holder of an expired claim was writing, if any.
 */
export async function claimMerge(
  store: Store,
  { mailboxId, output, now, until }: { mailboxId: string; output: string; now: Date; until: Date },
): Promise<{ token: string; abandoned: string | null } | null> {
  const token = newToken()
  try {
    const before = await store.searchMerges.findOneAndUpdate(
      { _id: mailboxId, until: { $lte: now } },
      { $set: { token, until, output } },
      { upsert: true, returnDocument: 'before' },
    )
    return { token, abandoned: before?.output ?? null }
  } catch (error) {
    // A claim that is still valid does not match the filter; the insert of the upsert is then refused as a duplicate.
    if (isDuplicate(error)) return null
    throw error
  }
}

/** Extends a claim until `until` and records the segment being written. Returns false when the claim was lost meanwhile. */
export async function extendMerge(
  store: Store,
  { mailboxId, token, output, until }: { mailboxId: string; token: string; output: string; until: Date },
): Promise<boolean> {
  const { matchedCount } = await store.searchMerges.updateOne({ _id: mailboxId, token }, { $set: { output, until } })
  return matchedCount === 1
}

export async function releaseMerge(
  store: Store,
  { mailboxId, token }: { mailboxId: string; token: string },
): Promise<void> {
  await store.searchMerges.deleteOne({ _id: mailboxId, token })
}

/** Deletes the blocks and pages of a segment whose document was never written. A finished segment is kept. */
export async function removeUnfinishedSegment(
  store: Store,
  { mailboxId, segmentId }: { mailboxId: string; segmentId: string },
): Promise<void> {
  if ((await readOne(store, 'searchSegments', { _id: segmentId, mailboxId }, { projection: { _id: 1 } })) !== null)
    return
  await store.searchBlocks.deleteMany({ _id: { $gte: `${segmentId}#`, $lt: `${segmentId}$` } })
}

/** Deletes the whole index of a deleted mailbox. */
export async function removeIndex(store: Store, mailboxId: string): Promise<void> {
  const segments = await store.searchSegments.find({ mailboxId }).toArray()
  await removeSegments(store, { mailboxId, segments: segments.map(partsOf) })
  await store.searchMerges.deleteOne({ _id: mailboxId })
}

/** The most ids in one command, so that commands stay small. */
const idsMax = 1_000

const blockDoc = (_id: string, bytes: Buffer): SearchBlockDoc => ({ _id, data: new Binary(bytes) })

/**
 * Compresses bytes if there are at least `plainBytes`. The first byte of the result shows whether the rest is compressed.
 */
function compress(bytes: Buffer, plainBytes: number): Buffer {
  if (bytes.length < plainBytes) return Buffer.concat([Buffer.of(plainMark), bytes])
  return Buffer.concat([Buffer.of(zstdMark), zlib.zstdCompressSync(bytes, { params, pledgedSrcSize: bytes.length })])
}
