import { subscribe } from '../../core/imap/folder-list.ts'
import { canonicalPath } from '../../core/mailbox/folders.ts'
import { command, loggedIn, readFolder } from '../command.ts'

/** RFC 9051 6.3.7: the folder must exist. */
export const subscribeTo = command({
  states: loggedIn,
  read: readFolder,
  async run(session, name) {
    session.requireWrite()
    const { path } = await session.folderAt(name)
    await subscribe(session.ctx, session.user.mailbox._id, { path, isWanted: true })
    return undefined
  },
})

/** RFC 9051 6.3.8: the folder need not exist. */
export const unsubscribeFrom = command({
  states: loggedIn,
  read: readFolder,
  async run(session, name) {
    session.requireWrite()
    await subscribe(session.ctx, session.user.mailbox._id, { path: canonicalPath(name), isWanted: false })
    return undefined
  },
})
