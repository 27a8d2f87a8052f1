/** Runs SEARCH: first on the table of the folder, then on documents, then on bytes, each for the messages still undecided. */
import { bySize, heldMessages, type Reading, shownMessages } from '../../core/imap/contents.ts'
import { searchFields } from '../../core/imap/search-fields.ts'
import { uidsWithText } from '../../core/imap/text-candidates.ts'
import { createPace, type Pace } from '../pace.ts'
import type { Session } from '../session.ts'
import { searchedUids } from '../sets.ts'
import type { Uid } from '../wire/numbers.ts'
import { type DocumentTexts, documentTexts } from './document.ts'
import type { Key } from './keys.ts'
import { type Knowledge, matches, type Row, type Sets } from './matching.ts'
import { textsOf } from './texts.ts'

/** Messages whose documents, and whose bytes, are read together. */
const documentsAtOnce = 500
const bytesAtOnce = 50

/**
 * Returns the UIDs of the matching messages that the client knows of, in order. The result is incomplete when the connection has
 * ended. It lacks messages whose bytes cannot be read at the moment; `reading` records them.
 */
export async function searchFolder(session: Session, key: Key, reading: Reading): Promise<Uid[]> {
  const pace = createPace()
  const sets = await setsOf(session, key, pace)
  const found: Uid[] = []
  const judge: Judge = async (rows, knownOf) => {
    const open: Row[] = []
    for (const row of rows) {
      const known = knownOf(row)
      const is = known === null ? undefined : known === 'gone' ? false : matches(key, row, known, sets)
      if (is === true) found.push(row.uid)
      if (is === undefined) open.push(row)
      const rest = pace()
      if (rest !== null) await rest
    }
    return open
  }
  const open = await judge(rowsOf(session), () => nothing)
  const unread = await byDocument(session, open, key, judge)
  await byBytes(session, unread, { judge, reading })
  return found.sort((a, b) => a - b)
}

const nothing: Knowledge = {}

/** With fewer messages than this, the search index is not used. */
const indexedMin = 200
/** The index may lack words of messages that are longer than this. */
const wholeBytesMax = 128 * 1024

/**
 * Returns the rows that may contain a text that every match contains, by the search index. Returns all rows when there are few,
 * when the folder is Drafts, whose texts change, or when the index cannot answer.
 */
async function byIndex({ ctx, folder }: Session, rows: Row[], key: Key): Promise<Row[]> {
  if (rows.length < indexedMin || folder.folder.role === 'drafts') return rows
  for (const part of partsOf(key)) {
    const isIndexed = part.is === 'body' || part.is === 'text' || (part.is === 'header' && indexedFields.has(part.name))
    if (!isIndexed) continue
    const uids = await uidsWithText(ctx, folder.view.folder, part.text)
    if (uids !== null) return rows.filter(({ uid, sizeBytes }) => uids.has(uid) || sizeBytes > wholeBytesMax)
  }
  return rows
}

/** The keys that every match fulfils. */
const partsOf = (key: Key): readonly Key[] => (key.is === 'and' ? key.keys : [key])

/** The header fields that are indexed. */
const indexedFields: ReadonlySet<string> = new Set(['from', 'to', 'cc', 'bcc', 'subject'])

/**
 * Evaluates the query for messages with what is known of them; null: no more than before. Returns the messages that are still
 * undecided.
 */
type Judge = (rows: Iterable<Row>, knownOf: (row: Row) => Knowledge | 'gone' | null) => Promise<Row[]>

async function byDocument(session: Session, rows: Row[], key: Key, judge: Judge): Promise<readonly Row[]> {
  const { folderId } = session.folder.view.folder
  // A query for body text cannot be decided by documents, so the index comes first. Otherwise the cache does: it holds the
  // addresses and subjects of most messages that were searched before.
  const isOfTexts = partsOf(key).some(({ is }) => is === 'body' || is === 'text')
  const likely = isOfTexts ? await byIndex(session, rows, key) : rows
  const open = await judge(likely, ({ uid }) => session.texts.get(`${folderId} ${uid}`) ?? null)
  const unknown = isOfTexts ? open : await byIndex(session, open, key)
  const unread: Row[] = []
  for (let n = 0; n < unknown.length; n += documentsAtOnce) {
    const batch = unknown.slice(n, n + documentsAtOnce)
    const known = await readTexts(session, batch)
    unread.push(...(await judge(batch, ({ uid }) => known.get(uid) ?? 'gone')))
  }
  return unread
}

/** Returns the texts of the documents of messages, without messages that are gone. */
async function readTexts({ ctx, folder, texts }: Session, rows: readonly Row[]): Promise<Map<Uid, DocumentTexts>> {
  const { folderId } = folder.view.folder
  const known = new Map<Uid, DocumentTexts>()
  const missing: Uid[] = []
  for (const { uid } of rows) {
    const kept = texts.get(`${folderId} ${uid}`)
    if (kept === undefined) missing.push(uid)
    else known.set(uid, kept)
  }
  for (const fields of missing.length === 0 ? [] : await searchFields(ctx, folder.view.folder, missing)) {
    const read = documentTexts(fields)
    texts.set(`${folderId} ${fields.uid}`, read)
    known.set(fields.uid as Uid, read)
  }
  return known
}

async function byBytes(
  { ctx, folder, writer }: Session,
  rows: readonly Row[],
  { judge, reading }: { readonly judge: Judge; readonly reading: Reading },
): Promise<void> {
  for (let n = 0; n < rows.length && !writer.isOver; n += bytesAtOnce) {
    const batch = new Map(rows.slice(n, n + bytesAtOnce).map((row) => [row.uid, row]))
    for (const group of bySize(await heldMessages(ctx, folder.view.folder, [...batch.keys()]))) {
      const shown = await shownMessages(ctx, group, reading)
      for (const { _id, uid } of group) {
        const bytes = shown.get(_id)
        const row = batch.get(uid as Uid)
        if (bytes !== undefined && row !== undefined) await judge([row], () => textsOf(bytes))
      }
    }
  }
}

/** The messages that exist and that the client knows of. Messages that come or leave during the search may be missed. */
function* rowsOf({ folder }: Session): Generator<Row> {
  const { tracker } = folder
  const { table } = folder.view
  for (let after = 0; ; ) {
    const n = table.indexAbove(after + 1)
    if (n >= table.size || table.uidAt(n) > tracker.lastTold) return
    const uid = table.uidAt(n)
    after = uid
    yield {
      uid,
      flags: table.flagsAt(n),
      labels: table.labelsAt(n),
      isRecent: folder.isRecent(uid),
      sizeBytes: table.sizeAt(n),
      receivedAt: table.dateAt(n),
      modseq: table.modseqAt(n),
    }
  }
}

/** Resolves the sets of a query to UIDs. */
async function setsOf(session: Session, key: Key, pace: Pace): Promise<Sets> {
  const sets = new Map<Key, ReadonlySet<Uid>>()
  const visit = async (each: Key): Promise<void> => {
    if (each.is === 'set') sets.set(each, new Set(searchedUids(session, each.set, each.kind)))
    const rest = pace()
    if (rest !== null) await rest
    if (each.is === 'and' || each.is === 'or') for (const part of each.keys) await visit(part)
    if (each.is === 'not') await visit(each.key)
  }
  await visit(key)
  return { of: sets, now: session.ctx.clock.now().getTime() }
}
