import { command, loggedIn } from '../command.ts'
import { allFlags, tellFlags } from '../news.ts'
import { flagBit } from '../selected/message-table.ts'
import type { Session } from '../session.ts'
import { tellVanished } from '../vanished.ts'
import { Bad, type Done } from '../wire/answers.ts'
import { flagNames } from '../wire/keywords.ts'
import type { Range, Uid } from '../wire/numbers.ts'
import type { Parser } from '../wire/parser.ts'
import { folderName } from '../wire/text.ts'

/** RFC 9051 6.3.2. */
export const select = command({
  states: loggedIn,
  updates: 'nothing',
  read,
  run: (session, asked) => open(session, asked, { isReadOnly: false }),
})

/** RFC 9051 6.3.3. */
export const examine = command({
  states: loggedIn,
  updates: 'nothing',
  read,
  run: (session, asked) => open(session, asked, { isReadOnly: true }),
})

/** What a client knows of a folder from an earlier session (RFC 7162 3.2.5). */
type Known = { readonly uidValidity: number; readonly modseq: number; readonly uids: readonly Range[] | null }

type Asked = { readonly name: string; readonly usesModseqs: boolean; readonly known: Known | null }

function read(parser: Parser, { enabled }: Session): Asked {
  parser.space()
  const name = parser.folder()
  let usesModseqs = false
  let known: Known | null = null
  if (parser.takeSpace()) {
    parser.list(() => {
      const word = parser.word('A parameter')
      if (word === 'CONDSTORE') usesModseqs = true
      else if (word === 'QRESYNC' && enabled.has('QRESYNC')) {
        parser.space()
        known = readKnown(parser)
      } else throw new Bad(`${word} is not a parameter of SELECT`)
    })
  }
  return { name, usesModseqs, known }
}

/** Reads `(uidvalidity modseq [known-uids] [(known-sequence-set known-uid-set)])`; the last part is read and ignored. */
function readKnown(parser: Parser): Known {
  parser.expect('(')
  const uidValidity = parser.number()
  parser.space()
  const modseq = parser.modseq()
  let uids: readonly Range[] | null = null
  if (parser.takeSpace()) {
    if (parser.isSet()) {
      uids = ranges(parser)
      if (parser.takeSpace()) readMatches(parser)
    } else readMatches(parser)
  }
  parser.expect(')')
  return { uidValidity, modseq, uids }
}

function readMatches(parser: Parser): void {
  parser.expect('(')
  ranges(parser)
  parser.space()
  ranges(parser)
  parser.expect(')')
}

function ranges(parser: Parser): readonly Range[] {
  const set = parser.set()
  if (set === '$') throw new Bad('$ is not allowed here')
  return set
}

async function open(
  session: Session,
  { name, usesModseqs, known }: Asked,
  { isReadOnly }: { isReadOnly: boolean },
): Promise<Done> {
  const { ctx, views, writer, user } = session
  if (session.selected !== null) {
    session.unselect()
    // RFC 7162 3.2.11, and part of IMAP4rev2.
    writer.line('* OK [CLOSED] The previous folder is closed')
  }
  const folder = await session.folderAt(name)
  // Background work of this account in this process finishes first, so that the numbers below are up to date.
  await ctx.background.done(user.principal.accountId)
  const view = await views.open({ mailboxId: folder.mailboxId, folderId: folder._id })
  const mayWrite = user.principal.scopes.includes('mail:write')
  if (usesModseqs) session.useModseqs()
  const selected = session.select(folder, view, { isReadOnly: isReadOnly || !mayWrite })
  const { table } = view
  for (const label of table.allLabels()) selected.toldKeywords.add(label)
  selected.noteRecent()
  const isReadable = selected.isReadOnly
  writer.line(`* FLAGS ${allFlags(session)}`)
  writer.line(
    isReadable
      ? '* OK [PERMANENTFLAGS ()] No flag can be changed'
      : `* OK [PERMANENTFLAGS (${flagNames.join(' ')} \\*)] All flags are permanent`,
  )
  writer.line(`* ${table.size} EXISTS`)
  if (!session.enabled.has('IMAP4REV2')) {
    writer.line(`* ${selected.recentCount} RECENT`)
    const unseen = firstUnseen(table)
    if (unseen !== null) writer.line(`* OK [UNSEEN ${unseen}] The first unread message`)
  }
  writer.line(`* OK [UIDVALIDITY ${view.uidValidity}] UIDs are valid`)
  writer.line(`* OK [UIDNEXT ${view.uidNext}] The next UID`)
  writer.line(`* OK [HIGHESTMODSEQ ${view.modseq}] The highest modseq`)
  writer.line(`* OK [MAILBOXID (${folder._id})] The id of the folder`)
  if (session.enabled.has('IMAP4REV2')) writer.line(`* LIST () "/" ${folderName(folder.path, session.nameForm)}`)
  if (known !== null && known.uidValidity === view.uidValidity) tellSince(session, known)
  return { responseCode: isReadable ? 'READ-ONLY' : 'READ-WRITE', text: `${isReadOnly ? 'EXAMINE' : 'SELECT'} done` }
}

/** Updates what left the folder and what changed in it since the client last knew it. */
function tellSince(session: Session, { modseq, uids }: Known): void {
  const { table, uidNext } = session.folder.view
  const all: readonly Range[] = uidNext > 1 ? [{ from: 1, to: uidNext - 1 }] : []
  tellVanished(session, uids ?? all)
  const changed: Uid[] = []
  for (let n = 0; n < table.size; n++) if (table.modseqAt(n) > modseq) changed.push(table.uidAt(n))
  tellFlags(session, changed)
}

function firstUnseen(table: Session['folder']['view']['table']): number | null {
  for (let n = 0; n < table.size; n++) if ((table.flagsAt(n) & flagBit('seen')) === 0) return n + 1
  return null
}
