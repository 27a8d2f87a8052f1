import { type Command, command, inFolder } from '../command.ts'
import { fetchMessages } from '../fetch/fetch.ts'
import { type Item, readItems } from '../fetch/items.ts'
import { readModifiers } from '../fetch/modifiers.ts'
import { type Kind, presentUids, uidsOf } from '../sets.ts'
import { tellVanished } from '../vanished.ts'
import { Bad } from '../wire/answers.ts'
import { onPage } from '../wire/pages.ts'

/** RFC 9051 6.4.5, with RFC 7162 (CONDSTORE and QRESYNC) and RFC 9394 (PARTIAL). */
export const fetch = (kind: Kind): Command =>
  command({
    states: inFolder,
    updates: kind === 'uid' ? 'all' : 'allButExpunges',
    read(parser, session) {
      parser.space()
      const set = parser.set()
      parser.space()
      const items = readItems(parser)
      const modifiers = readModifiers(parser)
      const { changedSince, vanished, page } = modifiers
      if (vanished && (kind === 'seq' || changedSince === null || !session.enabled.has('QRESYNC')))
        throw new Bad('VANISHED needs UID FETCH, CHANGEDSINCE and QRESYNC')
      if (page !== null && kind === 'seq') throw new Bad('PARTIAL needs UID FETCH')
      return { set, items, ...modifiers }
    },
    async run(session, { set, items, changedSince, vanished, page }) {
      const { table } = session.folder.view
      if (changedSince !== null || items.includes('MODSEQ')) session.useModseqs()
      const present = presentUids(session, set, kind)
      const isMissing = kind === 'seq' && present.length < uidsOf(session, set, kind).length
      if (vanished && set !== '$') tellVanished(session, set)
      const changed =
        changedSince === null ? present : present.filter((uid) => table.modseqAt(table.indexOf(uid)) > changedSince)
      const asked: readonly Item[] = [
        ...(kind === 'uid' && !items.includes('UID') ? (['UID'] as const) : []),
        ...items,
        ...(changedSince !== null && !items.includes('MODSEQ') ? (['MODSEQ'] as const) : []),
      ]
      await fetchMessages(session, page === null ? changed : onPage(changed, page), asked)
      return isMissing ? { responseCode: 'EXPUNGEISSUED', text: 'Some of the messages are gone' } : undefined
    },
  })
