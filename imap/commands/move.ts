import { moveMessages } from '../../core/imap/copy.ts'
import { type Command, command, inFolder, readSetAndFolder } from '../command.ts'
import { type Kind, presentUids } from '../sets.ts'
import { copyUid } from './copy.ts'

/** RFC 9051 6.4.8. A move within one folder gives the messages new UIDs. */
export const move = (kind: Kind): Command =>
  command({
    states: inFolder,
    read: readSetAndFolder,
    async run(session, { set, name }) {
      const { ctx, views, writer } = session
      const { folder: from, view } = session.requireWritable()
      const uids = presentUids(session, set, kind)
      const to = await session.folderAt(name, 'TRYCREATE')
      if (uids.length === 0) return { text: 'There was nothing to move' }
      const moved = await moveMessages(ctx, { from, to, uids })
      const target = await views.open({ mailboxId: to.mailboxId, folderId: to._id })
      // RFC 6851 4.3: COPYUID comes before the EXPUNGE responses of the moved messages.
      if (moved.length > 0) writer.line(`* OK [${copyUid(target.uidValidity, moved)}] Moved`)
      view.mayHaveLeft(uids)
      await view.refresh()
      return session.enabled.has('CONDSTORE') ? { responseCode: `HIGHESTMODSEQ ${view.modseq}` } : undefined
    },
  })
