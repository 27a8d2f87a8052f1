/** Writes what changed in the selected folder: the untagged EXPUNGE, VANISHED, EXISTS, RECENT, FETCH and FLAGS responses. */
import type { Session } from './session.ts'
import { flagList, flagNames, keywordOf } from './wire/keywords.ts'
import { formatSet, type Uid } from './wire/numbers.ts'

/** Writes the news; removed messages only with `withExpunged`. */
export function tellNews(session: Session, { withExpunged }: { readonly withExpunged: boolean }): void {
  const { selected, writer, enabled } = session
  if (selected === null) return
  const { tracker } = selected
  if (!tracker.hasNews()) return
  const { expunged, exists, changed } = tracker.take({ withExpunged })
  if (expunged.length > 0 && enabled.has('QRESYNC'))
    writer.line(`* VANISHED ${formatSet(expunged.map(({ uid }) => uid).reverse())}`)
  else for (const { seq } of expunged) writer.line(`* ${seq} EXPUNGE`)
  if (exists !== null) {
    writer.line(`* ${exists} EXISTS`)
    selected.noteRecent()
    if (!enabled.has('IMAP4REV2')) writer.line(`* ${selected.recentCount} RECENT`)
  }
  tellFlags(session, changed)
}

/** Writes the current flags of messages. */
export function tellFlags(session: Session, uids: readonly Uid[]): void {
  for (const uid of uids) {
    const items = flagItems(session, uid)
    const seq = session.folder.tracker.seqOf(uid)
    if (items !== null && seq !== null) session.writer.line(`* ${seq} FETCH (${items})`)
  }
}

/** Writes the current modseqs of messages, for a client that knows their flags. */
export function tellModseqs({ folder, writer }: Session, uids: readonly Uid[]): void {
  const { tracker, view } = folder
  for (const uid of uids) {
    const index = view.table.indexOf(uid)
    if (index >= 0) writer.line(`* ${tracker.seqOf(uid)} FETCH (UID ${uid} MODSEQ (${view.table.modseqAt(index)}))`)
  }
}

/** Returns `UID 3 FLAGS (...) MODSEQ (5)`, or null when the message has left the folder. */
export function flagItems(session: Session, uid: Uid): string | null {
  const { view } = session.folder
  const index = view.table.indexOf(uid)
  if (index < 0) return null
  tellKeywords(session, view.table.labelsAt(index))
  const modseq = session.enabled.has('CONDSTORE') ? ` MODSEQ (${view.table.modseqAt(index)})` : ''
  return `UID ${uid} FLAGS ${flagsOf(session, uid, index)}${modseq}`
}

/** The flags of the message at an index of the table. */
export function flagsOf(session: Session, uid: Uid, index: number): string {
  const { view } = session.folder
  const isRecent = !session.enabled.has('IMAP4REV2') && session.folder.isRecent(uid)
  return flagList(view.table.flagsAt(index), view.table.labelsAt(index), isRecent)
}

/** Announces the keywords that the client does not know, before a response uses them (RFC 9051 7.3.5). */
export function tellKeywords(session: Session, labels: readonly string[]): void {
  if (labels.length === 0) return
  const { toldKeywords } = session.folder
  const fresh = new Set(labels.filter((label) => !toldKeywords.has(label)))
  if (fresh.size === 0) return
  for (const label of fresh) toldKeywords.add(label)
  session.writer.line(`* FLAGS ${allFlags(session)}`)
}

/** Announces the keywords of messages whose flags are not sent to the client. */
export function tellKeywordsOf(session: Session, uids: readonly Uid[]): void {
  const { table } = session.folder.view
  const labels = uids.flatMap((uid) => {
    const index = table.indexOf(uid)
    return index < 0 ? [] : table.labelsAt(index)
  })
  tellKeywords(session, labels)
}

/** All flags, and the keywords of the folder that the client was told of. */
export function allFlags({ folder }: Session): string {
  return `(${[...flagNames, ...[...folder.toldKeywords].map(keywordOf)].join(' ')})`
}
