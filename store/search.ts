/**
 * The search index of mailboxes: segments, their blocks and table pages, and the visible texts. Invariants: a segment's
 * document is written after its blocks and removed before them, so whoever reads it and finds a block missing reads the
 * segments anew; of two segments of which one replaces the other, readers use the new one.
 */
import zlib from 'node:zlib'
import { Binary } from 'mongodb'
import { newToken } from '../schemas/ids.ts'
import type { SearchBlockDoc, SegmentDoc, SegmentParts } from './documents/search.ts'
import { isDuplicate, onlyDuplicates, type Store } from './open.ts'

/** A segment to be written: `blocks` and `pages` are not compressed yet. */
export type NewSegment = Omit<SegmentDoc, 'block' | 'page'>

const params = { [zlib.constants.ZSTD_c_compressionLevel]: 1 }
/** Below these sizes unpacking costs more than reading what was not compressed: text shrinks well, blocks do not. */
const plainTextBytes = 2 * 1024
const plainBlockBytes = 12 * 1024
const [plainMark, zstdMark] = [0, 1]
/** Up to these sizes block and page stand in the segment's own document: one read finds all of a small segment. */
const inlineBlockBytes = 4 * 1024
const inlinePageBytes = 16 * 1024

export const blockId = (segmentId: string, n: number) => `${segmentId}#w${n}`
export const pageId = (segmentId: string, n: number) => `${segmentId}#p${n}`

/** Writes small segments, all of them in two round trips: each has one page, and its blocks are at hand. */
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

/** Writes blocks or pages of a segment that is being made. */
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

/** Writes a segment whose blocks and pages are written, and removes those it replaces. */
export async function replaceSegments(store: Store, segment: SegmentDoc): Promise<void> {
  await store.searchSegments.insertOne(segment)
  await finishReplacement(store, segment)
}

/** Removes what a segment replaces. Safe to repeat. */
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

/** Which documents a segment has beside its own. */
export function partsOf({ _id, words, pages, block, page }: SegmentDoc): SegmentParts {
  return { id: _id, blocks: block === undefined ? words.length : 0, pages: page === undefined ? pages.length : 0 }
}

/** The segments of a mailbox, newest first; those that another replaces are left out. */
export async function findSegments(store: Store, mailboxId: string): Promise<SegmentDoc[]> {
  return withoutReplaced(await store.searchSegments.find({ mailboxId }).sort({ mailboxId: -1, newest: -1 }).toArray())
}

/** The segments of an account's mailboxes, newest first; `only` null: of all. At most `limit`, those from `from` on. */
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
  return store.searchSegments
    .find({ accountId, ...(only !== null && { mailboxId: { $in: [...only] } }), ...after })
    .sort({ accountId: -1, newest: -1, _id: -1 })
    .limit(limit)
    .toArray()
}

/** Segments without those that another one of them replaces. */
export function withoutReplaced(segments: readonly SegmentDoc[]): SegmentDoc[] {
  const replaced = new Set(segments.flatMap(({ replaces = [] }) => replaces.map(({ id }) => id)))
  return replaced.size === 0 ? [...segments] : segments.filter(({ _id }) => !replaced.has(_id))
}

/** Mailboxes with segments that are to be tidied, at most `limit`: for the sweep. */
export async function findMailboxesToTidy(store: Store, now: Date, limit: number): Promise<readonly string[]> {
  const found = await store.searchSegments
    .find({ tidyAt: { $lte: now } }, { projection: { mailboxId: 1 } })
    .sort({ tidyAt: 1 })
    .limit(limit)
    .toArray()
  return [...new Set(found.map(({ mailboxId }) => mailboxId))]
}

/** A segment has nothing to be left out of it until `tidyAt`. */
export async function postponeTidying(
  store: Store,
  { _id, mailboxId }: Pick<SegmentDoc, '_id' | 'mailboxId'>,
  tidyAt: Date,
): Promise<void> {
  await store.searchSegments.updateOne({ _id, mailboxId }, { $set: { tidyAt } })
}

/** Those segments of mailboxes that reach up to a message id: for the sweep. */
export function findSegmentsSince(
  store: Store,
  { mailboxIds, since }: { mailboxIds: readonly string[]; since: string },
): Promise<SegmentDoc[]> {
  return store.searchSegments.find({ mailboxId: { $in: [...mailboxIds] }, newest: { $gte: since } }).toArray()
}

/** Blocks and pages by id, as they were compressed; one that is gone is not in the map. */
export async function findBlocks(store: Store, ids: readonly string[]): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>()
  for (let from = 0; from < ids.length; from += idsMax) {
    const docs = await store.searchBlocks.find({ _id: { $in: ids.slice(from, from + idsMax) } }).toArray()
    for (const { _id, data } of docs) found.set(_id, decompress(data))
  }
  return found
}

/** The bytes of a block, a page or a text. */
export function decompress(data: Binary): Buffer {
  const compressed = data.buffer.subarray(0, data.position)
  const bytes = compressed.subarray(1)
  // A copy, which does not keep the whole answer of the database alive.
  return compressed[0] === zstdMark ? zlib.zstdDecompressSync(bytes) : Buffer.from(bytes)
}

/** Keeps visible texts, by the id of their blob. Safe to repeat. */
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

/** The visible texts of blobs, as far as they are kept. */
export async function findTexts(store: Store, blobIds: readonly string[]): Promise<Map<string, string>> {
  const docs = await store.searchTexts.find({ _id: { $in: [...blobIds] } }).toArray()
  return new Map(docs.map(({ _id, data }) => [_id, decompress(data).toString()]))
}

/**
 * Takes the right to merge the segments of a mailbox until `until`, to write the segment `output`. Null when somebody else
 * has it. `abandoned` is what a merger who died was writing.
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
    // The upsert met the document of somebody whose time is not over.
    if (isDuplicate(error)) return null
    throw error
  }
}

/** Notes what is being written, and that it goes on until `until`. False when the right was lost meanwhile. */
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

/** Removes the blocks of a segment that was never finished; a finished one stays. */
export async function removeUnfinishedSegment(
  store: Store,
  { mailboxId, segmentId }: { mailboxId: string; segmentId: string },
): Promise<void> {
  if ((await store.searchSegments.findOne({ _id: segmentId, mailboxId }, { projection: { _id: 1 } })) !== null) return
  await store.searchBlocks.deleteMany({ _id: { $gte: `${segmentId}#`, $lt: `${segmentId}$` } })
}

/** Removes the whole index of a mailbox that has ended. */
export async function removeIndex(store: Store, mailboxId: string): Promise<void> {
  const segments = await store.searchSegments.find({ mailboxId }).toArray()
  await removeSegments(store, { mailboxId, segments: segments.map(partsOf) })
  await store.searchMerges.deleteOne({ _id: mailboxId })
}

/** Against commands with endless lists. */
const idsMax = 1_000

const blockDoc = (_id: string, bytes: Buffer): SearchBlockDoc => ({ _id, data: new Binary(bytes) })

/** The first byte says how the others are compressed. */
function compress(bytes: Buffer, plainBytes: number): Buffer {
  if (bytes.length < plainBytes) return Buffer.concat([Buffer.of(plainMark), bytes])
  return Buffer.concat([Buffer.of(zstdMark), zlib.zstdCompressSync(bytes, { params, pledgedSrcSize: bytes.length })])
}
