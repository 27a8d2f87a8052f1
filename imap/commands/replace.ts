import { appendMessages } from '../../core/imap/append.ts'
import { expungeMessages } from '../../core/imap/copy.ts'
import { changeFlags } from '../../core/imap/flags.ts'
import { arrivalsFirst } from '../../core/upkeep/arrivals.ts'
import { type Command, command, inFolder } from '../command.ts'
import { type Kind, presentUids } from '../sets.ts'
import { Bad, No } from '../wire/answers.ts'
import { readMessage } from './append.ts'

/** RFC 8508: stores a message and removes the one that it replaces. */
export const replace = (kind: Kind): Command =>
  command({
    states: inFolder,
    read(parser) {
      parser.space()
      const number = parser.set()
      if (number === '$' || number.length !== 1 || number[0]?.from !== number[0]?.to)
        throw new Bad('REPLACE needs the number of exactly one message')
      parser.space()
      const name = parser.folder()
      parser.space()
      return { number, name, message: readMessage(parser) }
    },
    async run(session, { number, name, message }) {
      const { ctx, user, writer } = session
      const { folder: from, view } = session.requireWritable()
      const [uid] = presentUids(session, number, kind)
      if (uid === undefined) throw new No('NONEXISTENT', 'There is no such message')
      const to = await session.folderAt(name, 'TRYCREATE')
      const [made] = await appendMessages(ctx, user, to, [message], { isReplacing: to._id === from._id })
      // RFC 8508 3.3: APPENDUID comes before the EXPUNGE of the replaced message.
      writer.line(`* OK [APPENDUID ${to.uidValidity} ${made!.uid}] Stored`)
      await changeFlags(ctx, from, [uid], { mode: 'add', flags: new Set(['deleted']), labels: [] })
      await expungeMessages(ctx, from, [uid], arrivalsFirst(ctx, from.accountId))
      view.mayHaveLeft([uid])
      await view.refresh()
      return undefined
    },
  })
