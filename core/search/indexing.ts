/**
 * Indexes messages for search: writes the words of messages as segments of their mailbox. Everything is derived from
 * the message and its bytes, so that doing it twice changes nothing: a message in two segments is found once.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { domainToUnicode } from 'node:url'
import { limits } from '../../mail/limits.ts'
import { chunksOf, type Token, trigramsOf, wordsIn } from '../../mail/search/tokens.ts'
import { newId } from '../../schemas/ids.ts'
import { readBlobs } from '../../store/blobs.ts'
import type { MessageDoc, Named } from '../../store/documents/mail.ts'
import { findMessagesIn } from '../../store/messages.ts'
import { BodyLost, type ObjectStoreError } from '../../store/object-store.ts'
import {
  BlockPacker,
  entryOf,
  fieldBits,
  type IndexedField,
  isBefore,
  Packer,
  type WordPosition,
} from '../../store/postings.ts'
import { decompress, findBlocks, findTables, insertSegments, insertTexts, pageId } from '../../store/search.ts'
import { packPage, rowAt, rowCount, type SegmentRow, versionOf } from '../../store/segment-table.ts'
import { after, dayMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'

/** The word that is indexed for every message with an attachment; no word of a text begins like it. */
export const attachmentMark = '\u0001attachment'

/**
 * Prefix of the pieces of a subject, which narrow lists by subject. Alone it means that the subject has more text than
 * its indexed pieces.
 */
export const pieceMark = '\u0002'
/** Characters of a subject whose pieces are indexed; the pieces of longer ones would fill the index. */
const pieceSourceMax = 1_000

/** The longest time until the words of a deleted message are removed from the index. */
export const tidyAfterMs = 7 * dayMs

/** Characters of a text that are indexed; the rest is not found. */
const textCharsMax = 256 * 1024
/** Messages indexed in one batch, and their bytes: bounds the memory. */
const batchMax = 500
const batchBytesMax = 16 * 1024 * 1024
/** Words handled before the time is checked again. */
const wordsPerCheck = 256
/** How long indexing may block the event loop. */
const sliceMs = 4

/** Indexes messages that were just stored or changed. Returns the mailboxes that got a segment. */
export async function indexArrivals(
  ctx: Context,
  told: { readonly ids: readonly string[]; readonly mailboxIds: readonly string[] },
): Promise<readonly string[]> {
  return indexMessages(ctx, await findMessagesIn(ctx.store, told))
}

/** The fields of a message that tell whether its current version is indexed. */
type IndexedMessage = Pick<MessageDoc, '_id' | 'mailboxId' | 'blob'>

/** Indexes those of the messages that are not indexed yet. Returns the mailboxes that got a segment. */
export async function indexMissing(ctx: Context, messages: readonly IndexedMessage[]): Promise<readonly string[]> {
  const known = await indexedAmong(ctx, messages)
  const missing = messages.filter(({ _id }) => !known.has(_id))
  if (missing.length === 0) return []
  return indexArrivals(ctx, {
    ids: missing.map(({ _id }) => _id),
    mailboxIds: [...new Set(missing.map(({ mailboxId }) => mailboxId))],
  })
}

/**
 * Indexes messages, in batches. Returns the mailboxes that got a segment. Rejects when the object store holds some of the bodies and
 * cannot be reached; the other messages are indexed nevertheless.
 */
export async function indexMessages(ctx: Context, messages: readonly MessageDoc[]): Promise<readonly string[]> {
  const touched = new Set<string>()
  const unread = new Map<string, ObjectStoreError>()
  for (let from = 0; from < messages.length; ) {
    let bytes = 0
    let to = from
    while (to < messages.length && to - from < batchMax && (to === from || bytes < batchBytesMax)) {
      bytes += messages[to]?.sizeBytes ?? 0
      to += 1
    }
    for (const mailboxId of await indexBatch(ctx, messages.slice(from, to), unread)) touched.add(mailboxId)
    from = to
  }
  for (const error of unread.values()) throw error
  return [...touched]
}

/** Indexes messages, except those whose bodies cannot be read for now: their blobs are added to `unread`. */
async function indexBatch(
  ctx: Context,
  given: readonly MessageDoc[],
  unread: Map<string, ObjectStoreError>,
): Promise<Iterable<string>> {
  const texts = await textsOf(ctx, given, unread)
  const messages = given.filter(({ blob }) => !unread.has(blob.id))
  if (messages.length === 0) return []
  const yieldNow = createYield()
  const segments: Parameters<typeof insertSegments>[1][number][] = []
  const byMailbox = Map.groupBy(messages, ({ mailboxId }) => mailboxId)
  for (const own of byMailbox.values()) segments.push(await segmentOf(ctx, own, { texts, yieldNow }))
  await insertTexts(
    ctx.store,
    [...texts].map(([blobId, text]) => ({ blobId, text })),
  )
  await insertSegments(ctx.store, segments)
  return byMailbox.keys()
}

/**
 * The visible text of each blob. A blob that is gone, lost or cannot be parsed has none, and its message is found by its
 * header alone. Blobs in an object store that cannot be reached are added to `unread`.
 */
async function textsOf(
  ctx: Context,
  messages: readonly MessageDoc[],
  unread: Map<string, ObjectStoreError>,
): Promise<ReadonlyMap<string, string>> {
  const refs = new Map(messages.map(({ blob }) => [blob.id, blob]))
  const texts = new Map<string, string>()
  const yieldNow = createYield()
  const untold = (blobId: string, error: unknown) =>
    ctx.log.warn({ err: error, blobId }, 'the text of a message could not be read and is not indexed')
  const blobs = await readBlobs(ctx.store, [...refs.values()], (id, error) => {
    if (error instanceof BodyLost) untold(id, error)
    else unread.set(id, error)
  })
  for (const [id, raw] of blobs) {
    await yieldNow()
    try {
      const { text } = await ctx.parsing.run('text', { raw, maxChars: textCharsMax })
      texts.set(id, text.slice(0, textCharsMax).toWellFormed())
    } catch (error) {
      untold(id, error)
    }
  }
  return texts
}

async function segmentOf(
  ctx: Context,
  messages: readonly MessageDoc[],
  { texts, yieldNow }: { texts: ReadonlyMap<string, string>; yieldNow: () => Promise<void> },
): Promise<Parameters<typeof insertSegments>[1][number]> {
  const newestFirst = messages.toSorted((a, b) => (a._id < b._id ? 1 : -1))
  const words = new Map<string, WordPosition[]>()
  for (const [number, message] of newestFirst.entries()) {
    await yieldNow()
    for (const [word, occurrence] of await wordsOf(message, texts.get(message.blob.id) ?? '', yieldNow)) {
      const occurrences = words.get(word)
      if (occurrences === undefined) words.set(word, [{ number, ...occurrence }])
      else occurrences.push({ number, ...occurrence })
    }
  }
  const packer = new BlockPacker(messages.length)
  const blocks: Buffer[] = []
  for (const [n, word] of sorted(words.keys()).entries()) {
    if (n % wordsPerCheck === 0) await yieldNow()
    const full = packer.add(entryOf(word, words.get(word) ?? []))
    if (full !== null) blocks.push(full)
  }
  const last = packer.takeBlock()
  if (last !== null) blocks.push(last)
  const rows = newestFirst.map(rowOf)
  const { accountId, mailboxId } = newestFirst[0]!
  return {
    blocks,
    page: packPage(rows),
    segment: {
      _id: newId('seg', ctx.clock.now()),
      accountId,
      mailboxId,
      newest: rows[0]!.id,
      oldest: rows.at(-1)!.id,
      count: rows.length,
      words: packer.firstWords,
      pages: [rows[0]!.id],
      tidyAt: after(ctx.clock.now(), tidyAfterMs),
    },
  }
}

const rowOf = ({ _id, blob, receivedAt, sizeBytes }: MessageDoc): SegmentRow => ({
  id: _id,
  version: versionOf(blob.id),
  receivedAt: receivedAt.getTime(),
  sizeBytes,
})

const packer = new Packer()

type WordOccurrences = { fields: number; readonly positions: number[][] }

/** The words of a message, with their fields and positions. */
async function wordsOf(
  message: MessageDoc,
  text: string,
  yieldNow: () => Promise<void>,
): Promise<Map<string, Omit<WordPosition, 'number'>>> {
  const found = new Map<string, WordOccurrences>()
  for (const [field, texts] of Object.entries(fieldTexts(message, text)) as [IndexedField, readonly string[]][]) {
    let base = 0
    for (const each of texts) {
      let tokensLeft: number = limits.searchTokensMax
      for (const piece of chunksOf(each)) {
        const tokens = wordsIn(piece, tokensLeft)
        base = addTokens(found, tokens, { bit: fieldBits[field], base })
        tokensLeft -= tokens.length
        await yieldNow()
      }
      // One position is skipped, so that no phrase matches across two names or addresses.
      base += 1
    }
  }
  for (const word of subjectPieces(message.subject ?? ''))
    found.set(word, { fields: fieldBits.subject, positions: [[]] })
  if (message.attachments.length > 0) found.set(attachmentMark, { fields: fieldBits.body, positions: [[]] })
  const occurrences = new Map<string, Omit<WordPosition, 'number'>>()
  for (const [word, { fields, positions }] of found) {
    if (occurrences.size % wordsPerCheck === 0) await yieldNow()
    occurrences.set(word, { fields, positions: packed(positions) })
  }
  return occurrences
}

/** Adds the tokens of a text whose first position is `base`. Returns the position after its last token. */
function addTokens(
  found: Map<string, WordOccurrences>,
  tokens: readonly Pick<Token, 'text' | 'at'>[],
  { bit, base }: { bit: number; base: number },
): number {
  let end = base
  for (const { text: word, at } of tokens) {
    const known = found.get(word)
    if (known === undefined) found.set(word, { fields: bit, positions: [[base + at]] })
    else if ((known.fields & bit) === 0) {
      known.fields |= bit
      known.positions.push([base + at])
    } else known.positions.at(-1)!.push(base + at)
    end = base + at + 1
  }
  return end
}

function subjectPieces(subject: string): readonly string[] {
  const pieces = trigramsOf(subject.slice(0, pieceSourceMax)).map((piece) => pieceMark + piece)
  return subject.length > pieceSourceMax ? [...pieces, pieceMark] : pieces
}

function packed(fields: readonly (readonly number[])[]): Buffer {
  for (const positions of fields) {
    packer.number(positions.length)
    let last = -1
    for (const position of positions) {
      packer.number(position - last - 1)
      last = position
    }
  }
  return Buffer.from(packer.take())
}

/** The texts of each field of a message, in the order of the bits of the fields. */
export function fieldTexts(
  {
    subject,
    from,
    to,
    cc,
    bcc,
    attachments,
  }: Pick<MessageDoc, 'subject' | 'from' | 'to' | 'cc' | 'bcc' | 'attachments'>,
  text: string,
): { readonly [F in IndexedField]: readonly string[] } {
  // A domain in A-labels can also be searched by its Unicode name.
  const forms = (address: string) =>
    address.includes('xn--') ? [address, address.replace(/[^@]*$/, domainToUnicode)] : [address]
  const people = (list: readonly Named[]) =>
    list.flatMap(({ name, address }) => (name ? [name, ...forms(address)] : forms(address)))
  return {
    body: [text],
    subject: subject === null ? [] : [subject],
    from: from === null ? [] : people([from]),
    to: people(to),
    cc: people(cc),
    filename: attachments.map(({ name }) => name),
    bcc: people(bcc),
  }
}

function sorted(words: Iterable<string>): string[] {
  const list = [...words].sort()
  // The order of UTF-16 units is that of code points, except for rare scripts.
  return list.some((word) => /[\ud800-\uffff]/.test(word)) ? list.sort((a, b) => (isBefore(a, b) ? -1 : 1)) : list
}

/** The ids of those messages that are indexed in their current version. */
export async function indexedAmong(ctx: Context, messages: readonly IndexedMessage[]): Promise<ReadonlySet<string>> {
  const ids = messages.map(({ _id }) => _id).sort()
  const [oldest, newest] = [ids[0], ids.at(-1)]
  if (oldest === undefined || newest === undefined) return new Set()
  const mailboxIds = [...new Set(messages.map(({ mailboxId }) => mailboxId))]
  const wanted = new Map(messages.map(({ _id, blob }) => [_id, versionOf(blob.id)]))
  const tables = await findTables(ctx.store, { mailboxIds, oldest, newest })
  const outside = tables.flatMap(({ _id, pages, page }) =>
    page === undefined ? pagesBetween(pages, { oldest, newest }).map((n) => pageId(_id, n)) : [],
  )
  const pages = [...(await findBlocks(ctx.store, outside)).values()]
  for (const { page } of tables) if (page !== undefined) pages.push(decompress(page))
  const known = new Set<string>()
  for (const page of pages) {
    for (let n = 0; n < rowCount(page); n++) {
      const { id, version } = rowAt(page, n)
      if (wanted.get(id) === version) known.add(id)
    }
  }
  return known
}

/** The numbers of the pages that may hold messages between two ids. `pages` has the newest message of each page, newest first. */
function pagesBetween(
  pages: readonly string[],
  { oldest, newest }: { readonly oldest: string; readonly newest: string },
): readonly number[] {
  return pages.flatMap((first, n) => (first >= oldest && (pages[n + 1] ?? '') < newest ? [n] : []))
}

/** Makes a function that lets other work run when `sliceMs` have passed since it last did. */
export function createYield(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < sliceMs) return
    await nextTurn()
    since = performance.now()
  }
}
