import type { FlagChange } from '../../core/imap/flags.ts'
import { type Command, command, inFolder } from '../command.ts'
import { tellFlags, tellKeywordsOf, tellModseqs } from '../news.ts'
import { changeSelected, foresee } from '../selected/change-flags.ts'
import { type Kind, uidsOf } from '../sets.ts'
import { Bad, type Done } from '../wire/answers.ts'
import { readFlags } from '../wire/keywords.ts'
import { formatSet, type SequenceSet, type Uid } from '../wire/numbers.ts'
import type { Parser } from '../wire/parser.ts'

type Asked = { readonly set: SequenceSet; readonly change: FlagChange; readonly isSilent: boolean }

/** RFC 9051 6.4.6, with UNCHANGEDSINCE (RFC 7162 3.1.3). */
export const store = (kind: Kind): Command =>
  command({
    states: inFolder,
    updates: kind === 'uid' ? 'all' : 'allButExpunges',
    read: readStore,
    async run(session, { set, change, isSilent }): Promise<Done> {
      const { folder, view, tracker } = session.requireWritable()
      const named = uidsOf(session, set, kind)
      const uids = named.filter((uid) => view.table.indexOf(uid) >= 0)
      if (change.unchangedSince !== undefined) session.useModseqs()
      const before = new Set(tracker.untoldOf(uids))
      const isForeseen = isSilent ? foresee(view.table, uids, change) : () => true
      const modified = new Set(await changeSelected(session.ctx, { folder, view }, uids, change))
      // Messages that others changed in the meantime stay in the tracker and are sent as news (RFC 9051 6.4.6).
      const expected = uids.filter((uid) => !before.has(uid) && !modified.has(uid) && isForeseen(uid))
      tracker.forget(expected)
      if (change.labels.length > 0 && change.mode !== 'remove') tellKeywordsOf(session, expected)
      if (!isSilent) tellFlags(session, expected)
      else if (session.enabled.has('CONDSTORE')) tellModseqs(session, expected)
      if (modified.size > 0) {
        const numbers = [...modified].map((uid) => (kind === 'uid' ? uid : (tracker.seqOf(uid as Uid) ?? 0)))
        return {
          responseCode: `MODIFIED ${formatSet(numbers.filter((n) => n > 0))}`,
          text: 'Some messages had been changed',
        }
      }
      // Other sessions may also have removed some of the messages in the meantime.
      return named.some((uid) => view.table.indexOf(uid) < 0)
        ? { responseCode: 'EXPUNGEISSUED', text: 'Some of the messages are gone' }
        : {}
    },
  })

function readStore(parser: Parser): Asked {
  parser.space()
  const set = parser.set()
  parser.space()
  let unchangedSince: number | undefined
  if (parser.take('(UNCHANGEDSINCE ')) {
    unchangedSince = parser.modseq()
    parser.expect(') ')
  }
  const mode = parser.take('+') ? 'add' : parser.take('-') ? 'remove' : 'set'
  parser.expect('FLAGS')
  const isSilent = parser.take('.SILENT')
  parser.space()
  const given: string[] = []
  if (parser.peek() === '(') given.push(...parser.list(() => parser.flag()))
  else
    do given.push(parser.flag())
    while (parser.takeSpace())
  if (given.some((flag) => flag.toLowerCase() === '\\recent')) throw new Bad('\\Recent cannot be changed')
  return { set, change: { mode, ...readFlags(given), unchangedSince }, isSilent }
}
