/**
 * Walks over the segments of one or several mailboxes and gives the messages that may match a query, newest first. A
 * segment is read when the walk comes to its newest message, together with some of the following ones, so that a search
 * that ends early reads little.
 */
import type { ParsedQuery } from '../../mail/search/query.ts'
import { idAt as idOfTime, timeOfId } from '../../schemas/ids.ts'
import type { SegmentDoc } from '../../store/documents/search.ts'
import { isBefore } from '../../store/postings.ts'
import { blockId, pageId } from '../../store/search.ts'
import { firstRowBefore, pageRows, rowAt } from '../../store/segment-table.ts'
import { after } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { nextBit } from './bitset.ts'
import { readBlocks } from './block-cache.ts'
import { lookupsOf, type Matched, type MessageProperties, matchSegment, needsTable } from './match.ts'

/** A message that may match. */
export type Candidate = {
  readonly id: string
  readonly mailboxId: string
  /** The version of the message that was indexed. */
  readonly version: number
  matches(message: MessageProperties): boolean
}

/** Gives the next segments, in the order of their newest message; an empty list at the end. */
export type SegmentSupply = () => Promise<readonly SegmentDoc[]>

export type Walk = {
  /**
   * The next candidates, newest first, at most `limit`. Returns fewer only at the end of the walk, or when it has read
   * as many segments as it may. A message that was indexed twice, or changed, comes several times.
   */
  next(limit: number): Promise<readonly Candidate[]>
  /**
   * When the walk stopped because it had read as many segments as it may: the id before which the next walk continues.
   * Otherwise null.
   */
  readonly resumeBefore: string | null
}

/** Messages in the segments of the first read; doubled with each read, since common words are found in the first. */
const firstReadMessages = 8_192
/** Rows whose pages are read together: about one page of results. */
const rowsAhead = 50
/** Segments that one walk may read; after that the result is what was found so far, with a cursor. */
const segmentsMax = 3_000

type OpenSegment = {
  readonly segment: SegmentDoc
  readonly matched: Matched
  /** The pages of the table that were read, and other blocks. */
  readonly pages: Map<string, Buffer>
  /** Number of the next row to check. */
  number: number
  head: Candidate | null
}

/** Makes a walk over the segments that `supply` gives, only for messages before `before` (an id). */
export function walkSegments(
  ctx: Context,
  query: ParsedQuery,
  { supply, before }: { supply: SegmentSupply; before: string | null },
): Walk {
  const open: OpenSegment[] = []
  let waiting: SegmentDoc[] = []
  let read = 0
  let messagesPerRead = firstReadMessages
  let isEnd = false
  let last: string | null = null

  async function refill(): Promise<void> {
    if (waiting.length > 0 || isEnd) return
    const more = await supply()
    isEnd = more.length === 0
    waiting = more.filter(({ oldest }) => before === null || oldest < before)
    if (waiting.length === 0) await refill()
  }

  /** Opens the next segments, about `messagesPerRead` messages of them. */
  async function openNext(): Promise<void> {
    const some: SegmentDoc[] = []
    for (let count = 0; waiting.length > 0 && count < messagesPerRead; ) {
      const segment = waiting.shift()!
      some.push(segment)
      count += segment.count
    }
    messagesPerRead *= 2
    read += some.length
    for (const each of await openSegments(ctx, query, { segments: some, before })) {
      await advance(ctx, each)
      if (each.head !== null) open.push(each)
    }
  }

  const newestOpen = () => {
    let newest: OpenSegment | undefined
    for (const each of open) if (newest === undefined || each.head!.id > newest.head!.id) newest = each
    return newest
  }

  const walk = {
    resumeBefore: null as string | null,
    async next(limit: number) {
      const found: Candidate[] = []
      while (found.length < limit) {
        await refill()
        const newest = newestOpen()
        const unread = waiting[0]
        if (unread !== undefined && (newest === undefined || unread.newest >= newest.head!.id)) {
          if (read >= segmentsMax) {
            walk.resumeBefore = [justAfter(unread.newest), ...(last === null ? [] : [last])].sort()[0] ?? null
            break
          }
          await openNext()
          continue
        }
        if (newest === undefined) break
        found.push(newest.head!)
        last = newest.head!.id
        await advance(ctx, newest)
        if (newest.head === null) open.splice(open.indexOf(newest), 1)
      }
      return found
    },
  }
  return walk
}

/** An id that is one millisecond later than this one. */
const justAfter = (id: string): string => idOfTime('msg', after(timeOfId(id), 1))

/** Opens segments: reads all blocks that the query needs of them in one query. */
async function openSegments(
  ctx: Context,
  query: ParsedQuery,
  { segments, before }: { segments: readonly SegmentDoc[]; before: string | null },
): Promise<OpenSegment[]> {
  const lookups = lookupsOf(query)
  const readsTable = needsTable(query)
  const needed = segments.flatMap((segment) => [
    ...lookups.flatMap(({ text, prefix }) => blocksFor(segment, text, prefix)),
    ...(readsTable
      ? segment.pages.map((_, n) => pageId(segment._id, n))
      : [pageId(segment._id, firstPage(segment, before))]),
  ])
  const found = new Map(await readBlocks(ctx, needed, segments))
  return segments.map((segment) => {
    const pageOf = (n: number) => found.get(pageId(segment._id, Math.floor(n / pageRows)))!
    const matched = matchSegment(query, {
      count: segment.count,
      blocksOf: (text, prefix) => blocksFor(segment, text, prefix).map((id) => found.get(id)!),
      receivedAt: (n) => rowAt(pageOf(n), n % pageRows).receivedAt,
      sizeBytes: (n) => rowAt(pageOf(n), n % pageRows).sizeBytes,
    })
    const page = firstPage(segment, before)
    const number = before === null ? 0 : page * pageRows + firstRowBefore(found.get(pageId(segment._id, page))!, before)
    return { segment, matched, pages: found, number, head: null }
  })
}

/** Moves an open segment to its next row that may match. */
async function advance(ctx: Context, open: OpenSegment): Promise<void> {
  const { segment, matched } = open
  const number = nextBit(matched.may, open.number)
  open.head = null
  if (number < 0 || number >= segment.count) return
  open.number = number + 1
  const id = pageId(segment._id, Math.floor(number / pageRows))
  if (!open.pages.has(id)) await readAhead(ctx, open, number)
  const page = open.pages.get(id)!
  const { id: messageId, version } = rowAt(page, number % pageRows)
  open.head = {
    id: messageId,
    mailboxId: segment.mailboxId,
    version,
    matches: (message) => matched.matches(number, message),
  }
}

/** Reads the pages of the next rows that may match, in one query. */
async function readAhead(ctx: Context, { segment, matched, pages }: OpenSegment, from: number): Promise<void> {
  const ids = new Set<string>()
  let number = from
  for (let rows = 0; rows < rowsAhead && number >= 0 && number < segment.count; rows++) {
    ids.add(pageId(segment._id, Math.floor(number / pageRows)))
    number = nextBit(matched.may, number + 1)
  }
  const missing = [...ids].filter((id) => !pages.has(id))
  for (const [id, page] of await readBlocks(ctx, missing, [segment])) pages.set(id, page)
}

/** The number of the page with the first row before `before`. */
function firstPage({ pages }: SegmentDoc, before: string | null): number {
  if (before === null) return 0
  const after = pages.findIndex((first) => first < before)
  return after < 0 ? pages.length - 1 : Math.max(0, after - 1)
}

/** The ids of the blocks that may contain a word, or with `prefix` words that begin with it. */
function blocksFor({ _id, words }: SegmentDoc, word: string, prefix: boolean): string[] {
  let [low, high] = [0, words.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (isBefore(word, words[middle]!)) high = middle
    else low = middle + 1
  }
  const first = Math.max(0, low - 1)
  let end = words.length === 0 ? 0 : first + 1
  while (prefix && end < words.length && words[end]!.startsWith(word)) end += 1
  return Array.from({ length: end - first }, (_, n) => blockId(_id, first + n))
}
