import { copyMessages, type Moved } from '../../core/imap/copy.ts'
import { type Command, command, inFolder, readSetAndFolder } from '../command.ts'
import { type Kind, presentUids } from '../sets.ts'
import { formatSet } from '../wire/numbers.ts'

/** RFC 9051 6.4.7. */
export const copy = (kind: Kind): Command =>
  command({
    states: inFolder,
    read: readSetAndFolder,
    async run(session, { set, name }) {
      session.requireWrite()
      const { ctx, views, user, folder } = session
      const uids = presentUids(session, set, kind)
      const to = await session.folderAt(name, 'TRYCREATE')
      if (uids.length === 0) return { text: 'There was nothing to copy' }
      const copied = await copyMessages(ctx, user.principal, { from: folder.folder, to, uids })
      // All of them have been removed in the meantime.
      if (copied.length === 0) return { text: 'There was nothing to copy' }
      const view = await views.open({ mailboxId: to.mailboxId, folderId: to._id })
      return { responseCode: copyUid(view.uidValidity, copied) }
    },
  })

/** RFC 4315 3: the source UIDs, then the new UIDs in the same order. */
export function copyUid(uidValidity: number, pairs: readonly Moved[]): string {
  const sorted = pairs.toSorted((a, b) => a.from - b.from)
  return `COPYUID ${uidValidity} ${formatSet(sorted.map(({ from }) => from))} ${formatSet(sorted.map(({ to }) => to))}`
}
