import { createFolder } from '../../core/mailbox/folder-changes.ts'
import { canonicalPath } from '../../core/mailbox/folders.ts'
import { foldersIn } from '../../core/mailbox/known-folders.ts'
import { command, loggedIn } from '../command.ts'
import { No } from '../wire/answers.ts'

/** RFC 9051 6.3.4, with the id of the folder (RFC 8474 4.2). Levels that are missing are made. */
export const create = command({
  states: loggedIn,
  read(parser) {
    parser.space()
    return parser.folder()
  },
  async run(session, name) {
    session.requireWrite()
    const { principal, mailbox } = session.user
    // A separator at the end says that folders will be made below.
    const path = canonicalPath(name.endsWith('/') ? name.slice(0, -1) : name)
    const isThere = (await foldersIn(session.ctx, mailbox._id)).some((each) => each.path === path)
    if (isThere) throw new No('ALREADYEXISTS', 'There is a folder of that name')
    await createFolder(session.ctx, principal, { address: mailbox.address, name: path })
    const folder = await session.folderAt(path)
    return { responseCode: `MAILBOXID (${folder._id})` }
  },
})
