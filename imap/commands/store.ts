import { changeFlags, type FlagChange } from '../../core/programs/flags.ts'
import { type Command, command, inFolder } from '../command.ts'
import { tellFlags } from '../news.ts'
import { type Kind, uidsOf } from '../sets.ts'
import { Bad, type Done } from '../wire/answers.ts'
import { readFlags } from '../wire/keywords.ts'
import type { SequenceSet } from '../wire/numbers.ts'
import type { Parser } from '../wire/parser.ts'

type Asked = { readonly set: SequenceSet; readonly change: FlagChange; readonly isSilent: boolean }

/** RFC 9051 6.4.6. */
export const store = (kind: Kind): Command =>
  command({
    states: inFolder,
    tells: kind === 'uid' ? 'all' : 'allButExpunges',
    read: readStore,
    async run(session, { set, change, isSilent }): Promise<Done> {
      const { folder, view, tracker } = session.requireWritable()
      const named = uidsOf(session, set, kind)
      const uids = named.filter((uid) => view.table.indexOf(uid) >= 0)
      await changeFlags(session.ctx, folder, uids, change)
      await view.refresh()
      tracker.forget(uids)
      if (!isSilent) tellFlags(session, uids)
      return uids.length < named.length ? { responseCode: 'EXPUNGEISSUED', text: 'Some of the messages are gone' } : {}
    },
  })

function readStore(parser: Parser): Asked {
  parser.space()
  const set = parser.set()
  parser.space()
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
  return { set, change: { mode, ...readFlags(given) }, isSilent }
}
