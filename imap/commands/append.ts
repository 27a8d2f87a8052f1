import { type Appended, appendMessages, type Placed } from '../../core/imap/append.ts'
import type { KnownFolder } from '../../core/mailbox/known-folders.ts'
import { command, loggedIn } from '../command.ts'
import type { Session } from '../session.ts'
import { Bad, No } from '../wire/answers.ts'
import { readFlags } from '../wire/keywords.ts'
import { formatSet } from '../wire/numbers.ts'
import type { Parser } from '../wire/parser.ts'

/** RFC 9051 6.3.12, also for several messages at once (RFC 3502): all of them are stored, or none. */
export const append = command({
  states: loggedIn,
  read(parser) {
    parser.space()
    const name = parser.folder()
    const messages: Appended[] = []
    while (parser.takeSpace()) messages.push(readMessage(parser))
    if (messages.length === 0) throw new Bad('APPEND needs at least one message')
    return { name, messages }
  },
  async run(session, { name, messages }) {
    session.requireWrite()
    const folder = await session.folderAt(name, 'TRYCREATE')
    if (messages.some(({ raw }) => raw.length === 0)) throw new No('CANNOT', 'A message must not be empty')
    const isShown = session.selected?.folder._id === folder._id
    const placed = await appendMessages(session.ctx, session.user, folder, messages, { isShown })
    await showAppended(session, folder, placed)
    return { responseCode: `APPENDUID ${folder.uidValidity} ${formatSet(placed.map(({ uid }) => uid))}` }
  },
})

/** Adds the messages to this session's view if it has the folder selected. Other sessions learn of them by the change note. */
async function showAppended({ selected }: Session, folder: KnownFolder, placed: readonly Placed[]): Promise<void> {
  if (selected?.folder._id !== folder._id) return
  const entries = placed.flatMap(({ entry }) => entry ?? [])
  if (entries.length < placed.length || !selected.view.take(entries)) await selected.view.refresh()
}

/** Reads the flags, date and bytes of a message. */
export function readMessage(parser: Parser): Appended {
  const given = parser.peek() === '(' ? parser.list(() => parser.flag()) : null
  if (given !== null) parser.space()
  const receivedAt = parser.peek() === '"' ? parser.dateTime() : null
  if (receivedAt !== null) parser.space()
  // RFC 6855 4: a message whose header is UTF-8.
  const isUtf8 = parser.take('UTF8 (')
  const { bytes } = parser.literal()
  if (isUtf8) parser.expect(')')
  // Some clients send \Recent, which cannot be set; it is ignored.
  const { flags, labels } = readFlags((given ?? []).filter((flag) => flag.toLowerCase() !== '\\recent'))
  return { raw: bytes, flags, labels, receivedAt }
}
