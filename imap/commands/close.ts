import { expungeMessages } from '../../core/imap/copy.ts'
import { arrivalsFirst } from '../../core/upkeep/arrivals.ts'
import { command, inFolder, noArguments } from '../command.ts'
import { flagBit } from '../selected/message-table.ts'
import type { Session } from '../session.ts'
import type { Uid } from '../wire/numbers.ts'

/** RFC 9051 6.4.1: removes the messages that are marked as deleted, without EXPUNGE responses. */
export const close = command({
  states: inFolder,
  updates: 'nothing',
  read: noArguments,
  async run(session) {
    const { ctx } = session
    const { folder, isReadOnly } = session.folder
    const mayWrite = !isReadOnly && session.user.principal.scopes.includes('mail:write')
    if (mayWrite) await expungeMessages(ctx, folder, markedUids(session), arrivalsFirst(ctx, folder.accountId))
    session.unselect()
    return undefined
  },
})

/** RFC 9051 6.4.2: as CLOSE, but removes nothing. */
export const unselect = command({
  states: inFolder,
  updates: 'nothing',
  read: noArguments,
  async run(session) {
    session.unselect()
    return undefined
  },
})

/** Returns the UIDs of the messages that are marked as deleted. */
export function markedUids({ folder: { view } }: Session): Uid[] {
  const { table } = view
  const marked: Uid[] = []
  for (let n = 0; n < table.size; n++) if ((table.flagsAt(n) & flagBit('deleted')) !== 0) marked.push(table.uidAt(n))
  return marked
}
