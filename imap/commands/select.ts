import { command, loggedIn } from '../command.ts'
import { allFlags } from '../news.ts'
import { flagBit } from '../selected/message-table.ts'
import type { Session } from '../session.ts'
import type { Done } from '../wire/answers.ts'
import { flagNames } from '../wire/keywords.ts'
import type { Parser } from '../wire/parser.ts'
import { folderName } from '../wire/text.ts'

/** RFC 9051 6.3.2. */
export const select = command({
  states: loggedIn,
  tells: 'nothing',
  read,
  run: (session, asked) => open(session, asked, { isReadOnly: false }),
})

/** RFC 9051 6.3.3. */
export const examine = command({
  states: loggedIn,
  tells: 'nothing',
  read,
  run: (session, asked) => open(session, asked, { isReadOnly: true }),
})

type Asked = { readonly name: string }

function read(parser: Parser): Asked {
  parser.space()
  return { name: parser.folder() }
}

async function open(session: Session, { name }: Asked, { isReadOnly }: { isReadOnly: boolean }): Promise<Done> {
  const { ctx, views, writer, user } = session
  if (session.selected !== null) {
    session.unselect()
    // RFC 7162 3.2.11, and part of IMAP4rev2.
    writer.line('* OK [CLOSED] The folder before is closed')
  }
  const folder = await session.folderAt(name)
  // What this account has just done elsewhere in this process is settled first, so that the numbers are those of now.
  await ctx.background.done(user.principal.accountId)
  const view = await views.open({ mailboxId: folder.mailboxId, folderId: folder._id })
  const mayWrite = user.principal.scopes.includes('mail:write')
  const selected = session.select(folder, view, { isReadOnly: isReadOnly || !mayWrite })
  const { table } = view
  for (const label of table.allLabels()) selected.toldKeywords.add(label)
  selected.noteRecent()
  const isReadable = selected.isReadOnly
  writer.line(`* FLAGS ${allFlags(session)}`)
  writer.line(
    isReadable
      ? '* OK [PERMANENTFLAGS ()] Nothing can be changed'
      : `* OK [PERMANENTFLAGS (${flagNames.join(' ')} \\*)] All flags are kept`,
  )
  writer.line(`* ${table.size} EXISTS`)
  if (!session.enabled.has('IMAP4REV2')) {
    writer.line(`* ${selected.recentCount} RECENT`)
    const unseen = firstUnseen(table)
    if (unseen !== null) writer.line(`* OK [UNSEEN ${unseen}] The first that was not read`)
  }
  writer.line(`* OK [UIDVALIDITY ${view.uidValidity}] UIDs are valid`)
  writer.line(`* OK [UIDNEXT ${view.uidNext}] The next UID`)
  writer.line(`* OK [HIGHESTMODSEQ ${view.modseq}] The highest`)
  writer.line(`* OK [MAILBOXID (${folder._id})] Its id`)
  if (session.enabled.has('IMAP4REV2')) writer.line(`* LIST () "/" ${folderName(folder.path, session.nameForm)}`)
  return { responseCode: isReadable ? 'READ-ONLY' : 'READ-WRITE', text: `${isReadOnly ? 'EXAMINE' : 'SELECT'} done` }
}

function firstUnseen(table: Session['folder']['view']['table']): number | null {
  for (let n = 0; n < table.size; n++) if ((table.flagsAt(n) & flagBit('seen')) === 0) return n + 1
  return null
}
