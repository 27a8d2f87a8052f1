/** Carries SEARCH out: on the table of the folder, then on documents, then on bytes, each for those that are still open. */
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
 * The UIDs of the messages that match, in order, of those that the client knows of. Fewer when nobody is there any more who reads
 * the answer, and without those whose bytes cannot be read for now, which `reading` notes.
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

/** Fewer messages are read without the index. */
const indexedMin = 200
/** Of the text of a message as long as this the index may not have all words. */
const wholeBytesMax = 128 * 1024

/** Those that may have a text that all matches have; where few are left, or the folder's texts change, all of them. */
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

/** What all matches have. */
const partsOf = (key: Key): readonly Key[] => (key.is === 'and' ? key.keys : [key])

/** Header fields whose words the index has. */
const indexedFields: ReadonlySet<string> = new Set(['from', 'to', 'cc', 'bcc', 'subject'])

/**
 * Holds messages against the query with what is known of them; null: nothing more than before. Returns those of which more has to
 * be known.
 */
type Judge = (rows: Iterable<Row>, knownOf: (row: Row) => Knowledge | 'gone' | null) => Promise<Row[]>

async function byDocument(session: Session, rows: Row[], key: Key, judge: Judge): Promise<readonly Row[]> {
  const { folderId } = session.folder.view.folder
  // No document tells what a text has in it; addresses and subjects are in memory of most messages that were searched before.
  const isOfTexts = partsOf(key).some(({ is }) => is === 'body' || is === 'text')
  const likely = isOfTexts ? await byIndex(session, rows, key) : rows
  const open = await judge(likely, ({ uid }) => session.texts.get(`${folderId} ${uid}`) ?? null)
  const unknown = isOfTexts ? open : await byIndex(session, open, key)
  const unread: Row[] = []
  for (let n = 0; n < unknown.length; n += documentsAtOnce) {
    const some = unknown.slice(n, n + documentsAtOnce)
    const known = await readTexts(session, some)
    unread.push(...(await judge(some, ({ uid }) => known.get(uid) ?? 'gone')))
  }
  return unread
}

/** What the documents of messages tell; of those that are gone nothing. */
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
    const some = new Map(rows.slice(n, n + bytesAtOnce).map((row) => [row.uid, row]))
    for (const group of bySize(await heldMessages(ctx, folder.view.folder, [...some.keys()]))) {
      const shown = await shownMessages(ctx, group, reading)
      for (const { _id, uid } of group) {
        const bytes = shown.get(_id)
        const row = some.get(uid as Uid)
        if (bytes !== undefined && row !== undefined) await judge([row], () => textsOf(bytes))
      }
    }
  }
}

/** The messages that the client knows of and that are there; those that come or leave meanwhile may be among them or not. */
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

/** The UIDs that the sets of a query name. */
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
