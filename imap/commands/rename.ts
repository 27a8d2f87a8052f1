import { moveAll } from '../../core/mailbox/bulk-changes.ts'
import { createFolder, renameFolder } from '../../core/mailbox/folder-changes.ts'
import { canonicalPath } from '../../core/mailbox/folders.ts'
import { foldersIn } from '../../core/mailbox/known-folders.ts'
import { command, loggedIn } from '../command.ts'
import { No } from '../wire/answers.ts'

/** RFC 9051 6.3.6. Renaming INBOX keeps INBOX and moves its mail into a new folder. */
export const rename = command({
  states: loggedIn,
  read(parser) {
    parser.space()
    const from = parser.folder()
    parser.space()
    return { from, to: parser.folder() }
  },
  async run(session, { from, to }) {
    session.requireWrite()
    const { ctx, user } = session
    const { principal, mailbox } = user
    const folder = await session.folderAt(from)
    const path = canonicalPath(to.endsWith('/') ? to.slice(0, -1) : to)
    const all = await foldersIn(ctx, mailbox._id)
    if (all.some((each) => each.path === path)) throw new No('ALREADYEXISTS', 'A folder of that name exists already')
    if (folder.role === 'inbox') {
      await createFolder(ctx, principal, { address: mailbox.address, name: path })
      await moveAll(ctx, folder, await session.folderAt(path))
    } else {
      if (folder.role !== null) throw new No('CANNOT', 'A standard folder cannot be renamed')
      await renameFolder(ctx, principal, { address: mailbox.address, path: folder.path, name: path })
    }
    return undefined
  },
})
