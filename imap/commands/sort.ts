import { beginReading } from '../../core/imap/contents.ts'
import { type Command, command, inFolder } from '../command.ts'
import { createPace } from '../pace.ts'
import { readCharset, readKeys } from '../search/keys.ts'
import { searchFolder } from '../search/search.ts'
import { readSortKeys, sorted } from '../search/sort.ts'
import { sortables } from '../search/sortables.ts'
import type { Kind } from '../sets.ts'

/** RFC 5256 (BASE.6.4.SORT). */
export const sort = (kind: Kind): Command =>
  command({
    states: inFolder,
    updates: kind === 'uid' ? 'all' : 'allButExpunges',
    read(parser) {
      parser.space()
      const keys = readSortKeys(parser)
      parser.space()
      readCharset(parser)
      parser.space()
      return { keys, key: readKeys(parser) }
    },
    async run(session, { keys, key }) {
      const { tracker } = session.folder
      const addresses = keys.some(({ field }) => field === 'FROM' || field === 'TO' || field === 'CC')
      const reading = beginReading(session.ctx)
      const found = await sortables(session, await searchFolder(session, key, reading), { addresses, reading })
      const uids = await sorted(found, keys, createPace())
      const numbers = kind === 'uid' ? uids : uids.flatMap((uid) => tracker.seqOf(uid) ?? [])
      session.writer.line(['* SORT', ...numbers].join(' '))
      reading.end()
      return undefined
    },
  })
