import { beginReading } from '../../core/imap/contents.ts'
import { type Command, command, inFolder } from '../command.ts'
import { createPace } from '../pace.ts'
import { readCharset, readKeys } from '../search/keys.ts'
import { searchFolder } from '../search/search.ts'
import { sortables } from '../search/sortables.ts'
import { formatThreads, threadings, threadsOf } from '../search/threads.ts'
import type { Kind } from '../sets.ts'
import { Bad } from '../wire/answers.ts'

/** RFC 5256 (BASE.6.4.THREAD). */
export const thread = (kind: Kind): Command =>
  command({
    states: inFolder,
    updates: kind === 'uid' ? 'all' : 'allButExpunges',
    read(parser) {
      parser.space()
      const word = parser.word('The name of an algorithm')
      const by = threadings.find((each) => each === word)
      if (by === undefined) throw new Bad(`${word} is not a known algorithm: use ${threadings.join(' or ')}`)
      parser.space()
      readCharset(parser)
      parser.space()
      return { by, key: readKeys(parser) }
    },
    async run(session, { by, key }) {
      const { tracker } = session.folder
      const reading = beginReading(session.ctx)
      const uids = await searchFolder(session, key, reading)
      const found = await sortables(session, uids, { addresses: false, reading })
      const threads = await threadsOf(found, by, createPace())
      const told = formatThreads(threads, (uid) => (kind === 'uid' ? uid : tracker.seqOf(uid)))
      session.writer.line(told === '' ? '* THREAD' : `* THREAD ${told}`)
      reading.end()
      return undefined
    },
  })
