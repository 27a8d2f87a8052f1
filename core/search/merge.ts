/**
 * Segments become fewer and larger: as soon as there are enough of one size, they are merged into one of the next, up to a
 * largest. So a message is written again a fixed number of times, however many there are, and a search reads few segments.
 * What was deleted or changed meanwhile is left out. Invariants: one merges a mailbox at a time; the parts stay until the
 * whole is there.
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

/** Below how many messages a segment is of the first size, of the second, and so on; the last ones are never merged. */
const sizes = [16, 128, 1_024, 8_192, 65_536] as const
/** How many of a size make one of the next. */
const fan = [16, 8, 8, 8, 8] as const
const leaseMs = 60 * secondMs
/** Blocks read, and written, at once. */
const blocksAtOnce = 32
const idsAtOnce = 1_000

/** How many small segments a mailbox collects before a merge has something to do. */
export const mergeFan = fan[0]

/** Merges what is due in a mailbox, and tidies what is. Returns how many segments were made or looked through. */
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
  for (let parts = due(segments, now); parts !== null; parts = due(segments, now)) {
    if (merged > 0) output = newId('seg', ctx.clock.now())
    const lease = createLease(ctx, { mailboxId, token, output, fresh: merged === 0 })
    const made = await mergeParts(ctx, parts, { output, lease })
    if (made === null) return merged
    const left = new Set(parts)
    segments = [...segments.filter((segment) => !left.has(segment)), ...made]
    merged += 1
  }
  // Not after a failure: what was half written is then removed by who merges next.
  await store.releaseMerge(ctx.store, { mailboxId, token })
  return merged
}

/** The right to merge. `hold` answers whether it is still there, and makes it last; often it need not ask. */
type Lease = { hold(): Promise<boolean> }

function createLease(
  ctx: Context,
  { mailboxId, token, output, fresh }: { mailboxId: string; token: string; output: string; fresh: boolean },
): Lease {
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

/** The segments to be merged next, newest first, or one to be tidied; null when there is nothing to do. */
function due(segments: readonly SegmentDoc[], now: Date): readonly SegmentDoc[] | null {
  for (const [n, size] of sizes.entries()) {
    const same = segments.filter(({ count }) => count < size && count >= (sizes[n - 1] ?? 0))
    if (same.length >= fan[n]!) return same
  }
  const untidy = segments.find(({ tidyAt }) => tidyAt <= now)
  return untidy === undefined ? null : [untidy]
}

/** A segment on its way into a larger one; `numbers` says where each of its rows went, -1 when it was left out. */
type Part = {
  readonly segment: SegmentDoc
  readonly numbers: Int32Array
  /** Where its numbers begin when it was taken over whole and in order. */
  shift: number | null
}

/** Makes one segment of several, or none when all is gone. Returns it; null when the right to do so was lost. */
async function mergeParts(
  ctx: Context,
  segments: readonly SegmentDoc[],
  { output, lease }: { output: string; lease: Lease },
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

/** Writes blocks some at once, while the right to merge lasts. */
type BlockWriter = { add(id: string, bytes: Buffer): void; isFull(): boolean; flush(): Promise<boolean> }

function createBlockWriter(ctx: Context, lease: Lease): BlockWriter {
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

/** The rows of the whole, newest first, each message once; those of messages that are gone or have changed left out. */
async function mergedRows(
  ctx: Context,
  segments: readonly SegmentDoc[],
): Promise<{ rows: readonly SegmentRow[]; parts: readonly Part[] }> {
  const all: { row: SegmentRow; part: number; number: number }[] = []
  const parts: Part[] = []
  for (const [part, segment] of segments.entries()) {
    let number = 0
    for (const page of await pagesOf(ctx, segment))
      for (let n = 0; n < rowCount(page); n++) all.push({ row: rowAt(page, n), part, number: number++ })
    parts.push({ segment, numbers: new Int32Array(number).fill(-1), shift: null })
  }
  all.sort((a, b) => (a.row.id < b.row.id ? 1 : a.row.id > b.row.id ? -1 : a.part - b.part))
  const living = await versionsOf(
    ctx,
    segments[0]!.mailboxId,
    all.map(({ row }) => row.id),
  )
  const rows: SegmentRow[] = []
  for (const { row, part, number } of all) {
    if (rows.at(-1)?.id === row.id || living.get(row.id) !== row.version) continue
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
  return ids.map((id) => found.get(id) ?? fail(id))
}

async function versionsOf(
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

/** Writes the blocks of the whole. Returns the first word of each; null when the right to go on was lost. */
async function mergedWords(
  ctx: Context,
  parts: readonly Part[],
  { output, count, writer }: { output: string; count: number; writer: BlockWriter },
): Promise<readonly string[] | null> {
  const readers = await Promise.all(parts.map((part) => readerOf(ctx, part)))
  const packer = new BlockPacker(count)
  const pause = createYield()
  let written = 0
  const keep = (bytes: Buffer | null) => {
    if (bytes !== null) writer.add(store.blockId(output, written++), bytes)
  }
  for (;;) {
    let least: string | null = null
    for (const { entry } of readers)
      if (entry !== null && (least === null || isBefore(entry.word, least))) least = entry.word
    if (least === null) break
    const having = readers.filter(({ entry }) => entry?.word === least)
    const whole = mergedEntry(
      least,
      having.map(({ part, entry }) => ({ part, entry: entry! })),
    )
    if (whole !== null) keep(packer.add(whole))
    for (const reader of having) await reader.next()
    await pause()
    if (writer.isFull() && !(await writer.flush())) return null
  }
  keep(packer.takeBlock())
  return packer.firstWords
}

/** One word of several parts; null when none of its messages is left. */
function mergedEntry(word: string, having: readonly { part: Part; entry: WordEntry }[]): WordEntry | null {
  const inOrder = having
    .flatMap(({ part: { shift }, entry }) => (shift === null ? [] : [{ entry, shift }]))
    .sort((a, b) => a.shift - b.shift)
  if (inOrder.length === having.length) return concatenateEntries(word, inOrder)
  const places = having.flatMap(({ part: { numbers }, entry }) =>
    [...wordPositionsOf(entry)].flatMap((place): WordPosition[] => {
      const number = numbers[place.number]!
      return number < 0 ? [] : [{ ...place, number }]
    }),
  )
  return places.length === 0
    ? null
    : entryOf(
        word,
        places.sort((a, b) => a.number - b.number),
      )
}

type Reader = { readonly part: Part; entry: WordEntry | null; next(): Promise<void> }

/** Reads the entries of a part one after another, some blocks at once. */
async function readerOf(ctx: Context, part: Part): Promise<Reader> {
  const { segment } = part
  const blockCount = segment.words.length
  let blocks: Buffer[] = segment.block === undefined ? [] : [store.decompress(segment.block)]
  let read = segment.block === undefined ? 0 : blockCount
  let entries = blocks[0] === undefined ? null : entriesOf(blocks[0])
  blocks = []
  const reader: Reader = {
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
          blocks = ids.map((id) => fresh.get(id) ?? fail(id))
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

function fail(id: string): never {
  throw new Error(`The search block ${id} is gone.`)
}
