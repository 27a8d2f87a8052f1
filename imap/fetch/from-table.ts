/** Writes FETCH responses from the table of a folder alone: no database read, many messages at a time. */
import { flagsOf, tellKeywords } from '../news.ts'
import type { Pace } from '../pace.ts'
import type { Session } from '../session.ts'
import type { Uid } from '../wire/numbers.ts'
import { formatDateTime } from '../wire/text.ts'
import type { Item, PlainItem } from './items.ts'

export type TableItem = Extract<PlainItem, 'FLAGS' | 'INTERNALDATE' | 'MODSEQ' | 'RFC822.SIZE' | 'UID'>

/** The messages written between two checks of the pace and of the client's backlog. */
const atOnce = 32

const texts: { readonly [I in TableItem]: (session: Session, uid: Uid, index: number) => string } = {
  FLAGS: (session, uid, index) => `FLAGS ${flagsOf(session, uid, index)}`,
  INTERNALDATE: ({ folder }, _, index) => `INTERNALDATE ${formatDateTime(new Date(folder.view.table.dateAt(index)))}`,
  MODSEQ: ({ folder }, _, index) => `MODSEQ (${folder.view.table.modseqAt(index)})`,
  'RFC822.SIZE': ({ folder }, _, index) => `RFC822.SIZE ${folder.view.table.sizeAt(index)}`,
  UID: (_, uid) => `UID ${uid}`,
}

/** Whether the table holds an item. */
export const isInTable = (item: Item): item is TableItem => typeof item === 'string' && Object.hasOwn(texts, item)

/** Returns the name and value of an item of the message at an index of the table. */
export const tableText = (session: Session, item: TableItem, uid: Uid, index: number): string =>
  texts[item](session, uid, index)

/** Writes the items of messages, without messages that are gone. Stops when the connection has ended. */
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
    // The messages are mostly adjacent in the table, which saves a search.
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
