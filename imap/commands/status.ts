import { allFolders } from '../../core/imap/folder-list.ts'
import { command, loggedIn } from '../command.ts'
import { readStatusItems, tellStatus } from '../status-items.ts'
import { No } from '../wire/answers.ts'

/** RFC 9051 6.3.11. */
export const status = command({
  states: loggedIn,
  read(parser) {
    parser.space()
    const name = parser.folder()
    parser.space()
    return { name, items: readStatusItems(parser) }
  },
  async run(session, { name, items }) {
    const { _id } = await session.folderAt(name)
    const folder = (await allFolders(session.ctx, session.user.mailbox._id)).find((each) => each._id === _id)
    if (folder === undefined) throw new No('NONEXISTENT', 'There is no folder of that name')
    await tellStatus(session, folder, items)
    return undefined
  },
})
