/** What the table of a folder tells of its messages by itself: written without a question to anybody, many messages at a time. */
import { flagsOf, tellKeywords } from '../news.ts'
import type { Pace } from '../pace.ts'
import type { Session } from '../session.ts'
import type { Uid } from '../wire/numbers.ts'
import { formatDateTime } from '../wire/text.ts'
import type { Item, PlainItem } from './items.ts'

export type TableItem = Extract<PlainItem, 'FLAGS' | 'INTERNALDATE' | 'MODSEQ' | 'RFC822.SIZE' | 'UID'>

/** So many are written before it is asked whether to rest, and whether the client reads. */
const atOnce = 32

const texts: { readonly [I in TableItem]: (session: Session, uid: Uid, index: number) => string } = {
  FLAGS: (session, uid, index) => `FLAGS ${flagsOf(session, uid, index)}`,
  INTERNALDATE: ({ folder }, _, index) => `INTERNALDATE ${formatDateTime(new Date(folder.view.table.dateAt(index)))}`,
  MODSEQ: ({ folder }, _, index) => `MODSEQ (${folder.view.table.modseqAt(index)})`,
  'RFC822.SIZE': ({ folder }, _, index) => `RFC822.SIZE ${folder.view.table.sizeAt(index)}`,
  UID: (_, uid) => `UID ${uid}`,
}

/** Whether the table tells an item. */
export const isInTable = (item: Item): item is TableItem => typeof item === 'string' && Object.hasOwn(texts, item)

/** An item of a message, at an index of the table, with its name. */
export const tableText = (session: Session, item: TableItem, uid: Uid, index: number): string =>
  texts[item](session, uid, index)

/** Writes items of messages; of those that are gone nothing. Stops when nobody is there any more who reads them. */
export async function writeFromTable(
  session: Session,
  uids: readonly Uid[],
  items: readonly TableItem[],
  pace: Pace,
): Promise<void> {
  const { writer } = session
  for (let n = 0; n < uids.length && !writer.isOver; n += atOnce) {
    writer.text(linesOf(session, uids.slice(n, n + atOnce), items))
    if (writer.isFull) await writer.room()
    const rest = pace()
    if (rest !== null) await rest
  }
}

function linesOf(session: Session, uids: readonly Uid[], items: readonly TableItem[]): string {
  const { tracker, view } = session.folder
  const { table } = view
  const [first, ...others] = items.map((item) => texts[item])
  const tellsFlags = items.includes('FLAGS')
  let lines = ''
  let index = -1
  for (const uid of uids) {
    // Mostly they lie beside each other.
    index = index + 1 < table.size && table.uidAt(index + 1) === uid ? index + 1 : table.indexOf(uid)
    const seq = index < 0 ? null : tracker.seqAt(index, uid)
    if (seq === null) continue
    if (tellsFlags) {
      tellKeywords(session, table.labelsAt(index))
      tracker.forgetOne(uid)
    }
    lines += `* ${seq} FETCH (${first!(session, uid, index)}`
    for (const text of others) lines += ` ${text(session, uid, index)}`
    lines += ')\r\n'
  }
  return lines
}
