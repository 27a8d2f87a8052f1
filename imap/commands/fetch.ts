import { type Command, command, inFolder } from '../command.ts'
import { fetchMessages } from '../fetch/fetch.ts'
import { type Item, readItems } from '../fetch/items.ts'
import { type Kind, presentUids, uidsOf } from '../sets.ts'

/** RFC 9051 6.4.5. */
export const fetch = (kind: Kind): Command =>
  command({
    states: inFolder,
    tells: kind === 'uid' ? 'all' : 'allButExpunges',
    read(parser) {
      parser.space()
      const set = parser.set()
      parser.space()
      return { set, items: readItems(parser) }
    },
    async run(session, { set, items }) {
      const uids = presentUids(session, set, kind)
      const isMissing = uids.length < uidsOf(session, set, kind).length
      const asked: readonly Item[] = kind === 'uid' && !items.includes('UID') ? ['UID', ...items] : items
      await fetchMessages(session, uids, asked)
      return isMissing ? { responseCode: 'EXPUNGEISSUED', text: 'Some of the messages are gone' } : undefined
    },
  })
