/** The status items of a folder (RFC 9051 6.3.11), for STATUS, LIST and NOTIFY. */
import { messageBytesMax } from '../core/imap/append.ts'
import { type FolderDocument, settledModseq, stateOf } from '../core/imap/folder-state.ts'
import type { FolderView } from './selected/folder-view.ts'
import { flagBit } from './selected/message-table.ts'
import type { Session } from './session.ts'
import { Bad } from './wire/answers.ts'
import type { Parser } from './wire/parser.ts'
import { folderName } from './wire/text.ts'

const items = [
  'MESSAGES',
  'RECENT',
  'UIDNEXT',
  'UIDVALIDITY',
  'UNSEEN',
  'DELETED',
  'SIZE',
  'HIGHESTMODSEQ',
  'MAILBOXID',
  'APPENDLIMIT',
] as const
export type StatusItem = (typeof items)[number]

/** The items that are computed from the messages; the others are stored in the folder's own document. */
const ofMessages: ReadonlySet<StatusItem> = new Set(['DELETED', 'SIZE', 'RECENT'])

export function readStatusItems(parser: Parser): readonly StatusItem[] {
  const asked = parser.list(() => {
    const word = parser.word('A status item')
    const item = items.find((each) => each === word)
    if (item === undefined) throw new Bad(`${word} is not a status item`)
    return item
  })
  if (asked.length === 0) throw new Bad('Ask for at least one status item')
  return asked
}

/** Writes the STATUS response of a folder. */
export async function tellStatus(
  session: Session,
  folder: FolderDocument,
  asked: readonly StatusItem[],
): Promise<void> {
  const { views, writer } = session
  const { _id: folderId, mailboxId } = folder
  if (asked.includes('HIGHESTMODSEQ')) session.useModseqs()
  const view = asked.some((item) => ofMessages.has(item)) ? await views.open({ mailboxId, folderId }) : null
  writer.line(statusLine(session, folder, asked, view))
}

/** Returns the STATUS response of a folder. Without a view, RECENT, DELETED and SIZE are 0. */
export function statusLine(
  { ctx, nameForm }: Pick<Session, 'ctx' | 'nameForm'>,
  folder: FolderDocument,
  asked: readonly StatusItem[],
  view: FolderView | null = null,
): string {
  const state = stateOf(ctx, folder)
  const firstOpen = state.open.find(({ first, end }) => end > first)
  const values: { readonly [I in StatusItem]: () => string | number } = {
    MESSAGES: () => view?.table.size ?? state.total,
    RECENT: () => (view === null ? 0 : view.table.size - view.table.indexAbove(view.recentFrom)),
    UIDNEXT: () => Math.min(state.uidNext, firstOpen?.first ?? state.uidNext),
    UIDVALIDITY: () => state.uidValidity,
    UNSEEN: () => state.unread,
    DELETED: () =>
      view === null ? 0 : countOf(view, (n) => ((view.table.flagsAt(n) & flagBit('deleted')) === 0 ? 0 : 1)),
    SIZE: () => (view === null ? 0 : countOf(view, (n) => view.table.sizeAt(n))),
    HIGHESTMODSEQ: () => view?.modseq ?? settledModseq(state),
    MAILBOXID: () => `(${folder._id})`,
    APPENDLIMIT: () => messageBytesMax(ctx),
  }
  const told = asked.map((item) => `${item} ${values[item]()}`)
  return `* STATUS ${folderName(folder.path, nameForm)} (${told.join(' ')})`
}

function countOf({ table }: FolderView, of: (index: number) => number): number {
  let sum = 0
  for (let n = 0; n < table.size; n++) sum += of(n)
  return sum
}
