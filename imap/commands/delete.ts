import { deleteFolder } from '../../core/mailbox/folder-changes.ts'
import { foldersIn } from '../../core/mailbox/known-folders.ts'
import { command, loggedIn, readFolder } from '../command.ts'
import { No } from '../wire/answers.ts'

/** RFC 9051 6.3.5. The folder's mail moves to Trash, as it does when the API deletes a folder. */
export const remove = command({
  states: loggedIn,
  read: readFolder,
  async run(session, name) {
    session.requireWrite()
    const { principal, mailbox } = session.user
    const folder = await session.folderAt(name)
    if (folder.role !== null) throw new No('CANNOT', 'A standard folder cannot be deleted')
    const all = await foldersIn(session.ctx, mailbox._id)
    if (all.some(({ path }) => path.startsWith(`${folder.path}/`)))
      throw new No('HASCHILDREN', 'There are folders below it: delete them first')
    if (session.selected?.folder._id === folder._id) session.unselect()
    await deleteFolder(session.ctx, principal, { address: mailbox.address, path: folder.path })
    return undefined
  },
})
