/** Carries SEARCH out: on the table of the folder, then on documents, then on bytes, each for those that are still open. */
import { bySize, heldMessages, shownMessages } from '../../core/imap/contents.ts'
import { searchFields } from '../../core/imap/search-fields.ts'
import { uidsWithText } from '../../core/imap/text-candidates.ts'
import type { Session } from '../session.ts'
import { searchedUids } from '../sets.ts'
import type { Uid } from '../wire/numbers.ts'
import { documentTexts } from './document.ts'
import type { Key } from './keys.ts'
import { type Knowledge, matches, type Row, type Sets } from './matching.ts'
import { textsOf } from './texts.ts'

/** Messages whose documents, and whose bytes, are read together. */
const documentsAtOnce = 500
const bytesAtOnce = 50

/** The UIDs of the messages that match, in order, of those that the client knows of. */
export async function searchFolder(session: Session, key: Key): Promise<Uid[]> {
  const { tracker } = session.folder
  const sets = setsOf(session, key)
  const found: Uid[] = []
  const open: Row[] = []
  for (const row of rowsOf(session)) {
    if (tracker.seqOf(row.uid) === null) continue
    const is = matches(key, { row }, sets)
    if (is === true) found.push(row.uid)
    if (is === undefined) open.push(row)
  }
  const judge = (rows: readonly Row[], knownOf: (row: Row) => Omit<Knowledge, 'row'> | undefined): Row[] =>
    rows.filter((row) => {
      const known = knownOf(row)
      const is = known === undefined ? false : matches(key, { row, ...known }, sets)
      if (is === true) found.push(row.uid)
      return is === undefined
    })
  const unread = await byDocument(session, await byIndex(session, open, key), judge)
  await byBytes(session, unread, judge)
  return found.sort((a, b) => a - b)
}

/** Fewer messages are read without the index. */
const indexedMin = 200
/** Of the text of a message as long as this the index may not have all words. */
const wholeBytesMax = 128 * 1024

/** Those that may have a text that all matches have; where few are left, or the folder's texts change, all of them. */
async function byIndex({ ctx, folder }: Session, rows: Row[], key: Key): Promise<Row[]> {
  if (rows.length < indexedMin || folder.folder.role === 'drafts') return rows
  const parts = key.is === 'and' ? key.keys : [key]
  for (const part of parts) {
    const isIndexed = part.is === 'body' || part.is === 'text' || (part.is === 'header' && indexedFields.has(part.name))
    if (!isIndexed) continue
    const uids = await uidsWithText(ctx, folder.view.folder, part.text)
    if (uids !== null) return rows.filter(({ uid, sizeBytes }) => uids.has(uid) || sizeBytes > wholeBytesMax)
  }
  return rows
}

/** Header fields whose words the index has. */
const indexedFields: ReadonlySet<string> = new Set(['from', 'to', 'cc', 'bcc', 'subject'])

type Judge = (rows: readonly Row[], knownOf: (row: Row) => Omit<Knowledge, 'row'> | undefined) => Row[]

async function byDocument({ ctx, folder }: Session, rows: readonly Row[], judge: Judge): Promise<Row[]> {
  const open: Row[] = []
  for (let n = 0; n < rows.length; n += documentsAtOnce) {
    const some = rows.slice(n, n + documentsAtOnce)
    const fields = await searchFields(
      ctx,
      folder.view.folder,
      some.map(({ uid }) => uid),
    )
    const known = new Map(fields.map((each) => [each.uid, documentTexts(each)]))
    open.push(...judge(some, ({ uid }) => known.get(uid)))
  }
  return open
}

async function byBytes({ ctx, folder }: Session, rows: readonly Row[], judge: Judge): Promise<void> {
  for (let n = 0; n < rows.length; n += bytesAtOnce) {
    const some = new Map(rows.slice(n, n + bytesAtOnce).map((row) => [row.uid, row]))
    for (const group of bySize(await heldMessages(ctx, folder.view.folder, [...some.keys()]))) {
      const shown = await shownMessages(ctx, group)
      for (const { _id, uid } of group) {
        const bytes = shown.get(_id)
        const row = some.get(uid as Uid)
        if (bytes !== undefined && row !== undefined) judge([row], () => textsOf(bytes))
      }
    }
  }
}

function* rowsOf({ folder }: Session): Generator<Row> {
  const { table } = folder.view
  for (let n = 0; n < table.size; n++) {
    const uid = table.uidAt(n)
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
function setsOf(session: Session, key: Key): Sets {
  const sets = new Map<Key, ReadonlySet<Uid>>()
  const visit = (each: Key): void => {
    if (each.is === 'set') sets.set(each, new Set(searchedUids(session, each.set, each.kind)))
    if (each.is === 'and' || each.is === 'or') each.keys.forEach(visit)
    if (each.is === 'not') visit(each.key)
  }
  visit(key)
  return { of: sets, now: session.ctx.clock.now().getTime() }
}
