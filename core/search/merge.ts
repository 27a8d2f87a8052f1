/**
 * Merges segments, so that they become fewer and larger: when there are enough segments of one size, they are merged
 * into one of the next size, up to a largest. A message is therefore written again a fixed number of times, whatever
 * the size of the mailbox, and a search reads few segments. Messages that were deleted or changed meanwhile are left
 * out. Invariants: one process merges a mailbox at a time; the merged parts are kept until the new segment is complete.
 */

import { newId } from '../../schemas/ids.ts'
import type { SegmentDoc } from '../../store/documents/search.ts'
import { findBlobIds } from '../../store/messages.ts'
import {
  BlockPacker,
  concatenateEntries,
  entriesOf,
  entryOf,
  isBefore,
  type WordEntry,
  type WordPosition,
  wordPositionsOf,
} from '../../store/postings.ts'
import * as store from '../../store/search.ts'
import { packPage, pageRows, rowAt, rowCount, type SegmentRow, versionOf } from '../../store/segment-table.ts'
import { after, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { createYield, tidyAfterMs } from './indexing.ts'

/**
 * The sizes of segments: the first has fewer than 16 messages, the second fewer than 128, and so on. Segments beyond
 * the last size are never merged.
 */
const sizes = [16, 128, 1_024, 8_192, 65_536] as const
/** How many segments of a size are merged into one of the next size. */
const fanIn = [16, 8, 8, 8, 8] as const
const leaseMs = 60 * secondMs
/** Blocks written at once; a quarter as many are read at once. */
const blocksAtOnce = 32
const idsAtOnce = 1_000

/** How many small segments a mailbox must have before there is something to merge. */
export const mergeFanIn = fanIn[0]

/**
 * Merges the segments of a mailbox that are due, and tidies those that may have held deleted messages for long. Returns
 * how many segments were written or checked.
 */
export async function mergeSegments(ctx: Context, mailboxId: string): Promise<number> {
  const now = ctx.clock.now()
  let output = newId('seg', now)
  const taken = await store.claimMerge(ctx.store, { mailboxId, output, now, until: after(now, leaseMs) })
  if (taken === null) return 0
  const { token, abandoned } = taken
  if (abandoned !== null) await store.removeUnfinishedSegment(ctx.store, { mailboxId, segmentId: abandoned })
  let segments: readonly SegmentDoc[] = await store.findSegments(ctx.store, mailboxId)
  for (const segment of segments) await store.finishReplacement(ctx.store, segment)
  let merged = 0
  for (let parts = dueSegments(segments, now); parts !== null; parts = dueSegments(segments, now)) {
    if (merged > 0) output = newId('seg', ctx.clock.now())
    const lease = createLease(ctx, { mailboxId, token, output, fresh: merged === 0 })
    const made = await mergeParts(ctx, parts, { output, lease })
    if (made === null) return merged
    const left = new Set(parts)
    segments = [...segments.filter((segment) => !left.has(segment)), ...made]
    merged += 1
  }
  // Not reached after a failure: the next merge of the mailbox then removes what was partly written.
  await store.releaseMerge(ctx.store, { mailboxId, token })
  return merged
}

/** The lease of a merge. `hold` extends it when needed, and returns whether it is still held. */
type MergeLease = { hold(): Promise<boolean> }

function createLease(
  ctx: Context,
  { mailboxId, token, output, fresh }: { mailboxId: string; token: string; output: string; fresh: boolean },
): MergeLease {
  let renewAt = fresh ? after(ctx.clock.now(), leaseMs / 3) : new Date(0)
  return {
    async hold() {
      const now = ctx.clock.now()
      if (now < renewAt) return true
      renewAt = after(now, leaseMs / 3)
      return store.extendMerge(ctx.store, { mailboxId, token, output, until: after(now, leaseMs) })
    },
  }
}

/** The segments to merge next, newest first, or one segment to tidy; null when nothing is due. */
function dueSegments(segments: readonly SegmentDoc[], now: Date): readonly SegmentDoc[] | null {
  for (const [n, size] of sizes.entries()) {
    const same = segments.filter(({ count }) => count < size && count >= (sizes[n - 1] ?? 0))
    if (same.length >= fanIn[n]!) return same
  }
  const tidyDue = segments.find(({ tidyAt }) => tidyAt <= now)
  return tidyDue === undefined ? null : [tidyDue]
}

/** A segment that is being merged. `numbers` holds the new number of each of its rows, -1 for rows that are left out. */
type MergePart = {
  readonly segment: SegmentDoc
  readonly numbers: Int32Array
  /** The new number of its first row when all its rows are kept in one run, else null. */
  shift: number | null
}

/**
 * Merges segments into one, or none when all messages are gone. Returns the new segment as a list; null when the lease
 * was lost.
 */
async function mergeParts(
  ctx: Context,
  segments: readonly SegmentDoc[],
  { output, lease }: { output: string; lease: MergeLease },
): Promise<readonly SegmentDoc[] | null> {
  const { mailboxId, accountId } = segments[0]!
  if (!(await lease.hold())) return null
  const { rows, parts } = await mergedRows(ctx, segments)
  const tidyAt = after(ctx.clock.now(), tidyAfterMs)
  if (segments.length === 1 && rows.length === segments[0]!.count) {
    await store.postponeTidying(ctx.store, segments[0]!, tidyAt)
    return [{ ...segments[0]!, tidyAt }]
  }
  const writer = createBlockWriter(ctx, lease)
  const pages: string[] = []
  for (let from = 0; from < rows.length; from += pageRows) {
    writer.add(store.pageId(output, pages.length), packPage(rows.slice(from, from + pageRows)))
    pages.push(rows[from]!.id)
  }
  const words = await mergedWords(ctx, parts, { output, count: rows.length, writer })
  if (words === null || !(await writer.flush())) return null
  const replaces = segments.map(store.partsOf)
  if (rows.length === 0) {
    await store.removeSegments(ctx.store, { mailboxId, segments: replaces })
    return []
  }
  const segment: SegmentDoc = {
    _id: output,
    accountId,
    mailboxId,
    newest: rows[0]!.id,
    oldest: rows.at(-1)!.id,
    count: rows.length,
    words,
    pages,
    tidyAt,
  }
  await store.replaceSegments(ctx.store, { ...segment, replaces })
  return [segment]
}

/** Collects blocks and writes them in groups; `flush` returns false when the lease was lost. */
type BlockWriter = { add(id: string, bytes: Buffer): void; isFull(): boolean; flush(): Promise<boolean> }

function createBlockWriter(ctx: Context, lease: MergeLease): BlockWriter {
  let waiting: { id: string; bytes: Buffer }[] = []
  return {
    add(id, bytes) {
      waiting.push({ id, bytes })
    },
    isFull: () => waiting.length >= blocksAtOnce,
    async flush() {
      if (!(await lease.hold())) return false
      await store.insertBlocks(ctx.store, waiting)
      waiting = []
      return true
    },
  }
}

/** The rows of the new segment, newest first, each message once. Messages that were deleted or changed are left out. */
async function mergedRows(
  ctx: Context,
  segments: readonly SegmentDoc[],
): Promise<{ rows: readonly SegmentRow[]; parts: readonly MergePart[] }> {
  const all: { row: SegmentRow; part: number; number: number }[] = []
  const parts: MergePart[] = []
  for (const [part, segment] of segments.entries()) {
    let number = 0
    for (const page of await pagesOf(ctx, segment))
      for (let n = 0; n < rowCount(page); n++) all.push({ row: rowAt(page, n), part, number: number++ })
    parts.push({ segment, numbers: new Int32Array(number).fill(-1), shift: null })
  }
  all.sort((a, b) => (a.row.id < b.row.id ? 1 : a.row.id > b.row.id ? -1 : a.part - b.part))
  const versions = await currentVersions(
    ctx,
    segments[0]!.mailboxId,
    all.map(({ row }) => row.id),
  )
  const rows: SegmentRow[] = []
  for (const { row, part, number } of all) {
    if (rows.at(-1)?.id === row.id || versions.get(row.id) !== row.version) continue
    parts[part]!.numbers[number] = rows.length
    rows.push(row)
  }
  for (const part of parts) {
    const shift = part.numbers[0] ?? 0
    if (shift >= 0 && part.numbers.every((number, n) => number === shift + n)) part.shift = shift
  }
  return { rows, parts }
}

async function pagesOf(ctx: Context, { _id, page, pages }: SegmentDoc): Promise<Buffer[]> {
  if (page !== undefined) return [store.decompress(page)]
  const ids = pages.map((_, n) => store.pageId(_id, n))
  const found = await store.findBlocks(ctx.store, ids)
  return ids.map((id) => found.get(id) ?? failMissing(id))
}

async function currentVersions(
  ctx: Context,
  mailboxId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const versions = new Map<string, number>()
  for (let from = 0; from < ids.length; from += idsAtOnce) {
    const some = ids.slice(from, from + idsAtOnce)
    for (const { id, blobId } of await findBlobIds(ctx.store, { mailboxId, ids: some }))
      versions.set(id, versionOf(blobId))
  }
  return versions
}

/** Writes the blocks of the new segment. Returns the first word of each; null when the lease was lost. */
async function mergedWords(
  ctx: Context,
  parts: readonly MergePart[],
  { output, count, writer }: { output: string; count: number; writer: BlockWriter },
): Promise<readonly string[] | null> {
  const readers = await Promise.all(parts.map((part) => readerOf(ctx, part)))
  const packer = new BlockPacker(count)
  const yieldNow = createYield()
  let written = 0
  const writeBlock = (bytes: Buffer | null) => {
    if (bytes !== null) writer.add(store.blockId(output, written++), bytes)
  }
  for (;;) {
    let nextWord: string | null = null
    for (const { entry } of readers)
      if (entry !== null && (nextWord === null || isBefore(entry.word, nextWord))) nextWord = entry.word
    if (nextWord === null) break
    const withWord = readers.filter(({ entry }) => entry?.word === nextWord)
    const whole = mergedEntry(
      nextWord,
      withWord.map(({ part, entry }) => ({ part, entry: entry! })),
    )
    if (whole !== null) writeBlock(packer.add(whole))
    for (const reader of withWord) await reader.next()
    await yieldNow()
    if (writer.isFull() && !(await writer.flush())) return null
  }
  writeBlock(packer.takeBlock())
  return packer.firstWords
}

/** Merges the entries of one word; null when none of its messages is left. */
function mergedEntry(word: string, withWord: readonly { part: MergePart; entry: WordEntry }[]): WordEntry | null {
  const inOrder = withWord
    .flatMap(({ part: { shift }, entry }) => (shift === null ? [] : [{ entry, shift }]))
    .sort((a, b) => a.shift - b.shift)
  if (inOrder.length === withWord.length) return concatenateEntries(word, inOrder)
  const positions = withWord.flatMap(({ part: { numbers }, entry }) =>
    [...wordPositionsOf(entry)].flatMap((position): WordPosition[] => {
      const number = numbers[position.number]!
      return number < 0 ? [] : [{ ...position, number }]
    }),
  )
  return positions.length === 0
    ? null
    : entryOf(
        word,
        positions.sort((a, b) => a.number - b.number),
      )
}

type EntryReader = { readonly part: MergePart; entry: WordEntry | null; next(): Promise<void> }

/** Makes a reader of the entries of a segment, which reads several blocks at once. */
async function readerOf(ctx: Context, part: MergePart): Promise<EntryReader> {
  const { segment } = part
  const blockCount = segment.words.length
  let blocks: Buffer[] = segment.block === undefined ? [] : [store.decompress(segment.block)]
  let read = segment.block === undefined ? 0 : blockCount
  let entries = blocks[0] === undefined ? null : entriesOf(blocks[0])
  blocks = []
  const reader: EntryReader = {
    part,
    entry: null,
    async next() {
      for (;;) {
        const found = entries?.next()
        if (found !== undefined && !found.done) {
          reader.entry = found.value
          return
        }
        if (blocks.length === 0 && read < blockCount) {
          const ids = Array.from({ length: Math.min(blocksAtOnce / 4, blockCount - read) }, (_, n) =>
            store.blockId(segment._id, read + n),
          )
          const fresh = await store.findBlocks(ctx.store, ids)
          blocks = ids.map((id) => fresh.get(id) ?? failMissing(id))
          read += ids.length
        }
        const block = blocks.shift()
        if (block === undefined) {
          reader.entry = null
          return
        }
        entries = entriesOf(block)
      }
    },
  }
  await reader.next()
  return reader
}

function failMissing(id: string): never {
  throw new Error(`The search block ${id} is missing.`)
}
